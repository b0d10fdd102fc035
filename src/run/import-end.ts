import { isOver, textOfLimit, type Unmet } from '../model/expectations.ts'
import type { ColumnFacts } from '../model/mapping-report.ts'
import { estimatedSeconds } from '../output/words/notices.ts'
import { describeProblem, describeStop, streamDialect } from '../output/words.ts'
import { missedLookups, type ResultDetails, type RunResult } from '../result/run-result.ts'
import type { Tally } from '../result/tally.ts'
import { type Closing, measuredRows } from '../store/files/lines.ts'
import { exitCodeOf } from './exit-code.ts'
import { estimateOf } from './import-steps.ts'
import { documentsIn, readsSources } from './lookups.ts'
import { fileOf } from './paths.ts'
import type { PreparedImport } from './prepared-import.ts'
import type { WrittenRejects } from './rejects.ts'

/** The counts that expectations are about: of a run, or of a run of several workers. */
export type ExpectedCounts = Pick<
  Tally,
  | 'ends'
  | 'known'
  | 'losses'
  | 'rows'
  | 'leftOut'
  | 'returned'
  | 'changed'
  | 'conflicts'
  | 'unclear'
  | 'stopReason'
  | 'limitReached'
>

/** The facts of an import that has ended, besides its rows. */
export interface EndFacts extends Pick<RunResult, 'run' | 'duration_ms' | 'in_doubt_total' | 'ledger'> {
  readonly counts: ExpectedCounts
  /** The rows of the last whole run that met its expectations. */
  readonly lastRows: number | undefined
  readonly callMs?: number | undefined
  readonly rejects: WrittenRejects | undefined
  readonly firstKeys?: ResultDetails['firstKeys']
}

/** The result of an import, made once. */
export function endOf(prepared: PreparedImport, ended: EndFacts): RunResult {
  const { options, settings, mapping, sources, stop, tally, approval } = prepared
  const { counts, lastRows, callMs, rejects, firstKeys, ...measured } = ended
  const isDry = options.service === undefined
  if (stop.reason !== undefined) tally.take({ type: 'stopping', reason: stop.reason })
  const columns = columnsOf(prepared)
  const { openQuestions: questions } = mapping
  const { unmet, rejected } = checkExpectations(prepared, ended, columns)
  const held = isDry ? tally.respelled + tally.ambiguous : counts.ends.held + ended.in_doubt_total
  const bad = rejected + counts.ends.in_doubt + held + unmet.length
  const near = prepared.comparison?.result()
  const estimate = isDry ? estimateOf(prepared, callMs) : undefined
  const written = fileOf(isDry ? settings.preview : options.results)
  const canGoOn = isDry || (written ?? ended.ledger) !== undefined
  return {
    dry_run: isDry,
    ...tally.fields,
    ...measured,
    exit_code: exitCodeOf(tally, bad, isDry),
    base_url: options.baseUrl,
    organization_id: options.organizationId,
    record: mapping.record,
    delivery: options.mode,
    stopped: tally.stopReason && describeStop(tally.stopReason, canGoOn ? undefined : streamDialect),
    near_duplicates: near?.fields,
    unmet: unmet.map(each => ({ ...each, message: describeProblem(each) })),
    estimated_seconds: estimate && estimatedSeconds(estimate),
    lookups_without_hits: missedLookups(columns).map(({ name, values, table, column }) => ({
      ...{ name, asked: values, table, column },
    })),
    open_questions: questions.length > 0 ? questions.map(({ place }) => place) : undefined,
    unseen_columns: tally.ends.done > 0 ? [] : [...columns.unseen], // rows that are left alone are not mapped
    unused_columns: isDry ? [...columns.unused] : undefined,
    missing_key: columns.missingKey.length > 0 ? [...columns.missingKey] : undefined,
    written,
    rejects: rejects?.path,
    rejected_rows: rejects?.rows,
    changes: prepared.changes?.result().file,
    details: {
      ...{ tally, columns, questions, unmet, estimate, firstKeys, near },
      approval: approval?.contentAt(tally),
      resendsDoubts: options.inDoubt === 'resend',
      documents: readsSources(mapping) ? documentsIn(sources, options.sourceSettings) : [],
    },
  }
}

type MeasuredFacts = Pick<EndFacts, 'counts' | 'lastRows'>
type Expectations = ReturnType<typeof expectationsOf>

