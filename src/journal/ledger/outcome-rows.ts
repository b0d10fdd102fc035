import { replacedName } from '../../model/content-key.ts'
import type { Outcome } from '../../model/outcome.ts'
import { type Describe, problem } from '../../model/problem.ts'
import type { RowPlace } from '../../model/row.ts'
import type { RecordType } from '../../records/kinds.ts'
import { givesRecord, type OrphanedCall, resultLine } from '../lines.ts'
import { digestOf } from './digest.ts'
import type { EntryState } from './past.ts'

/** The outcome of a row on its way into the ledger. It is plain JSON, so that it can wait in a spool. */
export interface PendingOutcome {
  readonly outcome: Outcome
  readonly at: string
  /** The run, its chunk and epoch in which the call went out. */
  readonly run: number
  /** The id of the run in lines. */
  readonly runId: string
  readonly chunk: number
  readonly epoch: number
  readonly source: number
  /** Of a call: its line in the intent log. */
  readonly intent?: string | undefined
}

export interface LineOf {
  readonly record: RecordType
  readonly describe: Describe
}

/** A row for the statements that write outcomes. */
export interface OutcomeRow {
  readonly name: Buffer
  readonly run: number
  readonly chunk: number
  readonly epoch: number
  readonly source: number
  readonly row: number
  readonly state: EntryState
  readonly status: string
  readonly line: string
  /** The digest of the record's id. */
  readonly record: Buffer | null
  /** The name in rejects files of a row that came back. */
  readonly replaced: Buffer | null
}

export function outcomeRow(pending: PendingOutcome, line: LineOf): OutcomeRow {
  const { outcome, at, run, runId, chunk, epoch, source } = pending
  const { identity, status } = outcome
  return {
    ...{ run, chunk, epoch, source, row: identity.row, status },
    name: digestOf(identity.key),
    state: stateOf(outcome),
    line: resultLine(outcome, { ...line, run: runId, at: new Date(at) }),
    record: 'recordId' in outcome ? digestOf(outcome.recordId.toLowerCase()) : null,
    replaced: identity.replaces === undefined ? null : digestOf(replacedName(identity)),
  }
}

const stateOf = (outcome: Outcome): EntryState =>
  givesRecord(outcome) ? 's' : outcome.status === 'in_doubt' ? 'd' : 'r'

/**
 * The outcome of a call whose record another row has: merged, where the service was asked for similar records. Otherwise the
 * answer may be that of another call, and the row is in doubt.
 */
export function withTakenRecord(
  pending: PendingOutcome,
  sameAs: RowPlace,
  useCreated: boolean,
): PendingOutcome {
  const { outcome, intent } = pending
  if (outcome.status !== 'created' && outcome.status !== 'existing') return pending
  if (useCreated) return { ...pending, outcome: { ...outcome, status: 'merged', sameAs } }
  const { recordId, notInAnswer: _, ...effort } = outcome
  const errors = [problem('record_id_taken', { recordId, ...sameAs })]
  const body = JSON.stringify((JSON.parse(intent ?? '{}') as Partial<OrphanedCall>).body ?? {})
  return { ...pending, outcome: { ...effort, status: 'in_doubt', fault: 'ambiguous', errors, body } }
}
