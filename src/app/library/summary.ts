import type { StopReason } from '../../model/errors.ts'
import type { NearFacts } from '../../model/near-duplicates.ts'
import { describeStop, describeUnmet, libraryFace } from '../../report/words.ts'
import type { ImportEnd } from '../import-end.ts'
import type { RowOutcome } from './outcome.ts'

/** The result of an import. */
export interface ImportSummary {
  readonly dryRun: boolean
  /** The reason of an early end; undefined where every row was read. */
  readonly stopped: ImportStop | undefined
  /** The number of rows by outcome, in this run. */
  readonly rows: Readonly<Record<RowOutcome['status'], number>>
  /** The number of rows that `where` of the mapping left out. */
  readonly leftOut: number
  /** The number of rows with a record from an earlier run and other content now. */
  readonly changed: number
  /** The number of rows in doubt in the result log, those of earlier runs included; 0 where it was not read. */
  readonly inDoubt: number
  /** Of the invalid and failed rows: an earlier run refused them, and they read the same. */
  readonly known: number
  /** The number of values that rules with `omit` left out, by column. */
  readonly omitted: Readonly<Record<string, number>>
  /** The number of answers that lack a field that was sent, by path. */
  readonly notInAnswer: Readonly<Record<string, number>>
  /** Groups of rows that are like each other, and the rows in them; undefined where `nearDuplicates` is `off`. */
  readonly nearDuplicates: Pick<NearFacts, 'groups' | 'rows'> | undefined
  /** Expectations that do not hold, for programs and in words. */
  readonly unmet: readonly { readonly code: string; readonly message: string }[]
  /** Why rows have no record, the most frequent reason first, at most ten. */
  readonly reasons: readonly ImportReason[]
  /** The limit, where it ended the run. */
  readonly limitReached: number | undefined
  /** From the first row to the last, in milliseconds. */
  readonly durationMs: number
  /** The result log, or the preview of a dry run. */
  readonly written: string | undefined
  /** The lines of outcomes that could not be written to the result log, which stopped the run; keep them. */
  readonly unwritten: readonly string[]
  /**
   * The exit code of the command: 0 every row has its record, 1 some are invalid, failed, merged or in doubt, or an expectation does not hold, 2 the source broke off
   * before the first call, 3 the run was stopped, 4 another run took the log over, 70 a defect.
   */
  readonly exitCode: number
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
export interface ImportReason {
  readonly status: 'invalid' | 'failed' | 'in_doubt'
  /** Why, for programs; undefined for the rest, which has many reasons. */
  readonly code?: string | undefined
  /** The same in words. */
  readonly reason: string
  readonly count: number
  readonly examples: readonly { readonly source: string; readonly row: number; readonly line: number }[]
}

export type LibraryEnd = Pick<
  ImportEnd,
  'dryRun' | 'tally' | 'near' | 'durationMs' | 'inDoubt' | 'unmet' | 'written' | 'exitCode'
>

/** The summary of a run that has ended; `unwritten` are lines that the log could not take. */
export function summaryOf(
  { dryRun, tally, near, inDoubt, unmet, durationMs, written, exitCode }: LibraryEnd,
  unwritten: readonly string[],
): ImportSummary {
  const { leftOut, changed, limitReached } = tally
  return {
    dryRun,
    stopped: stopOf(tally.stopReason),
    rows: { ...tally.ends },
    leftOut,
    changed,
    inDoubt,
    known: tally.known.invalid + tally.known.failed,
    ...tally.losses.counts(),
    nearDuplicates: near && { groups: near.groups, rows: near.rows },
    unmet: unmet.map(each => ({ code: each.code, message: describeUnmet(each, libraryFace) })),
    reasons: tally.reasons.facts(),
    limitReached,
    durationMs,
    written,
    unwritten,
    exitCode,
  }
}

function stopOf(reason: StopReason | undefined): ImportStop | undefined {
  if (reason === undefined) return undefined
  const message = describeStop(reason, libraryFace)
  // signals and readers are those of the command
  if (reason.code === 'signal' || reason.code === 'reader_gone') return { reason: 'aborted', message }
  return { reason: reason.code, message }
}
