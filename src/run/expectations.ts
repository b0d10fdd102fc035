import type { Mapping } from '../mapping/mapping.ts'
import { isOver, type RowsOrShare, textOfLimit, type Unmet } from '../model/expectations.ts'
import type { ColumnFacts } from '../model/mapping-report.ts'
import type { Tally } from '../result/tally.ts'
import type { ImportSettings } from '../settings/settings.ts'
import { measuredRows } from '../store/files/lines.ts'

/** Rows by what became of them: of a run, or of a run of several workers. */
export type Judged = Pick<
  Tally,
  'ends' | 'known' | 'losses' | 'rows' | 'leftOut' | 'returned' | 'stopReason' | 'limitReached'
>

interface Found {
  readonly tally: Judged
  readonly columns: Pick<ColumnFacts, 'omissions'>
  /** The rows of the last run that read its sources to their end. */
  readonly lastRows: number | undefined
}

/** Expectations of a run: flags win over `expect:` of the mapping; what is undefined is not checked. */
const expectationsOf = (settings: ImportSettings, { expect = {} }: Mapping) => ({
  rowsMin: settings.expectRowsMin ?? expect.rows?.min ?? 1,
  rowsOfLast: settings.expectRowsOfLast ?? expect.rows?.of_last,
  merged: settings.expectMerged ?? expect.merged ?? { rows: 0 },
  omitted: settings.expectOmitted ?? expect.omitted,
  invalid: settings.expectInvalid ?? expect.invalid,
  answers: settings.expectAnswers ?? expect.answers,
})

/** The expectations that do not hold, those about rows first, and how many rows have no record that nobody accepts. */
export function judge(settings: ImportSettings, mapping: Mapping, found: Found) {
  const { tally, columns } = found
  const { ends, losses } = tally
  const expected = expectationsOf(settings, mapping)
  const accepted = settings.knownRejects === 'accept' ? tally.known : { invalid: 0, failed: 0 }
  const invalid = ends.invalid - accepted.invalid
  const unmet: Unmet[] = isWhole(tally) ? unmetRows(expected, found) : []
  const rows = rowsOf(tally)
  const limit = (code: 'too_many_merged' | 'too_many_invalid', actual: number, most: RowsOrShare) => {
    if (isOver(actual, most, rows)) unmet.push({ code, params: { expected: textOfLimit(most), actual } })
  }
  limit('too_many_merged', ends.merged, expected.merged)
  if (expected.invalid !== undefined) limit('too_many_invalid', invalid, expected.invalid)
  for (const { column, values, omitted: actual } of columns.omissions)
    if (expected.omitted !== undefined && isOver(actual, { percent: expected.omitted }, values)) {
      const params = { expected: `${expected.omitted}%`, actual, column, values }
      unmet.push({ code: 'too_many_omitted', params })
    }
  const [{ path } = {}] = losses.facts().notInAnswer
  if (expected.answers === 'complete' && path !== undefined)
    unmet.push({ code: 'incomplete_answers', params: { actual: losses.incompleteAnswers, path } })
  const notAllowed = expected.invalid === undefined ? invalid : 0 // otherwise the expectation decides
  return { unmet, rejected: notAllowed + ends.failed - accepted.failed }
}

function unmetRows(
  { rowsMin, rowsOfLast }: ReturnType<typeof expectationsOf>,
  { tally, lastRows }: Found,
): Unmet[] {
  const actual = measuredRows({ rows: rowsOf(tally), returned: tally.returned })
  if (actual === undefined) return []
  if (actual < rowsMin) return [{ code: 'too_few_rows', params: { expected: rowsMin, actual } }]
  if (rowsOfLast === undefined || lastRows === undefined) return []
  if (actual >= (lastRows * rowsOfLast) / 100) return []
  return [{ code: 'fewer_rows_than_last', params: { expected: `${rowsOfLast}%`, actual, last: lastRows } }]
}

/** Rows without those that `where` leaves out. */
export const rowsOf = ({ rows, leftOut }: Pick<Tally, 'rows' | 'leftOut'>): number => rows - leftOut

/** The sources were read to their end. */
export const isWhole = ({ stopReason, limitReached }: Pick<Tally, 'stopReason' | 'limitReached'>): boolean =>
  stopReason === undefined && limitReached === undefined
