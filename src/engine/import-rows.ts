import type { RunEvent } from '../model/events.ts'
import {
  type Call,
  type Delivered,
  type Ending,
  endOfSources,
  type Origin,
  type Outcome,
  type Row,
} from '../model/row.ts'
import { type Stop, stopReasonOf } from '../model/stop.ts'
import { unreachable } from '../model/values.ts'
import { decide, decideNamed, type Ended, type Fate, refused } from './decide.ts'
import type { Deciding } from './deciding.ts'
import type { FailureBudget } from './failure-budget.ts'
import { JobPool } from './job-pool.ts'

/** What an import is made of: each part is a step of the way that every row goes. */
export interface Import extends Deciding {
  /** The rows of all sources in their order, in batches. */
  readonly batches: AsyncIterable<readonly Row[]>
  /** What is done with a call: a run sends it, a dry run says at once what would be sent. */
  readonly delivery:
    | { readonly send: (call: Call) => Promise<Delivered> }
    | { readonly predict: (call: Call) => Delivered }
  /** Keeps an outcome, and what was read; resolves when it is safe, undefined where there is nothing to keep. */
  readonly record: (outcome: Outcome, row: Row) => Promise<void> | undefined
  /** The line of the result log with which an earlier run got this record from the service. */
  readonly recordLine: (recordId: string) => number | undefined
  /** Whether the service may answer with a record that was there before (interface 4.1). */
  readonly findsSimilar: boolean
  /** Most calls that are taken up at a time, whatever they wait for. */
  readonly mostCalls: number
  /** Most calls sent. */
  readonly limit: number | undefined
  readonly budget: FailureBudget
  readonly stop: Stop
  readonly tell: (event: RunEvent) => void
}

/** Outcomes without a call that may wait for the disk at a time. */
const mostBeingRecorded = 256

/**
 * Reads, decides, delivers and records every row, until the sources end or the run is stopped; the reason to stop
 * stands in `stop`. Resolves when nothing is under way any more.
 */
export async function importRows(job: Import): Promise<void> {
  const onFailure = (error: unknown) => job.stop.request(stopReasonOf(error))
  const calls = new JobPool(job.mostCalls, onFailure)
  const records = new JobPool(mostBeingRecorded, onFailure)
  const taking = takingOf(job, sendStep(job, calls), keepStep(job, records))
  try {
    await takeSources(job, taking)
    await takeWaiting(job, taking, [calls, records])
  } catch (error) {
    onFailure(error)
  } finally {
    await calls.drained()
    await records.drained()
  }
}

/** What is done with each row once its fate is known. */
interface Taking {
  take(fate: Fate): Promise<void> | undefined
  /** Takes up the rows that have waited long enough. */
  takeReady(): Promise<void>
  /** Whether the run was stopped, or has sent as much as it may. */
  isOver(): boolean
}

function takingOf(job: Import, send: Step<Planned>, keep: Step<Ended>): Taking {
  const { waiting, relations } = job
  let sent = 0
  const isOver = () => job.stop.reason !== undefined || sent === job.limit
  const take = (fate: Fate): Promise<void> | undefined => {
    switch (fate.is) {
      case 'left_out':
        return void job.tell({ type: 'row_skipped' })
      case 'ended':
        return keep(fate)
      case 'waits':
        return void waiting.add(fate, relations?.numberOf(fate.origin.key) ?? 0)
      case 'to_send': {
        const sending = send(fate)
        sent += 1
        if (sent === job.limit) job.tell({ type: 'limit_reached', limit: sent })
        return sending
      }
      default:
        return unreachable(fate)
    }
  }
  return {
    take,
    isOver,
    async takeReady() {
      while (!isOver()) {
        const next = waiting.next()
        if (next === undefined) return
        await take(decideNamed(next.row, next.origin, job))
      }
    },
  }
}

/** Takes the rows of all sources in their order, and those that waited as soon as they can be taken up. */
async function takeSources(job: Import, { take, takeReady, isOver }: Taking): Promise<void> {
  for await (const batch of job.batches) {
    if (isOver()) return
    job.tell({ type: 'batch', rows: batch.length })
    for (const row of batch) {
      const taken = take(decide(row, job))
      if (taken !== undefined) await taken // a dry run has nothing to wait for
      if (job.waiting.count > 0) await takeReady()
      if (isOver()) return
    }
  }
}

/** Takes the rows that still wait when the sources have ended; those that wait for each other come to nothing. */
async function takeWaiting(
  job: Import,
  { take, takeReady, isOver }: Taking,
  pools: readonly JobPool[],
): Promise<void> {
  const { waiting, relations } = job
  if (isOver()) return
  relations?.complete()
  waiting.release(endOfSources)
  for (await takeReady(); waiting.count > 0 && !isOver(); await takeReady()) {
    const busy = pools.filter(pool => !pool.isIdle)
    if (busy.length > 0) {
      await Promise.race(busy.map(pool => pool.nextEnd()))
      continue
    }
    for (const number of waiting.awaited()) {
      relations?.giveUp(number)
      waiting.release(number)
    }
    for (const { row, errors } of waiting.takeCircles())
      await take({ is: 'ended', ...refused(row, errors, job.past) })
  }
}

/** A call, and the row that it was made of. */
type Planned = Extract<Fate, { is: 'to_send' }>

type Step<T> = (value: T) => Promise<void> | undefined

/** Delivers a call as soon as a slot is free, and keeps its outcome before the slot is free again. */
function sendStep(job: Import, calls: JobPool): Step<Planned> {
  const settle = ({ call, row }: Planned, delivered: Delivered) => {
    if (delivered.status === 'unsent') return undefined
    const { origin, before } = call
    return kept(job, { row, origin, end: recognized(job, origin, delivered), before })
  }
  const { delivery } = job
  return planned => {
    job.tell({ type: 'call_started' })
    if ('predict' in delivery) return settle(planned, delivery.predict(planned.call))
    return calls.start(async () => settle(planned, await delivery.send(planned.call)))
  }
}

/** Keeps the outcome of a row that needed no call; the next row need not wait for the disk. */
function keepStep(job: Import, records: JobPool): Step<Ended> {
  return ended => {
    const keeping = kept(job, ended)
    keeping?.catch(() => {}) // it may fail while it has no place yet, and is told once it has
    return keeping && records.start(() => keeping)
  }
}

/** Records an outcome, and lets it count once it is safe. */
function kept(job: Import, { row, origin, end, before }: Ended): Promise<void> | undefined {
  const outcome = { origin, end }
  const count = () => {
    job.tell({ type: 'row_settled', outcome, before })
    job.relations?.settle(outcome.origin, outcome.end)
    if (job.relations) job.waiting.release(job.relations.numberOf(outcome.origin.key))
  }
  const reason = job.budget.take(outcome.end)
  if (reason !== undefined) job.stop.request(reason)
  const recording = job.record(outcome, row)
  if (recording !== undefined) return recording.then(count)
  count()
  return undefined
}

/** A record that this import has seen before was not made for this row: the service took two rows for the same contact. */
function recognized(job: Import, origin: Origin, end: Exclude<Delivered, { status: 'unsent' }>): Ending {
  if (!job.findsSimilar || (end.status !== 'created' && end.status !== 'existing')) return end
  const logLine = job.recordLine(end.recordId)
  const first =
    job.ledger.noteRecord(end.recordId, origin) ?? (logLine === undefined ? undefined : { logLine })
  if (first === undefined) return end
  job.tell({ type: 'merged', recordId: end.recordId, first, second: origin })
  return { ...end, status: 'existing' }
}
