import { ulid } from 'ulid'
import { Budget } from '../engine/budget.ts'
import { importRows } from '../engine/import-rows.ts'
import { Ledger } from '../engine/ledger.ts'
import { WaitingRows } from '../engine/waiting-rows.ts'
import { type CheckedSource, checkSources, rowsOfAll } from '../input/open.ts'
import { standardInput } from '../input/source.ts'
import { PastRuns } from '../journal/past-runs.ts'
import { unfinishedName } from '../journal/rejects-file.ts'
import { type NumberedLine, replay } from '../journal/replay.ts'
import { loadMapping } from '../mapping/file.ts'
import type { SelfRows } from '../mapping/lookups/self-rows.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { ColumnFacts } from '../model/column-facts.ts'
import type { RunEvent } from '../model/events.ts'
import { mappingFaults } from '../model/mapping-faults.ts'
import { Stop, stopReasonOf } from '../model/stop.ts'
import type { About } from '../report/command-end.ts'
import type { Delivery, HeldLog, RunContext } from './delivery.ts'
import { checkDistinct } from './file-conflicts.ts'
import type { ImportSettings } from './import-settings.ts'
import { checkSameImport, logIdentity } from './log-identity.ts'
import { lookupFiles, openLookups, type StepLookups } from './lookups.ts'
import { type OutcomeSink, teeSinks } from './outcome-sink.ts'
import { mappingPath } from './paths.ts'
import { holderOf, type Ports } from './ports.ts'
import type { RejectsSink, WrittenRejects } from './rejects.ts'
import { checkTree } from './rejects-path.ts'
import { type ResolvedOptions, required, resolveOptions } from './resolve-options.ts'
import { readAhead, rowReferences } from './row-references.ts'

/** A run that is ready: everything was checked, and nothing was sent. */
export interface OpenRun {
  readonly stop: Stop
  readonly about: About
  readonly dryRun: boolean
  /** The result log, or the preview of a dry run; undefined when there is no file. */
  readonly written: string | undefined
  /** Of all sources; undefined when one of them is a pipe. */
  readonly totalBytes: number | undefined
  /** Whether rows in doubt are sent again. */
  readonly resendsDoubts: boolean
  /** Rows that earlier runs left in doubt. */
  readonly inDoubtBefore: number
  /** The file of rejected rows once the run is over; undefined where none was asked for, or it could not be written. */
  rejects(): WrittenRejects | undefined
  columnFacts(): ColumnFacts
  /** Does the work; resolves when every row has its end or the run was stopped. */
  run(): Promise<void>
}

/** What an import is asked for, and who hears of it. */
export interface ImportOrder {
  /** Paths, or `-` for standard input. */
  readonly sources: readonly string[]
  readonly settings: ImportSettings
  readonly context: Ports
  readonly tell: (event: RunEvent) => void
  /** Who else takes outcomes. */
  readonly keepers?: readonly OutcomeSink[]
  /** Hears which files ids are looked up in, before anything is written; throws where one of them must stay as it is. */
  readonly checkLookups?: (paths: readonly string[]) => Promise<void>
  /** The mapping where it stands in no file; its lookups are relative to the working directory then. */
  readonly mapping?: Mapping
  /** What stops the run, should somebody want to before it is open. */
  readonly stop?: Stop
  /** The plan that the import is a step of, as its lookups see it. */
  readonly steps?: StepLookups
}

/**
 * The one place that puts an import together. Checks everything that can be checked before the first call, in the
 * order in which a person would mend it. Throws a UsageError, SourceError, LockError or LogError.
 */
export async function openRun(order: ImportOrder): Promise<OpenRun> {
  const { settings, context, tell, keepers = [] } = order
  const stop = order.stop ?? new Stop()
  const { mapping, plan, sources, relations } = await readInput(order, stop)
  const run = ulid()
  const held = await hold(plan, run, { settings, context, stop, tell })
  let rejects: RejectsSink | undefined
  try {
    const past = await pastOf(plan, ({ line, number }) => relations?.takeLine(line, number))
    checkSameImport(plan.results ?? '', past.opening, logIdentity(mapping, plan))
    for (const doubt of past.abandoned) relations?.takeLine(doubt)
    const making: RunContext = { run, plan, settings, mapping, past, held, context, stop, tell }
    rejects = await rejectsOf(plan, sources, past)
    return openedOf(making, sources, await delivererOf(making), relations, rejects, keepers)
  } catch (error) {
    await rejects?.discard()
    await held?.lock.release()
    throw error
  }
}

