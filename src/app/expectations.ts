import type { Mapping } from '../mapping/mapping.ts'
import { type Expectations, isOver, textOfLimit, type Unmet } from '../model/expectations.ts'
import type { ColumnFacts } from '../model/mapping-report.ts'
import type { Tally } from '../report/tally.ts'
import type { ImportSettings } from './settings.ts'

/** Flags win over `expect:` of the mapping; by default a run has at least one row, and none is merged. */
export const expectationsOf = (
  settings: ImportSettings,
  { rows, merged, omitted, invalid, answers }: MappingExpectations = {},
): Expectations => ({
  rowsMin: settings.expectRowsMin ?? rows?.min ?? 1,
  rowsOfLast: settings.expectRowsOfLast ?? rows?.of_last,
  merged: settings.expectMerged ?? merged ?? { rows: 0 },
  omitted: settings.expectOmitted ?? omitted,
  invalid: settings.expectInvalid ?? invalid,
  answers: settings.expectAnswers ?? answers ?? 'told',
})

/** `expect:` of a mapping. */
type MappingExpectations = NonNullable<Mapping['expect']>

/** What a run found. */
export interface Found {
  readonly tally: Tally
  readonly columns: Pick<ColumnFacts, 'omissions'>
  /** The rows of the last run that read its sources to their end. */
  readonly lastRows: number | undefined
}

/** Known rejects do not count as invalid where they are accepted. */
export const countsAsBad = (tally: Tally, accepts: 'report' | 'accept') => ({
  invalid: tally.ends.invalid - (accepts === 'accept' ? tally.known.invalid : 0),
  failed: tally.ends.failed - (accepts === 'accept' ? tally.known.failed : 0),
})

/** The expectations that do not hold, those about rows first. */
export function unmetOf(expected: Expectations, invalid: number, found: Found): Unmet[] {
  const { tally, columns } = found
  const rows = rowsOf(tally)
  const { merged } = tally.ends
  const [path] = tally.losses.notInAnswer.keys()
  const lastRows = tally.returned > 0 ? undefined : found.lastRows
  const unmet: Unmet[] = isWhole(tally) ? unmetRows(expected, rows, lastRows) : []
  if (isOver(merged, expected.merged, rows))
    unmet.push({
      code: 'too_many_merged',
      params: { expected: textOfLimit(expected.merged), actual: merged },
    })
  if (expected.invalid !== undefined && isOver(invalid, expected.invalid, rows))
    unmet.push({
      code: 'too_many_invalid',
      params: { expected: textOfLimit(expected.invalid), actual: invalid },
    })
  for (const { column, values, omitted: actual } of columns.omissions)
    if (expected.omitted !== undefined && isOver(actual, { percent: expected.omitted }, values))
      unmet.push({
        code: 'too_many_omitted',
        params: { expected: `${expected.omitted}%`, actual, column, values },
      })
  if (expected.answers === 'complete' && path !== undefined)
    unmet.push({ code: 'incomplete_answers', params: { actual: tally.losses.incompleteAnswers, path } })
  return unmet
}

function unmetRows({ rowsMin, rowsOfLast }: Expectations, rows: number, last: number | undefined): Unmet[] {
  if (rows < rowsMin) return [{ code: 'too_few_rows', params: { expected: rowsMin, actual: rows } }]
  if (rowsOfLast === undefined || last === undefined || rows >= (last * rowsOfLast) / 100) return []
  return [{ code: 'fewer_rows_than_last', params: { expected: `${rowsOfLast}%`, actual: rows, last } }]
}

/** Rows without those that `where` leaves out. */
export const rowsOf = ({ rows, leftOut }: Tally): number => rows - leftOut

/** The sources were read to their end. */
export const isWhole = ({ stopReason, limitReached }: Tally): boolean =>
  stopReason === undefined && limitReached === undefined
