// What is told of rows and records that were compared with an export of the service.

import { aligned, commandLine, counted, due, rows, visible, visibleJson } from '../../output/text.ts'
import { type RowLabel, showValue } from '../../result/short-texts.ts'

/** A row that was in doubt, and what an export says of it. */
export interface DecidedRow extends RowLabel {
  readonly decision: 'created' | 'failed' | 'in_doubt'
  /** How many records match, and the ids of the first. */
  readonly found: number
  readonly candidates: readonly string[]
}

/** With rows of the export that have no id. */
type DecidedCounts = Readonly<Record<DecidedRow['decision'] | 'without_id', number>>

export function decidedLine({ key, source, row, line, decision, found, candidates }: DecidedRow): string {
  const [record_id] = candidates
  const records = decision === 'created' ? { record_id } : { candidates, found }
  return visibleJson(`${JSON.stringify({ key, source, row, line, decision, ...records })}\n`)
}

export const decidedTable = (decided: readonly DecidedRow[]): string =>
  listText(
    decided.map(({ key, decision, found, candidates }) => ({
      ...{ key, decision, found },
      records: candidates.join(' '),
    })),
  )

const longestCell = 400

/** Objects with the same fields as the cells of a table, its header first; none where there are none. */
export const cellsOf = (items: readonly object[]): string[][] =>
  items.length === 0
    ? []
    : [
        Object.keys(items[0] ?? {}),
        ...items.map(item => Object.values(item).map(value => showValue(value, longestCell))),
      ]

export const listText = (items: readonly object[]): string =>
  items.length === 0 ? '' : `${aligned(cellsOf(items)).join('\n')}\n\n`

/** How many rows an export settles, and what to do about the others. */
export function describeDecided(
  log: string,
  { from, dryRun, complete }: { readonly from: string; readonly dryRun: boolean; readonly complete: boolean },
  { created, failed, in_doubt: left, without_id: withoutId }: DecidedCounts,
): string {
  const settled = `${rows(created + failed)} ${dryRun ? 'would be settled' : 'settled'} by ${visible(from)}`
  const how = `${counted(created, 'has its record', 'have their record')}, ${counted(failed, 'was', 'were')} not created`
  const still = `${counted(left, 'row is', 'rows are')} in doubt still`
  const byHand = commandLine(['resolve', log, '--key', 'KEY', '--record-id', 'ID'])
  return due(
    `${visible(log)}: ${settled}: ${how}; ${left === 0 ? 'no row is in doubt any more' : still}.\n`,
    withoutId > 0 && `${describeWithoutId(withoutId, from)}\n`,
    left > 0 && `Where several records match, say which it is: ${byHand}\n`,
    left > 0 && !complete && `Where none does, and the export was made after the last call: add --complete\n`,
  ).join('')
}

export const describeWithoutId = (count: number, file: string): string =>
  `${counted(count, 'row', 'rows')} of ${visible(file)} ${count === 1 ? 'has' : 'have'} no id of a record, and ${count === 1 ? 'was' : 'were'} not used.`
