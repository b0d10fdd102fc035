import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import type { RowMapping } from '../engine/triage.ts'
import { type CheckedSource, checkSources } from '../input/open.ts'
import { type SourceSettings, standardInput } from '../input/source.ts'
import { loadMapping } from '../mapping/document.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { type ApprovalDifference, cannotWrite, reasonOf, UsageError } from '../model/errors.ts'
import { fileProblem } from '../model/problem.ts'
import { reasonColumn } from '../model/reserved-columns.ts'
import type { PlannedCall } from '../model/row.ts'
import { Stop } from '../model/stop.ts'
import { describeCode, describeProblem } from '../output/words.ts'
import type { ProcessInfo } from '../platform/process-info.ts'
import type { DryRunPart } from '../result/facts.ts'
import { mostShownRows } from '../result/reasons.ts'
import type { NearRows, RunResult } from '../result/run-result.ts'
import { Tally } from '../result/tally.ts'
import type { ImportSettings } from '../settings/settings.ts'
import type { Opening } from '../store/files/lines.ts'
import { unfinishedName } from '../store/files/rejects-file.ts'
import { isThere, readResultLines } from '../store/files/result-log.ts'
import type { OutcomeSink, RunPorts } from './delivery.ts'
import { checkDistinct } from './file-conflicts.ts'
import { checkLogIdentity, checkNoOtherLog, logIdentity } from './log-identity.ts'
import { lookupFiles, openLookups, type StepLookups } from './lookups.ts'
import { mappingPath } from './paths.ts'
import type { ImportPorts } from './ports.ts'
import { type ResolvedOptions, required, resolveOptions } from './resolve-options.ts'

type Rows = AsyncIterable<object> | Iterable<object>

export interface ImportJob {
  /** Paths, or `-` for standard input. */
  readonly sources: readonly string[]
  /** Rows of a program, instead of sources. */
  readonly rows?: Rows | undefined
  readonly settings: ImportSettings
  /** Set where the mapping is loaded already. */
  readonly mapping?: Mapping
  /** Set in a step of a plan. */
  readonly steps?: StepLookups | undefined
}

/** An import that passed every check that needs no lock. It holds nothing open but its standard input. */
export interface PreparedImport {
  readonly settings: ImportSettings
  readonly options: ResolvedOptions
  readonly mapping: Mapping
  readonly mappingPath: string
  readonly sources: readonly CheckedSource[]
  readonly lookupFiles: readonly string[]
  /** Reads the records of the steps that are looked up; called when the import runs. */
  readonly readSteps: () => Promise<void>
  /** Undefined if a source is a pipe, or workers share the bytes. */
  readonly totalBytes: number | undefined
  readonly tally: Tally
  readonly comparison?: RowComparison
  readonly profile?: PageProfile
  readonly stop: Stop
  readonly ports: ImportPorts
  readonly approval?: Approval
  /** Undefined if there is a result log. */
  readonly store?: SharedStore
}

export type StorePlace = Partial<Pick<ImportSettings, 'ledger' | 'import'>>

/** A store that several workers share, in the place of a result log. */
export interface SharedStore {
  /** Throws a UsageError if the store cannot keep such an import. */
  check(prepared: PreparedImport): void
  /** Takes part in an import until its run has ended, or this worker stops. Throws what `run` throws. */
  work(prepared: PreparedImport, ports: RunPorts): Promise<RunResult>
  /** Reads the log of an import from a file; returns undefined if there is none. Throws a UsageError or a LogError. */
  withLog<T>(place: StorePlace, info: ProcessInfo, read: (log: string) => Promise<T>): Promise<T | undefined>
}

/** Compares rows with earlier ones. */
interface RowComparison extends Pick<RowMapping, 'compare'> {
  readonly result: () => NearRows
}

/** Takes the rows of a dry run for its page. */
interface PageProfile extends OutcomeSink {
  /** Called once, at the end. */
  readonly markup: (leftOut: number) => Pick<DryRunPart, 'samples' | 'columns'>
}

