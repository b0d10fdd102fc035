import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { type CheckedSource, checkSources } from '../input/open.ts'
import { standardInput } from '../input/source.ts'
import { loadMapping, type Mapping } from '../mapping/mapping.ts'
import { reasonColumn } from '../model/content-key.ts'
import { cannotWrite, reasonOf, UsageError } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import { fileProblem } from '../model/problem.ts'
import { Stop } from '../model/stop.ts'
import { describeCode, describeProblem } from '../output/words.ts'
import { isOfOthers } from '../platform/owners.ts'
import { mostShownRows } from '../result/reasons.ts'
import { Tally } from '../result/tally.ts'
import type { ImportSettings } from '../settings/settings.ts'
import { replay } from '../store/files/checkpoint.ts'
import type { Opening } from '../store/files/lines.ts'
import { readResultLines } from '../store/files/result-log.ts'
import { isThere, type Log } from '../store/files/whole-lines.ts'
import { checkFiles } from './file-conflicts.ts'
import { checkLogIdentity, differingField, logIdentity } from './log-identity.ts'
import { lookupFiles, openLookups } from './lookups.ts'
import { fileOf, mappingPath } from './paths.ts'
import type { ImportPorts } from './ports.ts'
import type { PreparedImport, StepLookups, StorePosition } from './prepared-import.ts'
import { required, resolveOptions } from './resolve-options.ts'

export interface ImportJob {
  /** Paths, or `-` for standard input. */
  readonly sources: readonly string[]
  /** Rows of a program, instead of sources. */
  readonly rows?: AsyncIterable<object> | Iterable<object> | undefined
  readonly settings: ImportSettings
  /** Set if the mapping is loaded already. */
  readonly mapping?: Mapping
}

/** Throws a UsageError if imports are not as they were approved; `begun` is where the run of a single one begins in its store. */
export async function checkApproved(
  imports: readonly PreparedImport[],
  begun?: StorePosition,
): Promise<void> {
  const all = await Promise.all(imports.map(({ approval }) => approval?.differences(begun) ?? []))
  const differences = all.flat()
  const path = imports[0]?.settings.approval ?? ''
  if (differences.length > 0) throw new UsageError('approval_differs', { path, differences })
}

/** Adds the parts of features that its settings name to an import that passed all checks; see `features.ts`. Throws a UsageError. */
export type Extend = (prepared: PreparedImport, steps?: StepLookups) => Promise<PreparedImport>

/** Makes all checks before the lock and the first call. Writes nothing. Throws a UsageError, SourceError or LogError. */
export async function prepare(job: ImportJob, outside: ImportPorts, steps?: StepLookups) {
  const { settings } = job
  const stop = outside.stop ?? new Stop()
  const keepsRows = settings.dryRun && settings.report !== undefined
  const tally = new Tally({ describeProblem, describeCode }, keepsRows ? mostShownRows : 0)
  const emit = (event: RunEvent) => {
    tally.take(event)
    outside.emit(event)
  }
  const ports = { ...outside, emit }
  const mapping = job.mapping ?? (await loadNamed(required(settings.mapping, 'mapping')))
  if (steps === undefined)
    mapping.checkLookups(spec =>
      'step' in spec ? fileProblem('step_without_plan', { step: spec.step }) : undefined,
    )
  const options = await resolveOptions(job.sources, settings, mapping, ports)
  const files = { options, settings, mapping, lookupFiles: lookupFiles(mapping, settings) }
  await checkFiles([files])
  const sources = await openSources(files, job.rows, stop.signal, ports)
  checkColumns(files, sources)
  const isStep = steps !== undefined
  const checked = { ...files, sources, totalBytes: totalOf(sources), tally, stop, ports, isStep }
  const readSteps = await openLookups(checked, steps)
  checkQuestions(files, await checkLog(files, ports.emit), ports.emit)
  return { ...checked, readSteps }
}

