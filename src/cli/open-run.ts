import { ulid } from 'ulid'
import { Budget } from '../engine/budget.ts'
import { importRows } from '../engine/import-rows.ts'
import { Ledger } from '../engine/ledger.ts'
import { WaitingRows } from '../engine/waiting-rows.ts'
import { type CheckedSource, checkSources, rowsOfAll } from '../input/open.ts'
import { standardInput } from '../input/source.ts'
import { lockLog } from '../journal/lock.ts'
import { PastRuns } from '../journal/past-runs.ts'
import { type NumberedLine, replay } from '../journal/replay.ts'
import { loadMapping } from '../mapping/file.ts'
import type { SelfRows } from '../mapping/lookups/self-rows.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { ColumnFacts } from '../model/column-facts.ts'
import type { RunEvent } from '../model/events.ts'
import type { Holder } from '../model/holder.ts'
import { Stop, stopReasonOf } from '../model/stop.ts'
import type { Deliverer, HeldLog, Making } from './deliverer.ts'
import { checkDistinct } from './distinct-files.ts'
import type { ImportSettings } from './import-settings.ts'
import { type Keeper, keptBeside } from './keeper.ts'
import { mappingPath } from './mapping-path.ts'
import { lookupFiles, openLookups } from './open-lookups.ts'
import { relationsOf, takeAllRows } from './open-relations.ts'
import { checkPageFile } from './page-file.ts'
import { type Plan, planImport, required } from './plan.ts'
import { checkSameImport } from './same-import.ts'
import { holderOf, type Surroundings } from './surroundings.ts'

/** A run that is ready: everything was checked, and nothing was sent. */
export interface OpenRun {
  readonly stop: Stop
  readonly dryRun: boolean
  /** The result log, or the preview of a dry run; undefined when there is no file. */
  readonly written: string | undefined
  /** Of all sources; undefined when one of them is a pipe. */
  readonly totalBytes: number | undefined
  /** Whether rows in doubt are sent again. */
  readonly resendsDoubts: boolean
  /** Rows that earlier runs left in doubt. */
  readonly inDoubtBefore: number
  columnFacts(): ColumnFacts
  /** Does the work; resolves when every row has its end or the run was stopped. */
  run(): Promise<void>
}

/** What an import is asked for, and who hears of it. */
export interface ImportOrder {
  /** Paths, or `-` for standard input. */
  readonly sources: readonly string[]
  readonly settings: ImportSettings
  readonly around: Surroundings
  readonly tell: (event: RunEvent) => void
  /** Who else takes outcomes. */
  readonly keepers?: readonly Keeper[]
}

/**
 * The one place that puts an import together. Checks everything that can be checked before the first call, in the
 * order in which a person would mend it. Throws a UsageError, SourceError, LockError or LogError.
 */
export async function openRun(order: ImportOrder): Promise<OpenRun> {
  const { settings, around, tell, keepers = [] } = order
  const stop = new Stop()
  const { mapping, plan, sources, relations } = await readInput(order, stop)
  const run = ulid()
  const held = await hold(plan, holderOf(run, around), stop, tell)
  try {
    const past = await pastOf(plan, ({ line, number }) => relations?.takeLine(line, number))
    checkSameImport(plan.results ?? '', past.opening, {
      record: mapping.record,
      key_columns: mapping.keyColumns,
      ...(plan.baseUrl !== undefined && { base_url: plan.baseUrl }),
      ...(plan.organizationId !== undefined && { organization_id: plan.organizationId }),
    })
    for (const doubt of past.abandoned) relations?.takeLine(doubt)
    const making: Making = { run, plan, settings, mapping, past, held, around, stop, tell }
    return openedOf(making, sources, await delivererOf(making), relations, keepers)
  } catch (error) {
    await held?.lock.release()
    throw error
  }
}

/** What an import reads besides its result log, each part checked. */
interface Input {
  readonly mapping: Mapping
  readonly plan: Plan
  readonly sources: readonly CheckedSource[]
  /** The rows that may name each other; undefined where none can. */
  readonly relations: SelfRows | undefined
}

