// The summary at the end of a run: text for people, one JSON object for programs.

import type { Estimate } from '../model/events.ts'
import type { Unmet } from '../model/expectations.ts'
import type { ColumnFacts } from '../model/mapping-report.ts'
import type { NearFacts } from '../model/near-duplicates.ts'
import { estimatedSeconds } from './estimate.ts'
import { proposedRules } from './reasons.ts'
import type { Tally } from './tally.ts'
import { type NextStep, nextText } from './text.ts'
import { commandFace, streamFace } from './words/sentence.ts'
import { describeStop, describeUnmet } from './words.ts'

/** The end of a command, as a reporter shows it. */
export interface EndReport {
  /** Cells are for terminals only: logs are kept and passed on, and must not hold the data of rows. */
  readonly text: (showsCells: boolean, hasColors: boolean) => string
  readonly fields: () => object
  /** Why it stopped early, and whether a signal asked for it, which is no error. */
  readonly stopped: { readonly words: string; readonly wasAsked: boolean } | undefined
}

/** An import that several machines share. */
interface LedgerFacts {
  readonly import: string
  readonly worker: string
  /** The rows of all workers by what became of them, once all are accounted for. */
  readonly all?: Readonly<Record<string, number>> | undefined
}

export interface RunFacts {
  readonly dryRun: boolean
  readonly tally: Tally
  /** As a dry run writes it; undefined where there is none. */
  readonly approval?: { readonly imports: readonly object[] } | undefined
  /** Undefined where near duplicates were not looked for. */
  readonly near?: NearFacts | undefined
  readonly durationMs: number
  /** Of a dry run: how long its calls would take. */
  readonly estimate?: Estimate | undefined
  /** Rows that the result log holds in doubt now. */
  readonly inDoubt: number
  readonly unmet: readonly Unmet[]
  readonly columns: ColumnFacts
  /** Whether the settings file holds rules for answers. */
  readonly hasRules: boolean
  /** Where the result log or the preview is; undefined when there is none. */
  readonly written: string | undefined
  /** Where several machines share the import. */
  readonly ledger?: LedgerFacts | undefined
  /** The key of the first row of each record in `tally.mergedRows`, where it is known. */
  readonly firstKeys?: ReadonlyMap<string, string> | undefined
  /** The file of rejected rows, and how many it holds; undefined where none was asked for. */
  readonly rejects?: { readonly path: string; readonly rows: number } | undefined
  readonly next?: readonly NextStep[]
}

export const nextField = (next: readonly NextStep[] = []) =>
  next.length === 0 ? {} : { next: nextText(next) }

export const missedLookups = ({ lookups }: Pick<ColumnFacts, 'lookups'>) =>
  lookups.filter(({ asked, found }) => asked > 0 && found === 0)

/** Why a run stopped; without a log it cannot go on. Undefined where it did not stop. */
export const stoppedWords = ({ dryRun, written, ledger, tally }: RunFacts) =>
  tally.stopReason && describeStop(tally.stopReason, dryRun || (written ?? ledger) ? commandFace : streamFace)

const mostNear = 10

/** Without names: logs are kept. */
const nearFields = ({ groups, rows, first, key }: NearFacts) => ({
  ...{ groups, rows, first: first.slice(0, mostNear).map(({ names, ...group }) => group) },
  ...(key && { key }),
})

/** The same as one JSON object, for logs that a program reads. */
export function summaryFields(facts: RunFacts) {
  const { dryRun, tally, durationMs, estimate, inDoubt, unmet, columns, written, ledger, rejects, next } =
    facts
  const { omitted, notInAnswer } = tally.losses.counts()
  const rules = dryRun ? [] : proposedRules(tally.reasons.groups.values())
  return {
    dry_run: dryRun,
    finished: tally.stopReason === undefined,
    ...(tally.stopReason !== undefined && { stopped: stoppedWords(facts) }),
    rows: tally.rows,
    ...tally.ends,
    known: tally.known.invalid + tally.known.failed,
    left_out: tally.leftOut,
    changed: tally.changed,
    ...(tally.equal.rows > 0 && { equal_rows: tally.equal.rows }),
    ...(facts.near && { near_duplicates: nearFields(facts.near) }),
    tried_again: tally.triedAgain,
    settled_doubts: tally.settledDoubts,
    abandoned: tally.abandoned,
    in_doubt_total: inDoubt,
    duration_ms: durationMs,
    ...(estimate !== undefined && { estimated_seconds: estimatedSeconds(estimate) }),
    retries: tally.retries,
    throttled: tally.throttled,
    reasons: tally.reasons.facts(),
    ...(rules.length > 0 && { proposed_rules: rules }),
    merged_rows: tally.mergedRows.map(({ recordId, identity: { source, row }, sameAs }) => ({
      record_id: recordId,
      row: { source, row },
      same_as: sameAs,
    })),
    omitted,
    not_in_answer: notInAnswer,
    unmet: unmet.map(each => ({ ...each, message: describeUnmet(each) })),
    lookups_without_hits: missedLookups(columns).map(({ name, asked, table, column }) => ({
      ...{ name, asked },
      ...(table !== undefined && { table }),
      ...(column !== undefined && { column }),
    })),
    unseen_columns: [...columns.unseen],
    ...(dryRun && { unused_columns: [...columns.unused] }),
    ...(columns.missingKey.length > 0 && { missing_key: [...columns.missingKey] }),
    answer_differences: Object.fromEntries(tally.differences),
    ...(tally.limitReached !== undefined && { limit_reached: tally.limitReached }),
    ...(written !== undefined && { written }),
    ...(ledger !== undefined && { ledger }),
    ...(rejects !== undefined && { rejects: rejects.path, rejected_rows: rejects.rows }),
    ...nextField(next),
  }
}
