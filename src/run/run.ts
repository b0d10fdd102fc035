import { ulid } from 'ulid'
import { DeferredRows } from '../engine/deferred-rows.ts'
import { runImportLoop } from '../engine/import-loop.ts'
import { KeyRegistry } from '../engine/key-registry.ts'
import type { CheckedSource } from '../input/open.ts'
import { RowReferences } from '../mapping/lookups/row-references.ts'
import { recordFingerprint } from '../model/fingerprint.ts'
import { KeyTable } from '../model/key-table.ts'
import type { LockOwner } from '../model/lock-owner.ts'
import { stopReasonOf } from '../model/stop.ts'
import type { RunResult } from '../result/run-result.ts'
import { Checkpoint, replay } from '../store/files/checkpoint.ts'
import type { Opening } from '../store/files/lines.ts'
import { keysOfRecords, lastOpening, readResultLines } from '../store/files/result-log.ts'
import { logName } from '../store/files/whole-lines.ts'
import { checkFirstRows, takeFirstRows } from './first-rows.ts'
import { endOf } from './import-end.ts'
import { closeAll, type Delivery, mayHoldRejects, stepsOf, teeSinks } from './import-steps.ts'
import { changedSources, checkLogIdentity, logIdentity } from './log-identity.ts'
import { holdLog, readLogOf } from './logs.ts'
import { fileOf } from './paths.ts'
import { checkApproved } from './prepare.ts'
import type { PreparedImport, RunPorts } from './prepared-import.ts'
import { openRejects } from './rejects.ts'
import { waitingRows } from './waiting-rows.ts'

/** Runs an import and closes its files. Throws a UsageError, SourceError, LockError or LogError if it sent nothing. */
export async function run(prepared: PreparedImport, ports: RunPorts = {}): Promise<RunResult> {
  const { options, store, tally, stop } = prepared
  await prepared.readSteps()
  const unlisten = prepared.ports.onSignal?.(signal => stop.request({ code: 'signal', params: { signal } }))
  await Promise.resolve(options.service?.token.begin(stop.signal)).finally(unlisten)
  if (store?.work !== undefined && options.service !== undefined) return store.work(prepared, ports)
  const { runId, checkpoint, rejects, startedMs } = await runLocked(prepared, ports)
  const durationMs = prepared.ports.clock.now().getTime() - startedMs
  const log = fileOf(options.results)
  const records = tally.mergedRows.map(({ recordId }) => recordId)
  const firstKeys = log && records.length > 0 ? keysOfRecords(log, records) : undefined
  const { lastRows, callMs } = checkpoint
  return endOf(prepared, {
    ...{ run: runId, lastRows, callMs, duration_ms: durationMs, counts: tally },
    in_doubt_total: checkpoint.inDoubt + tally.newDoubts - tally.settledDoubts,
    rejects: rejects?.written(),
    firstKeys: await firstKeys?.catch(() => undefined), // the run is over, and its end is not that of this reading
  })
}

/** Runs under the lock; closes all that it opened. */
async function runLocked(prepared: PreparedImport, { sinks = [], onStart = () => () => {} }: RunPorts) {
  const runId = ulid()
  await using lock = await lockLog(prepared, runId)
  const finished = sinks.length === 0 ? prepared.finished : undefined // they take each row
  const past = await finished?.recall()
  const references = past === undefined ? await findReferences(prepared) : undefined
  const checkpoint = past?.checkpoint ?? (await replayLog(prepared, references))
  if (references !== undefined) provideReferences(references, prepared)
  await using first = await takeFirstRows(prepared, checkpoint.opening)
  const checked = await checkFirstRows(prepared, checkpoint, first)
  const inspected = await prepared.inspect?.(first.rows, checkpoint.opening)
  const { otherLogs } = prepared
  const begin = async (others: Partial<Opening> = {}): Promise<Delivery> => {
    const opening = { ...checked.opening, ...inspected, ...others }
    const opened = { runId, prepared, checkpoint, lock, opening }
    const { service } = prepared.options
    if (service === undefined) return (await import('./predict.ts')).predictDelivery(opened)
    return (await import('./deliver.ts')).sendDelivery(opened, service) // a dry run does not load it
  }
  await using rejects = await openRejects(prepared)
  await using changes = await prepared.changes?.open()
  const delivery = await (otherLogs?.claim({ runId, checkpoint, first: checked }, begin) ?? begin())
  const startedMs = past?.startedMs ?? prepared.ports.clock.now().getTime()
  const onEnd = onStart()
  const allSinks = [rejects ?? [], changes ?? [], sinks].flat()
  await importAll().finally(onEnd)
  await finished?.note({ runId, checkpoint, lock })
  await otherLogs?.noteEnd()
  return { runId, checkpoint, rejects, startedMs }

  async function importAll(): Promise<void> {
    const { options, settings, stop, sources, mapping } = prepared
    past?.count()
    if (past !== undefined) return closeAll([delivery, ...allSinks], stop)
    const needsFullIdentity =
      options.service !== undefined ||
      settings.preview !== undefined ||
      !canReadAhead(sources) ||
      checkpoint.opening !== undefined ||
      references !== undefined ||
      allSinks.length > 0
    const identify = mapping.identifier(needsFullIdentity ? 'full' : 'own_keys', first.columns)
    const keys = new KeyRegistry(mayHoldRejects(sources), checkpoint.opening && checkpoint)
    const steps = stepsOf(prepared, identify, checkpoint)
    await runImportLoop({
      ...steps,
      hashesBodies: steps.hashesBodies || checkpoint.opening !== undefined,
      delivery: delivery.delivery,
      record: teeSinks(delivery.record, allSinks),
      batches: first.batches,
      checkpoint,
      keys,
      waiting: prepared.store === undefined ? waitingRows(prepared, { checkpoint, first, keys }) : undefined,
      references,
      deferred: new DeferredRows(),
      sentBefore: prepared.approval?.sentBefore() ?? 0,
    })
    await closeAll([delivery, ...allSinks], stop)
  }
}

