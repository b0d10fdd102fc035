// Takes every row through an import: read, triage, deliver, record. Begin at `runImportLoop`; `triage.ts` decides what to do with a row.

import type { StopReason } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import type { Outcome } from '../model/outcome.ts'
import { type Call, endOfSources, type PlannedCall, type Row, type RowIdentity } from '../model/row.ts'
import { type Stop, stopReasonOf } from '../model/stop.ts'
import { unreachable } from '../model/values.ts'
import { decideWaiting } from './decide-waiting.ts'
import { actOnDuplicate, type RowAction, type TriageContext, triage, triageIdentified } from './triage.ts'

export interface ImportSteps extends TriageContext {
  readonly batches: AsyncIterable<readonly Row[]>
  /** A run sends a call, unless it stops or another has its rows; a dry run predicts the outcome at once. */
  readonly delivery:
    | { readonly send: (call: Call) => Promise<Outcome | undefined> }
    | { readonly predict: (call: PlannedCall) => Outcome }
  /** Resolves with an outcome as it was recorded, once it is safe; undefined if there is nothing to write. */
  readonly record: (outcome: Outcome, row: Row) => Promise<Outcome> | undefined
  /** Most calls taken up at a time, whatever they wait for. */
  readonly mostCalls: number
  /** Most calls sent, with those that were sent before. */
  readonly limit: number | undefined
  readonly sentBefore: number
  /** Counts an outcome; returns the reason to stop once there is one. */
  readonly budget: (outcome: Outcome) => StopReason | undefined
  readonly stop: Stop
  readonly emit: (event: RunEvent) => void
}

/** Jobs under way, and the most at a time. */
interface Room {
  jobs: number
  readonly most: number
}

/** Outcomes without a call that may wait for the disk at a time. */
const mostBeingRecorded = 256

/** Imports all rows until the sources end or the run stops, for the reason in `stop`. Resolves when nothing is under way any more. */
export const runImportLoop = (steps: ImportSteps): Promise<void> => new ImportLoop(steps).run()

class ImportLoop {
  readonly #steps: ImportSteps
  readonly #calls: Room
  readonly #records: Room = { jobs: 0, most: mostBeingRecorded }
  /** Called when the next job ends. */
  #onEnd: (() => void)[] = []
  #sent: number

  constructor(steps: ImportSteps) {
    this.#steps = steps
    this.#sent = steps.sentBefore
    this.#calls = { jobs: 0, most: steps.mostCalls }
  }

