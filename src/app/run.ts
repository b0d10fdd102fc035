import { ulid } from 'ulid'
import { DeferredRows } from '../engine/deferred-rows.ts'
import { FailureBudget } from '../engine/failure-budget.ts'
import { importRows } from '../engine/import-loop.ts'
import { KeyRegistry } from '../engine/key-registry.ts'
import { rowsOfAll } from '../input/open.ts'
import { isGzip } from '../input/source.ts'
import { Checkpoint, replay } from '../journal/checkpoint.ts'
import type { Lock } from '../journal/lock.ts'
import { keysOfRecords } from '../journal/result-log.ts'
import type { ReferenceIndex } from '../mapping/lookups/row-references.ts'
import type { Estimate } from '../model/events.ts'
import { keyColumn } from '../model/reserved-columns.ts'
import { stopReasonOf } from '../model/stop.ts'
import type { About } from '../report/command-end.ts'
import type { RunFacts } from '../report/summary.ts'
import { type Delivery, type OutcomeSink, type RunContext, teeSinks } from './delivery.ts'
import { exitCodeOf } from './exit-code.ts'
import { judge } from './expectations.ts'
import { checkLogIdentity, logIdentity } from './log-identity.ts'
import { holderOf } from './ports.ts'
import { fileOf, headersOf, type PreparedImport } from './prepare.ts'
import type { RejectsSink } from './rejects.ts'
import { buildReferences, provideReferences, readAhead } from './row-references.ts'

export interface RunPorts {
  /** They take every outcome once the result log has it. */
  readonly sinks?: readonly OutcomeSink[]
  /** Called before the first row is taken; returns what to call after the last one. */
  readonly onStart?: () => () => void
}

export interface ImportEnd extends RunFacts {
  readonly exitCode: number
  readonly about: About
  readonly resendsDoubts: boolean
}

/** Runs an import and closes its files. Throws a UsageError, SourceError, LockError or LogError if it sent nothing. */
export async function run(prepared: PreparedImport, ports: RunPorts = {}): Promise<ImportEnd> {
  const { mapping, sources, options, readSteps } = prepared
  await readSteps()
  const index = buildReferences(mapping, options.results ?? 'the result log')
  if (index !== undefined) await readAhead(index, mapping, sources, prepared.ports.emit)
  const { context, rejects, startedMs } = await runLocked(prepared, index, ports)
  const durationMs = prepared.ports.clock.now().getTime() - startedMs
  const log = fileOf(options.results)
  const records = prepared.tally.mergedRows.map(({ recordId }) => recordId)
  const firstKeys = log && records.length > 0 ? keysOfRecords(log, records) : undefined
  return endOf(context, {
    durationMs,
    rejects: rejects?.written(),
    firstKeys: await firstKeys?.catch(() => undefined), // the run is over, and its end is not that of this reading
  })
}

/** Runs under the lock; closes all that it opened. */
async function runLocked(
  prepared: PreparedImport,
  index: ReferenceIndex | undefined,
  { sinks = [], onStart = () => () => {} }: RunPorts,
) {
  const runId = ulid()
  await using lock = await lockLog(prepared, runId)
  const context: RunContext = { runId, prepared, checkpoint: await replayLog(prepared, index), lock }
  await using rejects = await openRejects(context)
  const delivery = await openDelivery(context)
  const startedMs = prepared.ports.clock.now().getTime()
  const onEnd = onStart()
  await importAll(context, delivery, index, [rejects ?? [], sinks].flat()).finally(onEnd)
  return { context, rejects, startedMs }
}

/** Undefined where the run sends nothing or has no log file. */
async function lockLog(
  { options, settings, ports, stop }: PreparedImport,
  runId: string,
): Promise<(Lock & AsyncDisposable) | undefined> {
  const path = fileOf(options.results)
  if (options.service === undefined || path === undefined) return undefined
  const { lockLog } = await import('../journal/lock.ts') // a dry run needs none
  const lock = await lockLog(path, {
    holder: holderOf(runId, ports),
    clock: ports.clock,
    timeoutMs: settings.lockTimeout * 1000,
    onWait: holder => ports.emit({ type: 'lock_watched', holder }),
    onLost: error => stop.request(stopReasonOf(error)),
  })
  return { ...lock, [Symbol.asyncDispose]: lock.release }
}

/** Rows may come from a rejects file; without a header this is unknown before they are read. */
const mayHoldRejects = (sources: PreparedImport['sources']) =>
  sources.some(({ columns }) => columns === undefined || columns.includes(keyColumn))

async function replayLog(
  { options, mapping, sources }: PreparedImport,
  index: ReferenceIndex | undefined,
): Promise<Checkpoint> {
  const path = fileOf(options.results)
  if (path === undefined) return new Checkpoint()
  const checkpoint = await replay(
    path,
    { records: options.service !== undefined, content: mayHoldRejects(sources) },
    ({ line, number }) => index?.addLine(line, number),
  )
  checkLogIdentity(path, checkpoint.opening, logIdentity(mapping, options))
  for (const doubt of checkpoint.orphans) index?.addLine(doubt)
  return checkpoint
}