/** What an import is made of besides its lookups and its result log, each part checked. */
export interface CheckedInput {
  readonly mapping: Mapping
  readonly mappingPath: string
  readonly plan: ResolvedOptions
  readonly sources: readonly CheckedSource[]
}

interface Input extends CheckedInput {
  /** The rows that may name each other; undefined where none can. */
  readonly relations: SelfRows | undefined
}

async function readInput(order: ImportOrder, { signal }: Stop): Promise<Input> {
  const checked = await checkInput(order, signal)
  const { mapping, plan, sources } = checked
  await readLookups(checked, order, signal)
  const relations = rowReferences(mapping, plan.results ?? 'the result log')
  if (relations !== undefined) await readAhead(relations, mapping, sources, order.tell)
  return { ...checked, relations }
}

/** Reads what the mapping looks things up in. Throws a UsageError or SourceError. */
export const readLookups = (
  { mapping, mappingPath, plan }: CheckedInput,
  { context, tell, steps }: ImportOrder,
  signal: AbortSignal,
): Promise<void> =>
  openLookups(mapping, mappingPath, {
    stdin: context.stdin,
    signal,
    isDryRun: plan.service === undefined,
    service: plan,
    tell,
    steps,
  })

/** Checks what an import reads, but for its lookups and the rows of its sources. Throws a UsageError or SourceError. */
export async function checkInput(order: ImportOrder, signal: AbortSignal): Promise<CheckedInput> {
  const { sources: paths, settings, context, tell, steps, checkLookups } = order
  const { mapping, path } = await mappingOf(order)
  if (steps === undefined)
    mapping.checkLookups(spec => ('step' in spec ? mappingFaults.stepOutsideOfPlan(spec.step) : undefined))
  const plan = await resolveOptions(paths, settings, mapping, context)
  const lookups = lookupFiles(mapping, path)
  await checkFiles(plan, settings, path, lookups)
  await checkLookups?.(lookups)
  const { stdin } = context
  const onRead = (bytes: number) => tell({ is: 'read', bytes })
  const sources = await checkSources(paths, plan.sourceSettings, { stdin, signal, onRead })
  for (const { columns, path } of sources) if (columns !== undefined) mapping.checkColumns(columns, path)
  checkTree(mapping, plan.rejects, sources)
  mapping.settleColumns(headersOf(sources))
  return { mapping, mappingPath: path, plan, sources }
}

/** The mapping, and the file that it stands in, or one in whose place it stands. */
async function mappingOf({ settings, mapping }: ImportOrder): Promise<{ mapping: Mapping; path: string }> {
  if (mapping !== undefined) return { mapping, path: workingDirectory }
  const named = required(settings.mapping, 'mapping')
  const path = mappingPath(named)
  return { mapping: await loadMapping(path, named), path }
}

const workingDirectory = '.'

/** Nothing that is read is written over; a result log may well be looked up in by the import that writes on. */
async function checkFiles(
  { results, sources, rejects }: ResolvedOptions,
  { preview }: ImportSettings,
  mapping: string,
  lookups: readonly string[],
): Promise<void> {
  const beside = [
    { path: preview, role: 'preview' },
    { path: rejects, role: 'file of rejected rows' },
    { path: rejects && unfinishedName(rejects), role: 'file of rejected rows' },
  ]
  const read = [{ path: mapping, role: 'mapping' }, ...sources.map(path => ({ path, role: 'source' }))]
  await checkDistinct([{ path: results, role: 'result log' }, ...beside], read)
  await checkDistinct(
    beside,
    lookups.map(path => ({ path, role: 'lookup' })),
  )
}

