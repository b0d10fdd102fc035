import type { StopReason } from '../model/errors.ts'
import { describeProblem, describeStop, libraryDialect } from '../output/words.ts'
import type { ResultDetails, RunResult } from '../result/run-result.ts'
import type { RowOutcome } from './outcome.ts'

/** Fields that are those of the summary file. */
type Same = 'changed' | 'known' | 'unclear' | 'omitted' | 'kept' | 'reasons' | 'written'

/** The result of an import. Other fields than these are as `config/summary.schema.json` describes them, in camelCase. */
export interface ImportSummary extends Readonly<Pick<RunResult, Same>> {
  readonly dryRun: boolean
  readonly leftOut: number
  readonly notInAnswer: RunResult['not_in_answer']
  readonly limitReached: RunResult['limit_reached']
  readonly durationMs: number
  readonly exitCode: number
  /** The reason of an early end; undefined if every row was read. */
  readonly stopped: ImportStop | undefined
  /** The number of rows by outcome, in this run. */
  readonly rows: Readonly<Record<RowOutcome['status'], number>>
  /** The number of rows in doubt in the result log, those of earlier runs included; 0 if it was not read. */
  readonly inDoubt: number
  /** Groups of rows that are like each other, and the rows in them; undefined if `nearDuplicates` is `off`. */
  readonly nearDuplicates: { readonly groups: number; readonly rows: number } | undefined
  /** Expectations that do not hold, for programs and in words. */
  readonly unmet: readonly { readonly code: string; readonly message: string }[]
  /** The lines of outcomes that could not be written to the result log, which stopped the run; keep them. */
  readonly unwritten: readonly string[]
}

/** The reason of an early end. */
export interface ImportStop {
  readonly reason: StopKind
  /** The reason in words, and the next step. */
  readonly message: string
}

/**
 * - `aborted`: by the signal, or because the loop over the outcomes was left
 * - `unauthorized`: the service refused the token, or the address
 * - `not_answering`: as many calls in a row failed as twice the concurrency
 * - `asked_to_wait`: the service asks to come back in more than ten minutes
 * - `throttled`: it took nothing for ten minutes
 * - `too_many_failures`: more than `maxFailures`
 * - `source`: a source, or the iterable of rows, broke off
 * - `log`: the result log could not be written
 * - `lock`: another run took the result log over
 * - `defect`: a defect in rowlift
 */
export type StopKind = Exclude<StopReason['code'], 'signal' | 'reader_gone'>

/** Rows that have no record for the same reason. */
export type ImportReason = RunResult['reasons'][number]

type Renamed = 'dry_run' | 'left_out' | 'not_in_answer' | 'limit_reached' | 'duration_ms' | 'exit_code'

export interface LibraryEnd extends Pick<RunResult, Same | Renamed | 'in_doubt_total' | 'near_duplicates'> {
  readonly details: Pick<ResultDetails, 'tally' | 'unmet'>
}

/** The summary of a run that has ended; `unwritten` are lines that the log could not take. */
export function summaryOf(end: LibraryEnd, unwritten: readonly string[]): ImportSummary {
  const { changed, known, unclear, omitted, kept, reasons, written, near_duplicates: near, details } = end
  const reason = details.tally.stopReason
  return {
    dryRun: end.dry_run,
    leftOut: end.left_out,
    ...{ changed, known, unclear, omitted, kept },
    notInAnswer: end.not_in_answer,
    reasons,
    limitReached: end.limit_reached,
    durationMs: end.duration_ms,
    written,
    exitCode: end.exit_code,
    // signals and readers are those of the command
    stopped: reason && { reason: reason.code as StopKind, message: describeStop(reason, libraryDialect) },
    rows: { ...details.tally.ends },
    inDoubt: end.in_doubt_total,
    nearDuplicates: near && { groups: near.groups, rows: near.rows },
    unmet: details.unmet.map(each => ({ code: each.code, message: describeProblem(each, libraryDialect) })),
    unwritten,
  }
}
