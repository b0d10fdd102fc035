import type { ImportSteps } from '../engine/import-loop.ts'
import { isPacked } from '../input/source.ts'
import type { Identify } from '../mapping/identity.ts'
import { keyColumn } from '../model/content-key.ts'
import type { Estimate, RunEvent } from '../model/events.ts'
import { isOver, type RowsOrShare, textOfLimit } from '../model/expectations.ts'
import type { PlannedCall, Row } from '../model/row.ts'
import { type Stop, stopReasonOf } from '../model/stop.ts'
import type { Checkpoint } from '../store/files/checkpoint.ts'
import type { Opening } from '../store/files/lines.ts'
import type { Lock } from '../store/files/lock.ts'
import type { OutcomeSink, PreparedImport } from './prepared-import.ts'

/** A run that holds its lock and knows the state that earlier runs left. */
export interface RunContext {
  readonly runId: string
  readonly prepared: PreparedImport
  readonly checkpoint: Checkpoint
  /** Undefined if there is no result log to append to. */
  readonly lock: Lock | undefined
  /** What the opening line keeps of the first rows. */
  readonly opening: Partial<Opening>
}

/** The step in which a dry run differs: the end of a call, and the place of its record. */
export interface Delivery extends Pick<ImportSteps, 'delivery' | 'record'> {
  close(): Promise<void>
}

/** Records each outcome, then hands it to all sinks. */
export function teeSinks(first: ImportSteps['record'], sinks: readonly OutcomeSink[]): ImportSteps['record'] {
  if (sinks.length === 0) return first
  const others: ImportSteps['record'] = (outcome, row) => {
    const waits = sinks.flatMap(({ keep }) => keep(outcome, row) ?? [])
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => outcome)
  }
  return (outcome, row) => {
    const recording = first(outcome, row)
    if (recording === undefined) return others(outcome, row)
    return recording.then(recorded => others(recorded, row) ?? recorded)
  }
}

/** Values that are the same for all rows of an import, whatever its store. Without a checkpoint the store claims records itself. */
export function stepsOf(prepared: PreparedImport, identify: Identify, checkpoint?: Checkpoint) {
  const { options, settings, mapping, stop, ports, tally, existing } = prepared
  const { expect = {} } = mapping
  const { callMs, claimRecord = () => undefined } = checkpoint ?? {}
  return {
    mapping: {
      identify,
      isDistinct: mapping.isDistinct,
      selects: (row: Row) => mapping.selects(row),
      map: (row: Row) => mapping.map(row),
      compare: prepared.comparison?.compare,
    },
    existing: existing && ((call: PlannedCall) => existing.find(call, claimRecord)),
    inDoubt: options.inDoubt,
    mapsUnchanged:
      (settings.expectOmitted ?? expect.omitted ?? settings.expectKept ?? expect.kept) !== undefined,
    respelled: settings.respelled ?? (mapping.respelled && ('new_contents' as const)),
    hashesBodies: options.service !== undefined,
    mostCalls: settings.concurrency * 2, // some wait for their next attempt or for the disk
    budget: failureBudget(settings.maxFailures),
    limit: settings.limit,
    stop,
    emit(event: RunEvent) {
      if (event.type === 'call_started' && tally.sent === 0 && options.service !== undefined)
        ports.emit({ type: 'estimated', atMs: ports.clock.elapsedMs(), ...estimateOf(prepared, callMs) })
      ports.emit(event)
    },
  }
}

export async function closeAll(all: readonly { close(): Promise<void> }[], stop: Stop): Promise<void> {
  for (const each of all) await each.close().catch(error => stop.request(stopReasonOf(error)))
}

/** The number of calls to come, and the values that their duration depends on. The length of packed sources and pipes is unknown. */
export function estimateOf(prepared: PreparedImport, callMs: number | undefined): Estimate {
  const { options, settings, sources, tally, totalBytes } = prepared
  const { concurrency, rate, limit = Infinity } = settings
  const pace = { callMs, concurrency, rate }
  if (options.service === undefined) return { calls: tally.ends.valid, extent: 'exact', ...pace }
  const isKnown = totalBytes !== undefined && !sources.some(({ path }) => isPacked(path))
  const calls = Math.min(isKnown ? tally.rowsLeft(totalBytes) : Infinity, limit)
  return Number.isFinite(calls)
    ? { calls, extent: 'most', ...pace }
    : { calls: 1000, extent: 'each', ...pace }
}

/** Checks if rows may come from a rejects file; without a header this is unknown before they are read. */
export const mayHoldRejects = (sources: PreparedImport['sources']) =>
  sources.some(({ columns }) => columns === undefined || columns.includes(keyColumn))

/** A share says nothing of fewer rows. */
const rowsBeforeShare = 100

/** Limits how many rows may fail: a number, or a share of the rows settled so far. */
export function failureBudget(allowed: RowsOrShare | undefined): ImportSteps['budget'] {
  let rows = 0
  let failures = 0
  return ({ status, known }) => {
    rows += 1
    const isFailure = status === 'invalid' || status === 'failed' || status === 'in_doubt'
    if (isFailure && !known) failures += 1
    if (allowed === undefined || !isOver(failures, allowed, rows)) return undefined
    if ('percent' in allowed && rows < rowsBeforeShare) return undefined
    return { code: 'too_many_failures', params: { failures, allowed: textOfLimit(allowed) } }
  }
}
