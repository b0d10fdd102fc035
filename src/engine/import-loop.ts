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
  /** Finds the end of a row that needs no call, because the service has its record already or may have it. */
  readonly existing?: ((call: PlannedCall) => Outcome | undefined) | undefined
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

/** Outcomes without a call that may wait for the disk at a time. */
const mostBeingRecorded = 256

/** Imports all rows until the sources end or the run stops, for the reason in `stop`. Resolves when nothing is under way any more. */
export async function runImportLoop(steps: ImportSteps): Promise<void> {
  const { batches, delivery, record, limit, budget, stop, emit } = steps
  const { mapping, checkpoint, keys, references, deferred, waiting } = steps
  /** Jobs under way, and the most at a time. */
  const calls = { jobs: 0, most: steps.mostCalls }
  const records = { jobs: 0, most: mostBeingRecorded }
  /** Called when the next job ends. */
  const onEnd: (() => void)[] = []
  let sent = steps.sentBefore

  const jobs = () => calls.jobs + records.jobs
  const waits = () => waiting !== undefined && waiting.count > 0
  const isOver = () => stop.reason !== undefined || (limit !== undefined && sent >= limit)
  const fail = (error: unknown) => stop.request(stopReasonOf(error))
  const nextEnd = () => new Promise<void>(resolve => onEnd.push(resolve))

  /** Starts a job: at once if there is room, else as soon as there is, and resolves then. An error of the job ends the run. */
  function start(room: typeof calls, job: () => Promise<void>): Promise<void> | undefined {
    if (room.jobs >= room.most) return nextEnd().then(() => start(room, job))
    room.jobs += 1
    const noteEnd = () => {
      room.jobs -= 1
      for (const resume of onEnd.splice(0)) resume()
    }
    void job().catch(fail).finally(noteEnd)
    return undefined
  }

  function reportLimit(): void {
    if (limit !== undefined && sent >= limit) emit({ type: 'limit_reached', limit })
  }

  /** Takes the rows of all sources in their order, and deferred rows as soon as they are ready. */
  async function takeSources(): Promise<void> {
    for await (const batch of batches) {
      if (isOver()) return
      emit({ type: 'batch', rows: batch.length })
      const identified = batch.map(row => ({ row, identity: mapping.identify(row) }))
      await checkpoint.load?.(identified.map(({ identity }) => identity))
      for (const { row, identity } of identified) {
        const taken = act(row, triage(row, identity, steps))
        if (taken !== undefined) await taken // a dry run has nothing to wait for
        if (deferred.count > 0) await takeReady()
        if (isOver()) return
      }
    }
  }

  async function takeReady(): Promise<void> {
    while (!isOver()) {
      const next = deferred.next()
      if (next === undefined) return
      await act(next.row, triageIdentified(next.row, next.identity, steps))
    }
  }

  /** Takes the rows that waited for the end of the sources, once no call is under way: the log is read again. */
  async function takeWaiting(): Promise<void> {
    while (waits() && !isOver() && jobs() > 0) await nextEnd()
    if (waiting === undefined || !waits() || isOver()) return
    for await (const { row, action } of decideWaiting(waiting, steps)) {
      await act(row, action)
      if (isOver()) return
    }
  }

  /** Takes the rows that are still deferred when the sources have ended; those that wait for each other are invalid. */
  async function takeDeferred(): Promise<void> {
    references?.complete()
    deferred.release(endOfSources)
    for (await takeReady(); deferred.count > 0 && !isOver(); await takeReady()) {
      if (jobs() > 0) await nextEnd()
      else if (waits()) return
      else if (references !== undefined && references.giveUp === undefined) return
      else await giveUpWaiting()
    }
  }

  async function giveUpWaiting(): Promise<void> {
    for (const number of deferred.awaited()) {
      references?.giveUp?.(number)
      deferred.release(number)
    }
    for (const { row, outcome } of deferred.takeCircles()) await settle(outcome, row)
  }

  function act(row: Row, action: RowAction): Promise<void> | undefined {
    switch (action.type) {
      case 'skip':
        emit({ type: 'row_skipped' })
        pass(action.identity)
        if (action.duplicate !== undefined) settleReferences(action.duplicate)
        return undefined
      case 'settle':
        if (action.ownsKey) keys.register(action.outcome)
        else pass(action.outcome.identity)
        return settle(action.outcome, row)
      case 'send':
        keys.register(action.call)
        return deliver(action.call, row)
      case 'wait':
        if (action.ownsKey) keys.register(action)
        waiting?.add({ row, ...action })
        return undefined
      case 'defer':
        pass(action.identity)
        deferred.add({ row, ...action }, references?.numberOf(action.identity.key) ?? 0)
        return undefined
      default:
        return unreachable(action)
    }
  }

  /** Notes that a row came: one that the log knows is no row under another name then. */
  function pass(identity: RowIdentity): void {
    if (keys.pass && checkpoint.get(identity.key, identity.hash) !== undefined) keys.pass(identity)
  }

  /** Delivers a call as soon as there is room, and records its outcome before the room is free again. */
  function deliver(call: PlannedCall, row: Row): Promise<void> | undefined {
    const existing = steps.existing?.(call)
    if (existing !== undefined) return settle(existing, row)
    emit({ type: 'call_started' })
    const delivered =
      'predict' in delivery
        ? keep(delivery.predict(call), row)
        : start(calls, async () => {
            const outcome = await delivery.send({ ...call, json: call.json ?? JSON.stringify(call.body) })
            if (outcome?.status === 'duplicate') await act(row, actOnDuplicate(outcome, steps))
            else if (outcome !== undefined) await keep(outcome, row)
          })
    sent += 1
    reportLimit()
    return delivered
  }

  /** Records the outcome of a row without a call; the next row need not wait for the disk. */
  function settle(outcome: Outcome, row: Row): Promise<void> | undefined {
    const recording = keep(outcome, row)
    recording?.catch(() => {}) // it may fail while the pool has no room, and is reported once it has
    return recording && start(records, () => recording)
  }

  /** Records an outcome; it counts once it is safe. */
  function keep(settled: Outcome, row: Row): Promise<void> | undefined {
    const outcome = checkpoint.hasRefusal(settled) ? ({ ...settled, known: true } as Outcome) : settled
    const reason = budget(outcome)
    if (reason !== undefined) stop.request(reason)
    const recording = record(outcome, row)
    if (recording !== undefined) return recording.then(count)
    count(outcome)
    return undefined
  }

  function count(outcome: Outcome): void {
    emit({ type: 'row_settled', outcome })
    settleReferences(outcome)
  }

  function settleReferences(outcome: Outcome): void {
    if (references === undefined) return
    references.settle(outcome)
    deferred.release(references.numberOf(outcome.identity.key))
  }

  try {
    reportLimit()
    await takeSources()
    do {
      await takeWaiting()
      if (!isOver()) await takeDeferred()
    } while (!isOver() && waits())
  } catch (error) {
    fail(error)
  } finally {
    while (jobs() > 0) await nextEnd()
    waiting?.clear()
  }
}