async function readInput(
  { sources: paths, settings, around, tell }: ImportOrder,
  stop: Stop,
): Promise<Input> {
  const named = required(settings.mapping, 'mapping')
  const path = mappingPath(named)
  const mapping = await loadMapping(path, named)
  const plan = await planImport(paths, settings, mapping, around)
  await checkFiles(plan, settings, path, lookupFiles(mapping, path))
  const { stdin } = around
  const { signal } = stop
  const onRead = (bytes: number) => tell({ is: 'read', bytes })
  const sources = await checkSources(paths, plan.sourceSettings, { stdin, signal, onRead })
  for (const { columns, path } of sources) if (columns !== undefined) mapping.checkColumns(columns, path)
  mapping.settleColumns(headersOf(sources))
  await openLookups(mapping, path, {
    stdin,
    signal,
    isDryRun: plan.service === undefined,
    service: plan,
    tell,
  })
  const relations = relationsOf(mapping, plan.results ?? 'the result log')
  if (relations !== undefined) await takeAllRows(relations, mapping, sources, tell)
  return { mapping, plan, sources, relations }
}

/** Nothing that is read is written over; a result log may well be looked up in by the import that writes on. */
async function checkFiles(
  { results, sources }: Plan,
  { preview, report }: ImportSettings,
  mapping: string,
  lookups: readonly string[],
): Promise<void> {
  const seen = [
    { path: preview, role: 'preview' },
    { path: report, role: 'page' },
  ]
  const read = [{ path: mapping, role: 'mapping' }, ...sources.map(path => ({ path, role: 'source' }))]
  await checkDistinct([{ path: results, role: 'result log' }, ...seen], read)
  await checkDistinct(
    seen,
    lookups.map(path => ({ path, role: 'lookup' })),
  )
  if (report !== undefined) await checkPageFile(report)
}

function openedOf(
  { plan, settings, mapping, past, held, stop, tell }: Making,
  sources: readonly CheckedSource[],
  deliverer: Deliverer,
  relations: SelfRows | undefined,
  keepers: readonly Keeper[],
): OpenRun {
  const isNamed =
    plan.service !== undefined ||
    settings.preview !== undefined ||
    past.opening !== undefined ||
    relations !== undefined
  return {
    stop,
    dryRun: plan.service === undefined,
    written: plan.service === undefined ? fileOf(settings.preview) : fileOf(plan.results),
    totalBytes: totalOf(sources),
    resendsDoubts: plan.inDoubt === 'resend',
    inDoubtBefore: past.inDoubt,
    columnFacts: () => mapping.columnFacts(headersOf(sources)),
    async run() {
      await importRows({
        delivery: deliverer.delivery,
        record: keptBeside(deliverer.record, keepers),
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
async function delivererOf(making: Making): Promise<Deliverer> {
  const { service } = making.plan
  if (service === undefined) return (await import('./dry-deliverer.ts')).dryDeliverer(making)
  return (await import('./real-deliverer.ts')).realDeliverer(making, service)
}

/** Holds the result log of a run that sends something. */
async function hold(
  { service, results }: Plan,
  holder: Holder,
  stop: Stop,
  tell: (event: RunEvent) => void,
): Promise<HeldLog | undefined> {
  const path = fileOf(results)
  if (service === undefined || path === undefined) return undefined
  const lock = await lockLog(path, {
    holder,
    onWait: holder => tell({ is: 'lock_watched', holder }),
    onLost: error => stop.request(stopReasonOf(error)),
  })
  return { path, lock }
}

/** The headers of the sources that have one; undefined for NDJSON. */
const headersOf = (sources: readonly CheckedSource[]) => sources.map(({ columns }) => columns)

const fileOf = (path: string | undefined) => (path === standardInput ? undefined : path)

async function pastOf(
  { results, findsSimilar }: Plan,
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