const columnsOf = ({ mapping, sources }: PreparedImport) =>
  mapping.columnFacts(sources.map(({ columns }) => columns))

/** Returns the codes of the expectations that do not hold, for the closing line; undefined if all do. */
export function unmetIn(prepared: PreparedImport, measured: MeasuredFacts): Closing['unmet'] {
  const { unmet } = checkExpectations(prepared, measured, columnsOf(prepared))
  return unmet.length === 0 ? undefined : unmet.map(({ code }) => code)
}

/** Expectations of a run: flags win over `expect:` of the mapping; an undefined one is not checked. */
const expectationsOf = ({ settings, mapping: { expect = {} } }: PreparedImport) => ({
  rowsMin: settings.expectRowsMin ?? expect.rows?.min ?? 1,
  rowsOfLast: settings.expectRowsOfLast ?? expect.rows?.of_last,
  merged: settings.expectMerged ?? expect.merged ?? { rows: 0 },
  conflicts: settings.expectConflicts ?? expect.conflicts ?? { rows: 0 },
  unclear: settings.expectUnclear ?? expect.unclear ?? { rows: 0 },
  changed: settings.expectChanged ?? expect.changed,
  omitted: settings.expectOmitted ?? expect.omitted,
  kept: settings.expectKept ?? expect.kept,
  invalid: settings.expectInvalid ?? expect.invalid,
  answers: settings.expectAnswers ?? expect.answers,
})

/** Returns the expectations that do not hold, those about rows first, and the number of rows without a record that nobody accepts. */
function checkExpectations(prepared: PreparedImport, measured: MeasuredFacts, { fallbacks }: ColumnFacts) {
  const { counts } = measured
  const { ends, losses, known, conflicts, unclear, changed } = counts
  const expected = expectationsOf(prepared)
  const { knownRejects, acceptFewer } = prepared.settings
  const accepted = knownRejects === 'accept' ? known : { invalid: 0, failed: 0 }
  const invalid = ends.invalid - accepted.invalid
  const unmet: Unmet[] = isWhole(counts) && !acceptFewer ? unmetRows(expected, measured) : []
  const limited = { merged: ends.merged, conflicts, unclear, changed, invalid }
  for (const name of ['merged', 'conflicts', 'unclear', 'changed', 'invalid'] as const) {
    const [actual, most] = [limited[name], expected[name]]
    if (most !== undefined && isOver(actual, most, rowsOf(counts)))
      unmet.push({ code: `too_many_${name}`, params: { expected: textOfLimit(most), actual } })
  }
  for (const name of ['omitted', 'kept'] as const)
    for (const { column, values, [name]: actual } of fallbacks) {
      const percent = expected[name]
      if (percent === undefined || !isOver(actual, { percent }, values)) continue
      unmet.push({ code: `too_many_${name}`, params: { expected: `${percent}%`, actual, column, values } })
    }
  const [{ path } = {}] = losses.facts().notInAnswer
  if (expected.answers === 'complete' && path !== undefined)
    unmet.push({ code: 'incomplete_answers', params: { actual: losses.incompleteAnswers, path } })
  const notAllowed = expected.invalid === undefined ? invalid : 0 // otherwise the expectation decides
  return { unmet, rejected: notAllowed + ends.failed - accepted.failed }
}

/** Without an expected share, half of the last rows are too few. */
function unmetRows({ rowsMin, rowsOfLast }: Expectations, { counts, lastRows }: MeasuredFacts): Unmet[] {
  const actual = measuredRows({ rows: rowsOf(counts), returned: counts.returned })
  if (actual === undefined) return []
  if (actual < rowsMin) return [{ code: 'too_few_rows', params: { expected: rowsMin, actual } }]
  if (!lastRows) return []
  const expected = rowsOfLast === undefined ? (lastRows + 1) / 2 : (lastRows * rowsOfLast) / 100
  if (actual >= expected) return []
  return [{ code: 'fewer_rows_than_last', params: { expected: Math.ceil(expected), actual, last: lastRows } }]
}

/** Rows without those that `where` leaves out. */
export const rowsOf = ({ rows, leftOut }: Pick<Tally, 'rows' | 'leftOut'>): number => rows - leftOut

/** Checks that the sources were read to their end. */
export const isWhole = ({ stopReason, limitReached }: Pick<Tally, 'stopReason' | 'limitReached'>): boolean =>
  stopReason === undefined && limitReached === undefined