  async run(): Promise<void> {
    try {
      this.#reportLimit()
      await this.#takeSources()
      do {
        await this.#takeWaiting()
        if (!this.#isOver) await this.#takeDeferred()
      } while (!this.#isOver && this.#waits)
    } catch (error) {
      this.#fail(error)
    } finally {
      while (this.#jobs > 0) await this.#nextEnd()
    }
  }

  get #jobs(): number {
    return this.#calls.jobs + this.#records.jobs
  }

  /** Starts a job: at once if there is room, else as soon as there is, and resolves then. An error of the job ends the run. */
  #start(room: Room, job: () => Promise<void>): Promise<void> | undefined {
    if (room.jobs >= room.most) return this.#nextEnd().then(() => this.#start(room, job))
    room.jobs += 1
    const noteEnd = () => {
      room.jobs -= 1
      for (const resume of this.#onEnd.splice(0)) resume()
    }
    void job()
      .catch(error => this.#fail(error))
      .finally(noteEnd)
    return undefined
  }

  /** Resolves when a job ends. */
  #nextEnd = (): Promise<void> => new Promise(resolve => this.#onEnd.push(resolve))

  get #isOver(): boolean {
    const { stop, limit = Infinity } = this.#steps
    return stop.reason !== undefined || this.#sent >= limit
  }

  #reportLimit(): void {
    const { limit, emit } = this.#steps
    if (limit !== undefined && this.#sent >= limit) emit({ type: 'limit_reached', limit })
  }

  #fail(error: unknown): void {
    this.#steps.stop.request(stopReasonOf(error))
  }

  /** Takes the rows of all sources in their order, and deferred rows as soon as they are ready. */
  async #takeSources(): Promise<void> {
    const { batches, deferred, emit, mapping, checkpoint } = this.#steps
    for await (const batch of batches) {
      if (this.#isOver) return
      emit({ type: 'batch', rows: batch.length })
      const identified = batch.map(row => ({ row, identity: mapping.identify(row) }))
      await checkpoint.load?.(identified.map(({ identity }) => identity))
      for (const { row, identity } of identified) {
        const taken = this.#act(row, triage(row, identity, this.#steps))
        if (taken !== undefined) await taken // a dry run has nothing to wait for
        if (deferred.count > 0) await this.#takeReady()
        if (this.#isOver) return
      }
    }
  }

  async #takeReady(): Promise<void> {
    while (!this.#isOver) {
      const next = this.#steps.deferred.next()
      if (next === undefined) return
      await this.#act(next.row, triageIdentified(next.row, next.identity, this.#steps))
    }
  }

  get #waits(): boolean {
    return (this.#steps.waiting?.count ?? 0) > 0
  }

  /** Takes the rows that waited for the end of the sources, once no call is under way: the log is read again. */
  async #takeWaiting(): Promise<void> {
    const { waiting } = this.#steps
    while (this.#waits && !this.#isOver && this.#jobs > 0) await this.#nextEnd()
    if (waiting === undefined || !this.#waits || this.#isOver) return
    for await (const { row, action } of decideWaiting(waiting, this.#steps)) {
      await this.#act(row, action)
      if (this.#isOver) return
    }
  }

  /** Takes the rows that are still deferred when the sources have ended; those that wait for each other are invalid. */
  async #takeDeferred(): Promise<void> {
    const { references, deferred } = this.#steps
    references?.complete()
    deferred.release(endOfSources)
    for (await this.#takeReady(); deferred.count > 0 && !this.#isOver; await this.#takeReady()) {
      if (this.#jobs > 0) await this.#nextEnd()
      else if (this.#waits) return
      else if (references !== undefined && references.giveUp === undefined) return
      else await this.#giveUpWaiting()
    }
  }

  async #giveUpWaiting(): Promise<void> {
    const { references, deferred } = this.#steps
    for (const number of deferred.awaited()) {
      references?.giveUp?.(number)
      deferred.release(number)
    }
    for (const { row, outcome } of deferred.takeCircles()) await this.#settle(outcome, row)
  }

  #act(row: Row, action: RowAction): Promise<void> | undefined {
    const { keys, deferred, waiting, references, emit } = this.#steps
    switch (action.type) {
      case 'skip':
        emit({ type: 'row_skipped' })
        this.#pass(action.identity)
        if (action.duplicate !== undefined) this.#settleReferences(action.duplicate)
        return undefined
      case 'settle':
        if (action.ownsKey) keys.register(action.outcome)
        else this.#pass(action.outcome.identity)
        return this.#settle(action.outcome, row)
      case 'send':
        keys.register(action.call)
        return this.#deliver(action.call, row)
      case 'wait':
        if (action.ownsKey) keys.register(action)
        waiting?.add({ row, ...action })
        return undefined
      case 'defer':
        this.#pass(action.identity)
        deferred.add({ row, ...action }, references?.numberOf(action.identity.key) ?? 0)
        return undefined
      default:
        return unreachable(action)
    }
  }

  /** Notes that a row came: one that the log knows is no row under another name then. */
  #pass(identity: RowIdentity): void {
    const { keys, checkpoint } = this.#steps
    if (keys.pass && checkpoint.get(identity.key, identity.hash) !== undefined) keys.pass(identity)
  }

  /** Delivers a call as soon as there is room, and records its outcome before the room is free again. */
  #deliver(call: PlannedCall, row: Row): Promise<void> | undefined {
    const { delivery, emit } = this.#steps
    emit({ type: 'call_started' })
    const delivered =
      'predict' in delivery
        ? this.#record(delivery.predict(call), row)
        : this.#start(this.#calls, async () => {
            const outcome = await delivery.send({ ...call, json: call.json ?? JSON.stringify(call.body) })
            if (outcome?.status === 'duplicate') await this.#act(row, actOnDuplicate(outcome, this.#steps))
            else if (outcome !== undefined) await this.#record(outcome, row)
          })
    this.#sent += 1
    this.#reportLimit()
    return delivered
  }

  /** Records the outcome of a row without a call; the next row need not wait for the disk. */
  #settle(outcome: Outcome, row: Row): Promise<void> | undefined {
    const recording = this.#record(outcome, row)
    recording?.catch(() => {}) // it may fail while the pool has no room, and is reported once it has
    return recording && this.#start(this.#records, () => recording)
  }

  /** Records an outcome; it counts once it is safe. */
  #record(settled: Outcome, row: Row): Promise<void> | undefined {
    const { budget, checkpoint, stop, record } = this.#steps
    const outcome = checkpoint.hasRefusal(settled) ? ({ ...settled, known: true } as Outcome) : settled
    const reason = budget(outcome)
    if (reason !== undefined) stop.request(reason)
    const recording = record(outcome, row)
    if (recording !== undefined) return recording.then(recorded => this.#count(recorded))
    this.#count(outcome)
    return undefined
  }

  #count(outcome: Outcome): void {
    this.#steps.emit({ type: 'row_settled', outcome })
    this.#settleReferences(outcome)
  }

  #settleReferences(outcome: Outcome): void {
    const { references, deferred } = this.#steps
    references?.settle(outcome)
    if (references) deferred.release(references.numberOf(outcome.identity.key))
  }
}