function openedOf(
  { run, plan, settings, mapping, past, held, stop, tell }: RunContext,
  sources: readonly CheckedSource[],
  deliverer: Delivery,
  relations: SelfRows | undefined,
  rejects: RejectsSink | undefined,
  others: readonly OutcomeSink[],
): OpenRun {
  const keepers = [rejects ?? [], others].flat()
  const isNamed =
    plan.service !== undefined ||
    settings.preview !== undefined ||
    past.opening !== undefined ||
    relations !== undefined ||
    keepers.length > 0
  return {
    stop,
    about: {
      run,
      baseUrl: plan.baseUrl,
      organizationId: plan.organizationId,
      record: mapping.record,
      delivery: plan.mode,
    },
    dryRun: plan.service === undefined,
    written: plan.service === undefined ? fileOf(settings.preview) : fileOf(plan.results),
    totalBytes: totalOf(sources),
    resendsDoubts: plan.inDoubt === 'resend',
    inDoubtBefore: past.inDoubt,
    rejects: () => rejects?.written(),
    columnFacts: () => mapping.columnFacts(headersOf(sources)),
    async run() {
      await importRows({
        delivery: deliverer.delivery,
        record: teeSinks(deliverer.record, keepers),
        batches: rowsOfAll(sources),
        mapping: { ...mapping, identify: mapping.identifier(isNamed ? 'full' : 'own_keys') },
        past,
        ledger: new Ledger(),
        relations,
        waiting: new WaitingRows(),
        inDoubt: plan.inDoubt,
        recordLine: recordId => past.recordLine(recordId),
        findsSimilar: plan.findsSimilar,
        mostCalls: settings.concurrency * callsPerSlot,
        limit: settings.limit,
        budget: new Budget(settings['max-failures'], settings.concurrency),
        stop,
        tell,
      })
      for (const each of [deliverer, ...keepers])
        await each.close().catch(error => stop.request(stopReasonOf(error)))
      await held?.lock.release()
    },
  }
}

/** Beside the calls that are in the air, others wait for their next attempt, or for their outcome to be on disk. */
const callsPerSlot = 2

/** A dry run does not load what sends. */
async function delivererOf(making: RunContext): Promise<Delivery> {
  const { service } = making.plan
  if (service === undefined) return (await import('./predict.ts')).predictDelivery(making)
  return (await import('./deliver.ts')).sendDelivery(making, service)
}

/** Few runs keep their rejected rows. */
async function rejectsOf(
  { rejects, sourceSettings }: ResolvedOptions,
  sources: readonly CheckedSource[],
  past: PastRuns,
): Promise<RejectsSink | undefined> {
  if (rejects === undefined) return undefined
  return (await import('./rejects.ts')).openRejects(rejects, { sources, sourceSettings, past })
}

/** Holds the result log of a run that sends something. */
async function hold(
  { service, results }: ResolvedOptions,
  run: string,
  { settings, context, stop, tell }: Pick<RunContext, 'settings' | 'context' | 'stop' | 'tell'>,
): Promise<HeldLog | undefined> {
  const path = fileOf(results)
  if (service === undefined || path === undefined) return undefined
  const { lockLog } = await import('../journal/lock.ts')
  const lock = await lockLog(path, {
    holder: holderOf(run, context),
    clock: context.clock,
    timeoutMs: settings['lock-timeout'] * 1000,
    onWait: holder => tell({ is: 'lock_watched', holder }),
    onLost: error => stop.request(stopReasonOf(error)),
  })
  return { path, lock }
}

/** The headers of the sources that have one; undefined for NDJSON. */
const headersOf = (sources: readonly CheckedSource[]) => sources.map(({ columns }) => columns)

const fileOf = (path: string | undefined) => (path === standardInput ? undefined : path)

async function pastOf(
  { results, findsSimilar }: ResolvedOptions,
  onLine: (line: NumberedLine) => void,
): Promise<PastRuns> {
  const path = fileOf(results)
  return path === undefined ? new PastRuns() : replay(path, findsSimilar, onLine)
}

const totalOf = (sources: readonly CheckedSource[]) =>
  sources.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  )