/** What an approval does in a run. */
export interface Approval {
  /** The hash of its file; undefined in a dry run. */
  readonly sha256: string | undefined
  /** Compares what was approved with what there is; a dry run has no differences. */
  readonly differences: () => Promise<readonly ApprovalDifference[]>
  /** The calls of earlier runs with it: its limit is for all of them. */
  readonly sentBefore: () => number
  /** Notes a call that a dry run would send. */
  readonly noteCall: (call: PlannedCall) => void
  /** What a dry run writes at its end. */
  readonly contentAt: (tally: Tally) => { readonly imports: readonly object[] }
}

/** Throws a UsageError if imports are not as they were approved. */
export async function checkApproved(imports: readonly PreparedImport[]): Promise<void> {
  const differences: ApprovalDifference[] = []
  for (const { approval } of imports) differences.push(...((await approval?.differences()) ?? []))
  const path = imports[0]?.settings.approval ?? ''
  if (differences.length > 0) throw new UsageError('approval_differs', { path, differences })
}

/** Adds to an import that passed all checks what its settings ask of features; see `features.ts`. Throws a UsageError. */
export type Extend = (prepared: PreparedImport, steps?: StepLookups) => Promise<PreparedImport>

/** Makes all checks before the lock and the first call. Writes nothing. Throws a UsageError, SourceError or LogError. */
export async function prepare(
  job: ImportJob,
  givenPorts: ImportPorts,
  extend: Extend = async prepared => prepared,
): Promise<PreparedImport> {
  const { settings, steps } = job
  const stop = givenPorts.stop ?? new Stop()
  const keepsRows = settings.dryRun && settings.report !== undefined
  const tally = new Tally({ describeProblem, describeCode }, keepsRows ? mostShownRows : 0)
  const ports: ImportPorts = {
    ...givenPorts,
    emit(event) {
      tally.take(event)
      givenPorts.emit(event)
    },
  }
  const { mapping, path } = await mappingOf(job)
  if (steps === undefined)
    mapping.checkLookups(spec =>
      'step' in spec ? fileProblem('step_without_plan', { step: spec.step }) : undefined,
    )
  const options = await resolveOptions(job.sources, settings, mapping, ports)
  const files = { options, settings, mappingPath: path, lookupFiles: lookupFiles(mapping, path) }
  await checkFiles([files])
  const sources = await openSources(job, options, ports, { signal: stop.signal, mapping })
  checkColumns(mapping, options, sources)
  const readSteps = await openLookups(mapping, path, {
    signal: stop.signal,
    isDryRun: options.service === undefined,
    trustEncoding: settings.trustEncoding,
    sources,
    sourceSettings: options.sourceSettings,
    service: options,
    emit: ports.emit,
    steps,
  })
  await checkLog(job, options, mapping)
  const prepared: PreparedImport = {
    ...files,
    mapping,
    sources,
    readSteps,
    totalBytes: totalOf(sources),
    tally,
    stop,
    ports,
  }
  return extend(prepared, steps)
}

/** The mapping, and the path that its own paths are relative to. */
async function mappingOf({ settings, mapping }: ImportJob): Promise<{ mapping: Mapping; path: string }> {
  if (mapping !== undefined) return { mapping, path: mappingPath(settings.mapping ?? '.') }
  const named = required(settings.mapping, 'mapping')
  const path = mappingPath(named)
  return { mapping: await loadMapping(path, named), path }
}

type WithFiles = Pick<PreparedImport, 'options' | 'settings' | 'mappingPath' | 'lookupFiles'>