/** Undefined if the run sends nothing or has no log file. */
async function lockLog({ options, settings, ports, stop }: PreparedImport, runId: string) {
  const path = fileOf(options.results)
  if (options.service === undefined || path === undefined) return undefined
  const wait = {
    timeoutMs: settings.lockTimeout * 1000,
    onWait: (holder?: LockOwner) => ports.emit({ type: 'lock_watched', holder }),
    onLost: (error: unknown) => stop.request(stopReasonOf(error)),
  }
  return holdLog(path, runId, wait, ports)
}

async function replayLog(prepared: PreparedImport, references: RowReferences | undefined) {
  const { options, settings, sources, ports, store, mapping } = prepared
  const place = { ...settings, store, results: fileOf(options.results) }
  await checkApproved([prepared]) // under the lock: another run may have come in between
  const past = await readLogOf(place, ports, async path => {
    const checkpoint = await replay(
      path,
      {
        records: (options.service ?? prepared.existing) !== undefined,
        content: mayHoldRejects(sources),
        spellings: store === undefined,
      },
      ({ line, number }) => references?.addLine(line, number),
    )
    checkLogIdentity(logName(path), checkpoint, logIdentity(prepared), settings.renamed)
    const { opening } = checkpoint
    for (const event of changedSources(opening, prepared)) ports.emit(event)
    const isOtherMapping = opening !== undefined && opening.mapping_sha256 !== mapping.sha256
    if (isOtherMapping && typeof path === 'string') await tellMadeBefore(path, prepared)
    return checkpoint
  })
  for (const doubt of past?.orphans ?? []) references?.addLine(doubt)
  return past ?? new Checkpoint()
}

/** Tells how many rows have a record that another mapping made: at the first run under this one, so the log is read once more. */
async function tellMadeBefore(log: string, { mapping, ports }: PreparedImport): Promise<void> {
  const made = new KeyTable()
  const runs = new Set<string>()
  let [rows, isOther] = [0, false]
  for await (const lines of readResultLines(log))
    for (const { line } of lines) {
      const { run, status, record_id: id = '', mapping_sha256: sha256, command } = line
      if (sha256 !== undefined && command === undefined) isOther = sha256 !== mapping.sha256
      if (status !== 'created' && status !== 'forgotten') continue
      const isMade = isOther && status === 'created'
      rows += Number(isMade) - (made.get(recordFingerprint(id)) ?? 0)
      made.set(recordFingerprint(id), Number(isMade))
      if (isMade) runs.add(run)
    }
  const [run] = runs.size === 1 ? runs : []
  if (rows > 0) ports.emit({ type: 'made_before', rows, mapping: mapping.file, log, run })
}

const canReadAhead = (sources: readonly CheckedSource[]) => sources.every(({ size }) => size !== undefined)

/**
 * Makes the references of an import whose rows may name each other. Reads files in advance: a row may refer to one below it, and only all
 * rows show whether a name is unique. If a source can be read only once, rows that refer to others wait until its end.
 */
async function findReferences(prepared: PreparedImport): Promise<RowReferences | undefined> {
  const { mapping, sources, options, ports } = prepared
  const { refs, indents } = mapping
  if (refs.length + indents.length === 0) return undefined
  const columns = refs.map(({ column }) => column)
  const references = new RowReferences(columns, options.results ?? 'the result log', indents)
  if (!canReadAhead(sources)) return references
  ports.emit({ type: 'reading_ahead' })
  const log = fileOf(options.results)
  const opening = log === undefined ? undefined : await lastOpening(log)
  await using first = await takeFirstRows(prepared, opening, () => {})
  const identify = mapping.identifier('keys', first.columns)
  for await (const rows of first.batches)
    for (const row of rows) {
      const identity = identify(row)
      if (row.fault !== undefined || mapping.selects(row)) references.addRow(identity)
    }
  return references
}

/** Provides the lookups among rows, once the references have the result log and all files that can be read twice. */
function provideReferences(references: RowReferences, { mapping, sources }: PreparedImport): void {
  const { lookupSpecs, lookups } = mapping
  if (canReadAhead(sources)) references.complete()
  for (const [name, spec] of Object.entries(lookupSpecs)) {
    if ('by' in spec) lookups.provide(name, references.by(spec.by))
    if ('indent' in spec) lookups.provide(name, references.above(spec.indent))
  }
}