const loadNamed = (name: string) => loadMapping(mappingPath(name), name)

type CheckedFiles = Pick<PreparedImport, 'options' | 'settings' | 'mapping'>

async function openSources(
  { options: { sources, sourceSettings }, mapping }: CheckedFiles,
  objects: ImportJob['rows'],
  signal: AbortSignal,
  { streams, emit, clock }: ImportPorts,
): Promise<CheckedSource[]> {
  if (objects !== undefined) {
    const { rowsOfObjects } = await import('../input/objects.ts') // only a program has rows
    const settings = { source: standardInput, signal, keepsLines: sourceSettings.keepsLines === true }
    const rows = () => rowsOfObjects(objects, settings)
    return [{ path: standardInput, columns: undefined, size: undefined, rows }]
  }
  return checkSources(sources, sourceSettings, {
    stdin: streams?.stdin ?? Readable.from([]),
    signal,
    onRead: ({ length: bytes }) => emit({ type: 'bytes_read', bytes }),
    clock,
    countKnown: header => mapping.columns.countIn(header),
  })
}

/** Throws a UsageError, also because rows of a tree made by indentation cannot be rejected or imported alone. */
function checkColumns({ mapping, options }: CheckedFiles, sources: readonly CheckedSource[]): void {
  for (const { columns, path } of sources) if (columns !== undefined) mapping.checkColumns(columns, path)
  const areRejects = sources.some(({ columns }) => columns?.includes(reasonColumn))
  if (mapping.indents.length > 0 && (areRejects || options.rejects !== undefined))
    throw new UsageError('rejects_with_indent', { mapping: mapping.file })
  mapping.settleColumns(sources.map(({ columns }) => columns))
}

/** Throws a UsageError if a first run would send rows although its mapping has open questions; a later run was begun with them. */
function checkQuestions(
  { options, settings, mapping }: CheckedFiles,
  isLater: boolean,
  emit: ImportPorts['emit'],
): void {
  const { openQuestions: questions, file } = mapping
  if (options.service === undefined || questions.length === 0) return // a dry run lists them at its end
  const mayGoOn = isLater || settings.openQuestions === 'accept' || settings.ledger !== undefined
  if (!mayGoOn) throw new UsageError('open_questions', { mapping: file, questions })
  emit({ type: 'open_questions', mapping: file, questions: questions.length })
}

/** Checks that the log belongs to this import, by its first line if that fits, and can be written. Returns whether it has a run. */
async function checkLog(files: CheckedFiles, emit: ImportPorts['emit']): Promise<boolean> {
  const log = fileOf(files.options.results)
  if (log === undefined) return false
  const identity = logIdentity(files)
  const first = await firstOpening(log)
  const { renamed } = files.settings
  if (first && differingField(first, identity, renamed))
    checkLogIdentity(log, await replay(log, {}), identity, renamed) // it may have moved
  if (files.options.service === undefined) return false
  await checkWritable(log)
  if (await isOfOthers(log)) emit({ type: 'log_shared', path: log })
  return first !== undefined
}

/** Throws a UsageError or a LogError. */
export async function checkWritable(log: string): Promise<void> {
  const isNew = !(await isThere(log))
  await access(isNew ? dirname(log) : log, constants.W_OK).catch(error => {
    if (!isNew) throw cannotWrite(log, error)
    throw new UsageError('cannot_begin_log', { path: log, reason: reasonOf(error) })
  })
}

/** Undefined for an empty log. */
export async function firstOpening(log: Log): Promise<Opening | undefined> {
  for await (const [first] of readResultLines(log)) return first?.line as Opening | undefined
  return undefined
}

/** The bytes of all sources; undefined if one has no size. */
function totalOf(sources: readonly CheckedSource[]): number | undefined {
  const total = sources.reduce((sum, { size = NaN }) => sum + size, 0)
  return Number.isNaN(total) ? undefined : total
}
