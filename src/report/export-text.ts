// What is told of rows and records that were compared with an export of the service.
import type { RowLabel } from './page/facts.ts'
import { aligned, commandLine, counted, grouped, rows, visible, visibleJson } from './text.ts'

/** A row that was in doubt, and what an export says of it. */
export interface DecidedRow extends RowLabel {
  readonly decision: 'created' | 'failed' | 'in_doubt'
  readonly candidates: readonly string[]
}

const mostCandidates = 10

export function decidedLine({ key, source, row, line, decision, candidates }: DecidedRow): string {
  const [record_id] = candidates
  const records =
    decision === 'created'
      ? { record_id }
      : { candidates: candidates.slice(0, mostCandidates), found: candidates.length }
  return visibleJson(`${JSON.stringify({ key, source, row, line, decision, ...records })}\n`)
}

export const decidedTable = (decided: readonly DecidedRow[]): string =>
  listText(
    decided.map(({ key, decision, candidates }) => {
      const more = candidates.length > mostCandidates ? ` (${candidates.length})` : ''
      return { key, decision, records: candidates.slice(0, mostCandidates).join(' ') + more }
    }),
  )

/** Objects with the same fields as a table; nothing where there are none. */
export function listText(items: readonly object[]): string {
  const cells = items.map(item => Object.values(item).map(String))
  return items.length === 0 ? '' : `${aligned([Object.keys(items[0] ?? {}), ...cells]).join('\n')}\n\n`
}

/** How many rows an export settles, and what to do about the others. */
export function describeDecided(
  log: string,
  { from, dryRun, complete }: { readonly from: string; readonly dryRun: boolean; readonly complete: boolean },
  {
    counts,
    withoutId,
  }: { readonly counts: Readonly<Record<DecidedRow['decision'], number>>; readonly withoutId: number },
): string {
  const { created, failed, in_doubt: left } = counts
  const settled = `${rows(created + failed)} ${dryRun ? 'would be settled' : 'settled'} by ${visible(from)}: ${grouped(created)} ${created === 1 ? 'has its' : 'have their'} record, ${grouped(failed)} ${failed === 1 ? 'was' : 'were'} not created`
  const still =
    left === 0 ? 'no row is in doubt any more' : `${counted(left, 'row is', 'rows are')} in doubt still`
  const byHand = commandLine(['resolve', log, '--key', 'KEY', '--record-id', 'ID'])
  const next = [
    ...(withoutId > 0 ? [describeWithoutId(withoutId, from)] : []),
    ...(left > 0 ? [`Where several records match, say which it is: ${byHand}`] : []),
    ...(left > 0 && !complete
      ? ['Where none does, and the export was made after the last call: the same command with --complete']
      : []),
  ]
  return `${visible(log)}: ${settled}; ${still}.\n${next.map(line => `${line}\n`).join('')}`
}

export const describeWithoutId = (count: number, file: string): string =>
  `${rows(count)} of ${visible(file)} ${count === 1 ? 'has' : 'have'} no id of a record, and ${count === 1 ? 'was' : 'were'} not used.`