async function openRejects(context: RunContext): Promise<RejectsSink | undefined> {
  const { rejects, sourceSettings } = context.prepared.options
  if (rejects === undefined) return undefined
  const { openRejects } = await import('./rejects.ts') // few runs keep them
  return openRejects(rejects, context.prepared.sources, sourceSettings)
}

/** A dry run does not load what sends. */
async function openDelivery(context: RunContext): Promise<Delivery> {
  const { service } = context.prepared.options
  if (service === undefined) return (await import('./predict.ts')).predictDelivery(context)
  return (await import('./deliver.ts')).sendDelivery(context, service)
}

/** More calls than are in flight: some wait for their next attempt or for the disk. */
const callsPerSlot = 2

/** How many calls are to come, and what their duration depends on; packed sources and pipes do not tell. */
function estimateOf({ prepared, checkpoint }: RunContext): Estimate {
  const { options, settings, sources, tally, totalBytes } = prepared
  const { concurrency, rate, limit = Infinity } = settings
  const pace = { callMs: checkpoint.callMs, concurrency, rate }
  if (options.service === undefined) return { calls: tally.ends.valid, extent: 'exact', ...pace }
  const isKnown = totalBytes !== undefined && !sources.some(({ path }) => isGzip(path))
  const calls = Math.min(isKnown ? tally.rowsLeft(totalBytes) : Infinity, limit)
  return Number.isFinite(calls)
    ? { calls, extent: 'most', ...pace }
    : { calls: 1000, extent: 'each', ...pace }
}

async function importAll(
  context: RunContext,
  delivery: Delivery,
  index: ReferenceIndex | undefined,
  sinks: readonly OutcomeSink[],
): Promise<void> {
  const { prepared, checkpoint } = context
  const { options, settings, mapping, stop, sources, ports, tally } = prepared
  const references = index && provideReferences(index, mapping, sources)
  const needsFullIdentity =
    options.service !== undefined ||
    settings.preview !== undefined ||
    checkpoint.opening !== undefined ||
    references !== undefined ||
    sinks.length > 0
  await importRows({
    delivery: delivery.delivery,
    record: teeSinks(delivery.record, sinks),
    batches: rowsOfAll(sources),
    mapping: {
      identify: mapping.identifier(needsFullIdentity ? 'full' : 'own_keys'),
      isDistinct: mapping.isDistinct,
      selects: row => mapping.selects(row),
      map: row => mapping.map(row),
    },
    checkpoint,
    keys: new KeyRegistry(mayHoldRejects(sources)),
    references,
    deferred: new DeferredRows(),
    inDoubt: options.inDoubt,
    mapsUnchanged: (settings.expectOmitted ?? mapping.expect?.omitted) !== undefined,
    mostCalls: settings.concurrency * callsPerSlot,
    limit: settings.limit,
    budget: new FailureBudget(settings.maxFailures),
    stop,
    emit(event) {
      if (event.type === 'call_started' && tally.sent === 0 && options.service !== undefined)
        ports.emit({ type: 'estimated', atMs: ports.clock.elapsedMs(), ...estimateOf(context) })
      ports.emit(event)
    },
  })
  for (const each of [delivery, ...sinks])
    await each.close().catch(error => stop.request(stopReasonOf(error)))
}

function endOf(
  context: RunContext,
  measured: Pick<ImportEnd, 'durationMs' | 'rejects' | 'firstKeys'>,
): ImportEnd {
  const { runId, prepared, checkpoint } = context
  const { options, settings, mapping, sources, stop, tally } = prepared
  const dryRun = options.service === undefined
  if (stop.reason !== undefined) tally.take({ type: 'stopping', reason: stop.reason })
  const inDoubt = checkpoint.inDoubt + tally.newDoubts - tally.settledDoubts
  const columns = mapping.columnFacts(headersOf(sources))
  const { unmet, rejected } = judge(settings, mapping, { tally, columns, lastRows: checkpoint.lastRows })
  const bad = rejected + tally.ends.in_doubt + (dryRun ? 0 : inDoubt) + unmet.length
  return {
    about: {
      run: runId,
      baseUrl: options.baseUrl,
      organizationId: options.organizationId,
      record: mapping.record,
      delivery: options.mode,
    },
    dryRun,
    tally,
    estimate: dryRun ? estimateOf(context) : undefined,
    inDoubt,
    unmet,
    columns,
    hasRules: settings.responses.length > 0,
    written: fileOf(dryRun ? settings.preview : options.results),
    ...measured,
    resendsDoubts: options.inDoubt === 'resend',
    exitCode: exitCodeOf(tally, bad, dryRun),
  }
}
