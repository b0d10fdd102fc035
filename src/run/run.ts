import { ulid } from 'ulid'
import { DeferredRows } from '../engine/deferred-rows.ts'
import { importRows } from '../engine/import-loop.ts'
import { KeyRegistry } from '../engine/key-registry.ts'
import { rowsOfAll } from '../input/open.ts'
import type { RowReferences } from '../mapping/lookups/row-references.ts'
import { stopReasonOf } from '../model/stop.ts'
import type { RunResult } from '../result/run-result.ts'
import { Checkpoint, replay } from '../store/files/checkpoint.ts'
import type { Lock } from '../store/files/lock.ts'
import { keysOfRecords } from '../store/files/result-log.ts'
import { type Delivery, type OutcomeSink, type RunPorts, teeSinks } from './delivery.ts'
import { endOf } from './import-end.ts'
import { closeAll, mayHoldRejects, openRejects, type RunContext, stepsOf } from './import-steps.ts'
import { checkLogIdentity, logIdentity } from './log-identity.ts'
import { readLogOf } from './log-place.ts'
import { holderOf } from './ports.ts'
import { checkApproved, fileOf, type PreparedImport } from './prepare.ts'
import { buildReferences, provideReferences, readAhead } from './row-references.ts'

/** Runs an import and closes its files. Throws a UsageError, SourceError, LockError or LogError if it sent nothing. */
export async function run(prepared: PreparedImport, ports: RunPorts = {}): Promise<RunResult> {
  const { mapping, sources, options, store, tally, readSteps } = prepared
  await readSteps()
  const { stop, ports: outside } = prepared
  const unlisten = outside.onSignal?.(signal => stop.request({ code: 'signal', params: { signal } }))
  await Promise.resolve(options.service?.token.begin(stop.signal)).finally(unlisten)
  if (store !== undefined && options.service !== undefined) return store.work(prepared, ports)
  const index = buildReferences(mapping, options.results ?? 'the result log')
  if (index !== undefined) await readAhead(index, mapping, sources, prepared.ports.emit)
  const { context, rejects, startedMs } = await runLocked(prepared, index, ports)
  const durationMs = prepared.ports.clock.now().getTime() - startedMs
  const log = fileOf(options.results)
  const records = tally.mergedRows.map(({ recordId }) => recordId)
  const firstKeys = log && records.length > 0 ? keysOfRecords(log, records) : undefined
  const { runId, checkpoint } = context
  const { lastRows, callMs } = checkpoint
  return endOf(prepared, {
    ...{ run: runId, lastRows, callMs, duration_ms: durationMs, judged: tally },
    in_doubt_total: checkpoint.inDoubt + tally.newDoubts - tally.settledDoubts,
    rejects: rejects?.written(),
    firstKeys: await firstKeys?.catch(() => undefined), // the run is over, and its end is not that of this reading
  })
}

/** Runs under the lock; closes all that it opened. */
async function runLocked(
  prepared: PreparedImport,
  index: RowReferences | undefined,
  { sinks = [], onStart = () => () => {} }: RunPorts,
) {
  const runId = ulid()
  await using lock = await lockLog(prepared, runId)
  const context: RunContext = { runId, prepared, checkpoint: await replayLog(prepared, index), lock }
  await using rejects = await openRejects(prepared)
  const delivery = await openDelivery(context)
  const startedMs = prepared.ports.clock.now().getTime()
  const onEnd = onStart()
  await importAll(context, delivery, index, [rejects ?? [], sinks].flat()).finally(onEnd)
  return { context, rejects, startedMs }
}

/** Undefined if the run sends nothing or has no log file. */
async function lockLog(
  { options, settings, ports, stop }: PreparedImport,
  runId: string,
): Promise<(Lock & AsyncDisposable) | undefined> {
  const path = fileOf(options.results)
  if (options.service === undefined || path === undefined) return undefined
  const { lockLog } = await import('../store/files/lock.ts') // a dry run needs none
  const lock = await lockLog(path, {
    holder: holderOf(runId, ports),
    clock: ports.clock,
    timeoutMs: settings.lockTimeout * 1000,
    onWait: holder => ports.emit({ type: 'lock_watched', holder }),
    onLost: error => stop.request(stopReasonOf(error)),
  })
  return { ...lock, [Symbol.asyncDispose]: lock.release }
}

async function replayLog(prepared: PreparedImport, index: RowReferences | undefined): Promise<Checkpoint> {
  const { options, settings, mapping, sources, ports, store } = prepared
  const place = { ...settings, store, results: fileOf(options.results) }
  await checkApproved([prepared]) // under the lock: another run may have come in between
  const checkpoint = await readLogOf(place, ports, async path => {
    const found = await replay(
      path,
      { records: options.service !== undefined, content: mayHoldRejects(sources) },
      ({ line, number }) => index?.addLine(line, number),
    )
    checkLogIdentity(settings.import ?? path, found.opening, logIdentity(mapping, options))
    return found
  })
  for (const doubt of checkpoint?.orphans ?? []) index?.addLine(doubt)
  return checkpoint ?? new Checkpoint()
}

/** A dry run does not load what sends. */
async function openDelivery(context: RunContext): Promise<Delivery> {
  const { service } = context.prepared.options
  if (service === undefined) return (await import('./predict.ts')).predictDelivery(context)
  return (await import('./deliver.ts')).sendDelivery(context, service)
}

async function importAll(
  context: RunContext,
  delivery: Delivery,
  index: RowReferences | undefined,
  sinks: readonly OutcomeSink[],
): Promise<void> {
  const { prepared, checkpoint } = context
  const { options, settings, mapping, stop, sources } = prepared
  const references = index && provideReferences(index, mapping, sources)
  const needsFullIdentity =
    options.service !== undefined ||
    settings.preview !== undefined ||
    checkpoint.opening !== undefined ||
    references !== undefined ||
    sinks.length > 0
  await importRows({
    ...stepsOf(prepared, needsFullIdentity ? 'full' : 'own_keys', checkpoint.callMs),
    delivery: delivery.delivery,
    record: teeSinks(delivery.record, sinks),
    batches: rowsOfAll(sources),
    checkpoint,
    keys: new KeyRegistry(mayHoldRejects(sources)),
    references,
    deferred: new DeferredRows(),
    limit: settings.limit,
    sentBefore: prepared.approval?.sentBefore() ?? 0,
  })
  await closeAll([delivery, ...sinks], stop)
}
