import { dirname, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { isKnownCountry } from '../../mapping/transforms/phone.ts'
import { SourceError, UsageError } from '../../model/errors.ts'
import type { Format } from '../../model/format.ts'
import type { RecordType } from '../../records/kinds.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import type { Columns } from './columns/column.ts'
import { type RowFacts, surveyOf } from './columns/survey.ts'
import knownExports from './known-exports.json' with { type: 'json' }
import type { Line } from './lines.ts'
import type { initOptions } from './options.ts'
import { type KnownSettings, type Sniffed, sniff } from './sniff/sniff.ts'

/** The way a source is read; its name is as on the command line. */
export type SourceFacts = Omit<Sniffed, 'open'> & { readonly name: string }

/** Tables have a header and cells; a row of any other format is an object, like a line of NDJSON. */
export const hasTable = ({ settings: { format = 'csv' } }: SourceFacts) =>
  format === 'csv' || format === 'xlsx'

export interface FileFacts {
  readonly source: SourceFacts
  readonly rows: RowFacts
  readonly columns: Columns
  readonly record: RecordType | undefined
  readonly headerLine: number | undefined
  readonly preset?: string | undefined
  /** The country of phone numbers without one. */
  readonly country?: string | undefined
  /** Links to other files: the columns that they take, and what puts them into the lines of a mapping. */
  readonly links?: {
    readonly columns: readonly string[]
    /** Lines of the key, if the file itself has none. */
    readonly key?: readonly Line[] | undefined
    readonly into: (lines: readonly Line[]) => readonly Line[]
  }
}

/** A page that somebody waits for reads fewer rows than the command. The header is that of an answer or a mapping. */
export type InitOptions = OptionValues<typeof initOptions> &
  Pick<KnownSettings, 'header'> & { readonly mostRows?: number }

/** Collects the facts for a draft; `keepsValues` is for links to other files. Throws a SourceError. */
export async function factsOf(
  source: string,
  options: InitOptions,
  stdin: Readable,
  keepsValues = false,
): Promise<FileFacts> {
  const { record, country, output = '.', worksheets, mostRows, ...reading } = options
  const home = country?.toUpperCase()
  if (home !== undefined && !isKnownCountry(home)) throw new UsageError('no_country', { country: home })
  const { signal } = new AbortController()
  const sniffed = await sniff(source, reading, { stdin, signal, onRead: () => {} }).catch(error => {
    const isOdd = error instanceof SourceError && error.problem.code === 'bad_bytes'
    throw isOdd ? new SourceError('bad_bytes', { ...error.problem.params, isSniffed: true }) : error
  })
  const opened = await sniffed.open().catch(error => {
    if (source === '-' || error.problem?.code !== 'no_tasks') throw error
  })
  if (opened === undefined) return factsOf(source, { ...options, rows: 'events' }, stdin, keepsValues)
  const { columns: header, headerLine, rows: read, close } = opened
  const survey = surveyOf(header, keepsValues, mostRows, sniffed.header?.above)
  let isAll = true
  try {
    for await (const batch of read) {
      isAll = batch.every(survey.add)
      if (!isAll) break
    }
  } finally {
    await close()
  }
  const { rows, columns } = survey.end(isAll)
  const folder = worksheets && `${relative(dirname(output), worksheets).replaceAll(sep, '/') || '.'}/`
  for (const column of columns) column.worksheets = folder
  const names = columns.map(({ name }) => name)
  const preset = record === undefined ? presetFor(names, sniffed.settings.format) : undefined
  const facts = { columns, rows, headerLine }
  return { source: { ...sniffed, name: source }, ...facts, record, preset, country: home }
}

/** The preset of an export with these columns; the one with most of them wins. */
export function presetFor(columns: readonly string[], format: Format = 'csv'): string | undefined {
  const header = new Set(columns)
  // A column after "!" is one that only another kind of export of the product has; of those between bars one is enough; a star is any.
  const fits = (names: string) =>
    names === '*' ||
    (names.startsWith('!') ? !header.has(names.slice(1)) : names.split('|').some(name => header.has(name)))
  const known = Object.entries<string>(knownExports[format === 'xlsx' ? 'csv' : format])
  return known
    .flatMap(([preset, lists]) => lists.split(' / ').map(list => ({ preset, names: list.split(', ') })))
    .filter(({ names }) => names.every(fits))
    .sort((a, b) => b.names.length - a.names.length)[0]?.preset
}
