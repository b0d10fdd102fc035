import { createHash } from 'node:crypto'
import { withFeatures } from '../features.ts'
import { standardInput } from '../input/source.ts'
import { compileMapping, type Mapping } from '../mapping/mapping.ts'
import { nearest } from '../model/did-you-mean.ts'
import { RowliftError, UsageError } from '../model/errors.ts'
import type { Stop } from '../model/stop.ts'
import { describeCode, describeError, describeProblem, libraryDialect } from '../output/words.ts'
import type { ProcessInfo } from '../platform/process-info.ts'
import { Tally } from '../result/tally.ts'
import { exitCodes } from '../run/exit-code.ts'
import { mappingObject } from '../run/paths.ts'
import type { ImportPorts } from '../run/ports.ts'
import { type ImportJob, prepare } from '../run/prepare.ts'
import type { OutcomeSink } from '../run/prepared-import.ts'
import { required } from '../run/resolve-options.ts'
import { run } from '../run/run.ts'
import type { Option } from '../settings/option-values.ts'
import { importOptions } from '../settings/options.ts'
import { parseSettings, type SettingValue } from '../settings/settings.ts'
import type { ImportRowsOptions } from './options.ts'
import { type RowOutcome, rowOutcome } from './outcome.ts'
import { type ImportSummary, type LibraryEnd, summaryOf } from './summary.ts'

/** Runs an import; `take` gets each outcome. Throws a UsageError, SourceError, LockError or LogError if it could not start. */
export async function runToEnd(
  options: ImportRowsOptions,
  info: ProcessInfo,
  stop: Stop,
  take: (outcome: RowOutcome) => Promise<void>,
): Promise<ImportSummary> {
  const unwritten: string[] = []
  const ports: ImportPorts = {
    ...{ ...info, token: options.token, stop },
    ...{ isInteractive: false, streams: undefined },
    onUnwritten: line => unwritten.push(line),
    emit: () => {},
  }
  const sink: OutcomeSink = { keep: outcome => take(rowOutcome(outcome)), close: async () => {} }
  try {
    const job = jobOf(options)
    if (stop.reason !== undefined) return summaryOf(neverStarted(options, stop), unwritten)
    const end = await prepare(job, ports)
      .then(withFeatures)
      .then(prepared => run(prepared, { sinks: [sink] }))
      .catch(error => {
        if (stop.reason?.code === 'aborted') return neverStarted(options, stop)
        throw error
      })
    return summaryOf(end, unwritten)
  } catch (error) {
    throw withMessage(error)
  }
}

/** Sets the message of an error, with options by their names in code. */
export function withMessage(error: unknown): unknown {
  if (error instanceof RowliftError) error.message = describeError(error, libraryDialect)
  return error
}

/** The result of a run that was stopped before its first row. */
function neverStarted({ dryRun = false }: ImportRowsOptions, { reason }: Stop): LibraryEnd {
  const tally = new Tally({ describeProblem, describeCode })
  if (reason !== undefined) tally.take({ type: 'stopping', reason })
  const nothing = { duration_ms: 0, in_doubt_total: 0, exit_code: exitCodes.stoppedEarly }
  return { ...tally.fields, ...nothing, dry_run: dryRun, details: { tally, unmet: [] } }
}

/** The options that a program shares with the command. */
const sharedOptions = Object.entries<Option>(importOptions).flatMap(([name, { isForCommand }]) =>
  isForCommand ? [] : name,
)
const knownOptions = [...sharedOptions, 'source', 'rows', 'token', 'signal']

/** Throws a UsageError. */
function jobOf(options: ImportRowsOptions): ImportJob {
  for (const word of Object.keys(options))
    if (!knownOptions.includes(word))
      throw new UsageError('unknown_option', { word, suggestion: nearest(word, knownOptions) })
  checkCombination(options)
  const { source, rows, mapping } = options
  const settings = parseSettings(importOptions, settingsOf(options))
  if (!settings.dryRun) checkRequired(options)
  return {
    sources: [source ?? standardInput].flat(),
    rows,
    settings,
    ...(typeof mapping === 'object' && { mapping: compileObject(mapping) }),
  }
}

function checkCombination({ source, rows, results, preview, rejects, ...others }: ImportRowsOptions): void {
  if ((rows === undefined) === (source === undefined)) throw new UsageError('source_or_rows')
  if (rows !== undefined && !isIterable(rows)) throw new UsageError('rows_not_iterable')
  if (rows !== undefined && (others.format ?? others.delimiter ?? others.encoding) !== undefined)
    throw new UsageError('rows_have_no_format')
  for (const [option, paths] of Object.entries({ source, results, preview, rejects }))
    if ([paths].flat().includes(standardInput)) throw new UsageError('standard_stream', { option })
}

const isIterable = (rows: object) =>
  typeof rows === 'object' && rows !== null && (Symbol.asyncIterator in rows || Symbol.iterator in rows)

function checkRequired({ token, tokenFile, tokenCommand, ...options }: ImportRowsOptions): void {
  for (const option of ['results', 'baseUrl', 'organizationId'] as const) required(options[option], option)
  required(token ?? tokenFile ?? tokenCommand, 'token')
}

/** The options that are settings of an import, too; rows are read like NDJSON. */
function settingsOf(options: ImportRowsOptions): Map<string, SettingValue> {
  const { rows } = options
  const mapping = required(options.mapping ?? undefined, 'mapping')
  const all = { ...options, ...(rows !== undefined && { format: 'ndjson', encoding: 'utf-8' }) }
  const settings = new Map<string, SettingValue>()
  for (const [name, value] of Object.entries(all))
    if (sharedOptions.includes(name) && value !== undefined) settings.set(name, { value, from: name })
  if (typeof mapping === 'object') settings.delete('mapping')
  return settings
}

/** Compiles a mapping object as the text of its JSON. */
function compileObject(mapping: object): Mapping {
  let text: string
  try {
    text = JSON.stringify(mapping, null, 2)
  } catch (error) {
    throw new UsageError('mapping_not_serializable', { reason: String(error).split('\n', 1).join() })
  }
  return compileMapping(mappingObject, text, createHash('sha256').update(text).digest('hex'))
}
