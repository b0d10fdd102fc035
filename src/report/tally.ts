import { lineErrors } from '../journal/lines.ts'
import { isRepeated } from '../model/content-key.ts'
import type { StopReason } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import { isKnown, type Merged, type Outcome } from '../model/outcome.ts'
import type { RowIdentity } from '../model/row.ts'
import { Losses } from './losses.ts'
import { Reasons } from './reasons.ts'
import { describeProblem } from './words.ts'

const mostCounted = 1000
const mostMerged = 10

/** The outcomes of rows that were not looked at again. */
const untried: ReadonlySet<Outcome['status']> = new Set(['duplicate', 'done', 'held'])

/** Counts the events of a run, in bounded memory. */
export class Tally {
  readonly ends: Record<Outcome['status'], number> = {
    created: 0,
    existing: 0,
    merged: 0,
    duplicate: 0,
    invalid: 0,
    failed: 0,
    in_doubt: 0,
    done: 0,
    held: 0,
    valid: 0,
  }
  leftOut = 0
  sent = 0
  /** When the first call started, and how far the run was then. */
  beforeCalls: { readonly atMs: number; readonly rows: number; readonly bytes: number } | undefined
  retries = 0
  throttled = 0
  /** How many calls may be in flight, and the most that may ever be; undefined where nothing is sent. */
  pace: { readonly atOnce: number; readonly most: number } | undefined
  /** For how long no call starts, and whether the service asked for that; undefined while calls start. */
  held: { readonly forMs: number; readonly asked: boolean } | undefined
  /** Rows from a rejects file. */
  returned = 0
  /** Rows without a key that equal an earlier one and are records of their own, and the first of them. */
  readonly equal: { rows: number; first?: RowIdentity } = { rows: 0 }
  /** Rows that an earlier run created and that have changed since. */
  changed = 0
  /** Rows that earlier runs refused, or left in doubt, and this one tried again. */
  triedAgain = 0
  /** Calls that were under way when an earlier run was killed. */
  abandoned = 0
  /** Rows that earlier runs left in doubt and this one settled. */
  settledDoubts = 0
  newDoubts = 0
  /** Rows that are invalid or failed as in an earlier run, and read the same. */
  readonly known = { invalid: 0, failed: 0 }
  /** The first of them. */
  readonly mergedRows: Merged[] = []
  readonly losses = new Losses()
  /** Bytes that were read, and the batch that the rows in flight came from. */
  #bytesRead = 0
  #batch = { from: 0, to: 0, rowsBefore: 0, rows: 0 }
  readonly reasons = new Reasons()
  readonly #differences = new Map<string, number>()
  limitReached: number | undefined
  stopReason: StopReason | undefined

  /** Rows that ended, including those that `where` left out. */
  get rows(): number {
    return this.leftOut + Object.values(this.ends).reduce((sum, count) => sum + count, 0)
  }

  /** How often answers differ from the documented record, by difference; fields that were sent are told as lacking. */
  get differences(): ReadonlyMap<string, number> {
    const { notInAnswer } = this.losses.counts()
    return new Map(
      [...this.#differences].filter(([what]) => !Object.hasOwn(notInAnswer, what.split(' ', 1)[0] ?? '')),
    )
  }

  /** About how many bytes of the sources are done. */
  get bytesDone(): number {
    const { from, to, rowsBefore, rows } = this.#batch
    const share = rows === 0 ? 1 : Math.min(1, (this.rows - rowsBefore) / rows)
    return from + (to - from) * share
  }

  /** About how many rows are still to come, by the bytes of a row so far; CSV holds back the last row of a batch. */
  rowsLeft(totalBytes: number): number {
    const { to, rowsBefore, rows } = this.#batch
    return Math.ceil(((totalBytes - this.bytesDone) * (rowsBefore + rows)) / to) + 1
  }

  static sumOf(tallies: readonly Tally[]): Tally {
    const sum = new Tally()
    for (const { ends, known, leftOut, changed, retries, throttled } of tallies) {
      for (const end of Object.keys(ends) as Outcome['status'][]) sum.ends[end] += ends[end]
      sum.known.invalid += known.invalid
      sum.known.failed += known.failed
      sum.leftOut += leftOut
      sum.changed += changed
      sum.retries += retries
      sum.throttled += throttled
    }
    return sum
  }

  take(event: RunEvent): void {
    switch (event.type) {
      case 'orphaned_calls':
        this.abandoned = event.calls
        break
      case 'row_skipped':
        this.leftOut += 1
        break
      case 'call_started':
        this.sent += 1
        break
      case 'estimated':
        this.beforeCalls = { atMs: event.atMs, rows: this.rows, bytes: this.bytesDone }
        break
      case 'row_settled':
        this.#takeOutcome(event.outcome)
        break
      case 'retry':
        this.retries += 1
        if (event.fault === 'throttled') this.throttled += 1
        break
      case 'concurrency':
        this.pace = event
        break
      case 'hold':
        this.held = event
        break
      case 'service_down':
        this.held = { ...event, asked: false }
        break
      case 'service_back':
      case 'resumed':
        this.held = undefined
        break
      case 'answer_differs':
        for (const difference of event.differences) this.#count(this.#differences, difference)
        break
      case 'bytes_read':
        this.#bytesRead += event.bytes
        break
      case 'batch':
        if (event.rows > 0)
          this.#batch = { from: this.#batch.to, to: this.#bytesRead, rowsBefore: this.rows, rows: event.rows }
        break
      case 'limit_reached':
        this.limitReached = event.limit
        break
      case 'stopping':
        this.stopReason = event.reason
    }
  }

  #takeOutcome(outcome: Outcome): void {
    const { status, before, identity } = outcome
    this.ends[status] += 1
    const wasInDoubt = before === 'in_doubt'
    if (before !== undefined && !untried.has(status)) this.triedAgain += 1
    if ((status === 'valid' || status === 'created') && isRepeated(identity.key)) {
      this.equal.rows += 1
      this.equal.first ??= identity
    }
    if (identity.replaces !== undefined) this.returned += 1
    if (wasInDoubt && 'recordId' in outcome) this.settledDoubts += 1
    if (!wasInDoubt && status === 'in_doubt') this.newDoubts += 1
    if (outcome.status === 'done' && outcome.changed) this.changed += 1
    if (outcome.status === 'merged' && this.mergedRows.length < mostMerged) this.mergedRows.push(outcome)
    if (isKnown(outcome)) this.known[outcome.status === 'invalid' ? 'invalid' : 'failed'] += 1
    if ('errors' in outcome) this.#addReasons(outcome)
    if ('omitted' in outcome || 'notInAnswer' in outcome)
      this.losses.add(outcome.identity, outcome.omitted, 'notInAnswer' in outcome ? outcome.notInAnswer : [])
  }

  #addReasons(outcome: Extract<Outcome, { status: 'invalid' | 'failed' | 'in_doubt' }>): void {
    const { status, identity, errors } = outcome
    const httpStatus = status === 'invalid' ? undefined : outcome.httpStatus
    this.reasons.add({ status, httpStatus, identity, errors: lineErrors(errors, describeProblem) })
  }

  #count(counts: Map<string, number>, name: string): void {
    if (counts.has(name) || counts.size < mostCounted) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
}
