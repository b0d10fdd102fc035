import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { standardInput } from '../../input/source.ts'
import { nearest } from '../../mapping/did-you-mean.ts'
import { compileMapping } from '../../mapping/document.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import { UsageError } from '../../model/errors.ts'
import type { Option } from '../option-values.ts'
import { importOptions } from '../options.ts'
import type { Ports, ProcessInfo } from '../ports.ts'
import type { ImportJob } from '../prepare.ts'
import { parseSettings, type SettingValue } from '../settings.ts'
import { linesOfRows } from './lines-of-rows.ts'
import type { ImportRowsOptions } from './options.ts'

/** What the options of a program ask of the parts of an import. */
export interface LibraryOrder extends Pick<ImportJob, 'sources' | 'settings' | 'mapping'> {
  readonly ports: Ports
  /** Lines of outcomes that could not be written to the log. */
  readonly unwritten: string[]
}

/** The options that a program shares with the command; a program finds in the summary what the command shows and writes. */
const sharedOptions = Object.entries<Option>(importOptions)
  .filter(([, { isForCommand }]) => !isForCommand)
  .map(([name]) => name)
const ownNames = ['source', 'rows', 'token', 'signal']

/** Checks the options of a program. Throws a UsageError. */
export function orderOf(options: ImportRowsOptions, info: ProcessInfo): LibraryOrder {
  checkNames(options)
  checkGivenTogether(options)
  const { source, rows, mapping, token } = options
  const settings = parseSettings(importOptions, givenOf(options))
  if (!settings.dryRun) checkRequired(options)
  const unwritten: string[] = []
  return {
    sources: source === undefined ? [standardInput] : [source].flat(),
    settings,
    ports: {
      ...info,
      token,
      isInteractive: false,
      streams: rows && { stdin: linesOfRows(rows), stdout: new PassThrough(), isTerminal: false },
      onUnwritten: line => unwritten.push(line),
    },
    ...(typeof mapping === 'object' && { mapping: mappingOf(mapping) }),
    unwritten,
  }
}

function checkNames(options: ImportRowsOptions): void {
  const known = [...sharedOptions, ...ownNames]
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new UsageError('unknown_option', { word: name, suggestion: nearest(name, known) })
}

function checkGivenTogether({ source, rows, ...options }: ImportRowsOptions): void {
  const sources = [source ?? []].flat()
  if ((rows === undefined) === (source === undefined)) throw new UsageError('source_or_rows')
  if (rows !== undefined && !isIterable(rows)) throw new UsageError('rows_not_iterable')
  if (rows !== undefined && [options.format, options.delimiter, options.encoding].some(isGiven))
    throw new UsageError('rows_have_no_format')
  for (const [name, path] of [...sources.map(path => ['source', path]), ...outputsOf(options)])
    if (path === standardInput) throw new UsageError('standard_stream', { option: name ?? '' })
}

const outputsOf = ({
  results,
  preview,
  rejects,
}: Pick<ImportRowsOptions, 'results' | 'preview' | 'rejects'>) => [
  ['results', results],
  ['preview', preview],
  ['rejects', rejects],
]

const isGiven = (value: unknown) => value !== undefined

const isIterable = (rows: object) =>
  typeof rows === 'object' && rows !== null && (Symbol.asyncIterator in rows || Symbol.iterator in rows)

function checkRequired(options: ImportRowsOptions): void {
  for (const name of ['results', 'baseUrl', 'organizationId'] as const)
    if (options[name] === undefined) throw new UsageError('option_required', { option: name })
  if (options.token === undefined && options.tokenFile === undefined)
    throw new UsageError('option_required', { option: 'token' })
}

/** The settings that were given, each by its name in code. */
function givenOf(options: ImportRowsOptions): Map<string, SettingValue> {
  const { mapping, rows } = options
  if (mapping === undefined || mapping === null)
    throw new UsageError('option_required', { option: 'mapping' })
  const given = new Map<string, SettingValue>()
  for (const [name, value] of Object.entries(options)) {
    if (sharedOptions.includes(name) && value !== undefined) given.set(name, { value, from: name })
  }
  if (typeof mapping === 'object') given.delete('mapping')
  if (rows === undefined) return given
  return given
    .set('format', { value: 'ndjson', from: 'rows' })
    .set('encoding', { value: 'utf-8', from: 'rows' })
}

/** A mapping that stands in no file goes through the same checks, as the JSON that it is. */
function mappingOf(mapping: object): Mapping {
  const text = textOf(mapping)
  return compileMapping('mapping object', text, createHash('sha256').update(text).digest('hex'))
}

function textOf(mapping: object): string {
  try {
    return JSON.stringify(mapping, null, 2)
  } catch (error) {
    throw new UsageError('mapping_not_serializable', { reason: String(error).split('\n', 1).join() })
  }
}