/** No file that is read is overwritten, nor written twice; result logs may be looked up in. Throws a UsageError. */
export async function checkFiles(
  imports: readonly (WithFiles & { readonly step?: string | undefined })[],
  plan?: string,
): Promise<void> {
  const files = imports.map(({ options, settings: { preview }, mappingPath, lookupFiles, step }) => {
    const { results, sources, rejects } = options
    const named = (role: string, ...paths: readonly (string | undefined)[]) =>
      paths.map(path => ({ path, role: step === undefined ? role : `${role} of the step ${step}` }))
    return {
      log: named('result log', results),
      written: [
        ...named('preview', preview),
        ...named('file of rejected rows', rejects, rejects && unfinishedName(rejects)),
      ],
      read: [...named('mapping', mappingPath), ...named('source', ...sources)],
      lookups: named('lookup', ...lookupFiles),
    }
  })
  const all = (part: keyof (typeof files)[number]) => files.flatMap(each => each[part])
  await checkDistinct([...all('log'), ...all('written')], [{ path: plan, role: 'plan' }, ...all('read')])
  await checkDistinct(all('written'), all('lookups'))
}

async function openSources(
  { rows }: ImportJob,
  { sources, sourceSettings }: ResolvedOptions,
  { streams, emit }: ImportPorts,
  { signal, mapping }: { readonly signal: AbortSignal; readonly mapping: Mapping },
): Promise<CheckedSource[]> {
  if (rows !== undefined) return [await openRows(rows, signal, sourceSettings)]
  const stdin = streams?.stdin ?? Readable.from([])
  return checkSources(sources, sourceSettings, {
    stdin,
    signal,
    onRead: ({ length: bytes }) => emit({ type: 'bytes_read', bytes }),
    countKnown: header => mapping.columns.countIn(header),
  })
}

async function openRows(
  rows: Rows,
  signal: AbortSignal,
  { keepsLines = false }: SourceSettings,
): Promise<CheckedSource> {
  const { rowsOfObjects } = await import('../input/objects.ts') // only a program has rows
  const settings = { source: standardInput, signal, keepsLines }
  const read = () => rowsOfObjects(rows, settings)
  return { path: standardInput, columns: undefined, size: undefined, rows: read }
}

function checkColumns(
  mapping: Mapping,
  { rejects }: ResolvedOptions,
  sources: readonly CheckedSource[],
): void {
  for (const { columns, path } of sources) if (columns !== undefined) mapping.checkColumns(columns, path)
  checkIndents(mapping, rejects, sources)
  mapping.settleColumns(headersOf(sources))
}

/** Rows of a tree made by indentation cannot be rejected or imported alone. Throws a UsageError. */
function checkIndents(
  { indents, file }: Mapping,
  rejects: string | undefined,
  sources: readonly CheckedSource[],
): void {
  const areRejects = sources.some(({ columns }) => columns?.includes(reasonColumn))
  if (indents.length > 0 && (areRejects || rejects !== undefined))
    throw new UsageError('rejects_with_indent', { mapping: file })
}

/** The result log belongs to this import by its first line, and can be written; a new one is the only one of this import. */
async function checkLog(job: ImportJob, options: ResolvedOptions, mapping: Mapping): Promise<void> {
  const log = fileOf(options.results)
  if (log === undefined) return
  const identity = logIdentity(mapping, options)
  checkLogIdentity(log, await firstOpening(log), identity)
  await checkNoOtherLog(log, identity, job)
  if (options.service !== undefined) await checkWritable(log)
}

/** Throws a UsageError or a LogError. */
export async function checkWritable(log: string): Promise<void> {
  await access((await isThere(log)) ? log : dirname(log), constants.W_OK).catch(error => {
    if (error.code !== 'ENOENT') throw cannotWrite(log, error)
    throw new UsageError('cannot_write_artifact', { path: log, role: 'result log', reason: reasonOf(error) })
  })
}

/** Undefined for an empty log. */
export async function firstOpening(log: string): Promise<Opening | undefined> {
  for await (const [first] of readResultLines(log)) return first?.line as Opening | undefined
  return undefined
}

export const headersOf = (sources: readonly CheckedSource[]) => sources.map(({ columns }) => columns)

export const fileOf = (path: string | undefined) => (path === standardInput ? undefined : path)

const totalOf = (sources: readonly CheckedSource[]) =>
  sources.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  )
