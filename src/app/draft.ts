import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { sniff } from '../input/sniff/index.ts'
import type { Sniffed } from '../input/sniff/sniffed.ts'
import { standardInput } from '../input/source.ts'
import { type Found, type SourceFacts, Survey } from '../mapping/draft/columns/survey.ts'
import { type Draft, draftOf } from '../mapping/draft/draft.ts'
import { type Preset, presetFor } from '../mapping/draft/preset.ts'
import type { initOptions } from './command-options.ts'
import type { OptionValues } from './option-values.ts'
import { mappingPath, presetNames, schemaPathFrom } from './paths.ts'

/** Drafts a mapping for a source. Throws a SourceError. */
export async function draftMapping(
  source: string,
  options: OptionValues<typeof initOptions>,
  stdin: Readable,
): Promise<Draft> {
  const { found, preset } = await lookAt(source, options, stdin)
  return draftOf(found, preset)
}

/** What a draft is made of; `keepsValues` is for links to other files. Throws a SourceError. */
export async function lookAt(
  source: string,
  { output, record, ...given }: OptionValues<typeof initOptions>,
  stdin: Readable,
  keepsValues = false,
): Promise<{ found: Found; preset: Preset | undefined }> {
  const { signal } = new AbortController()
  const sniffed = await sniff(source, given, { stdin, signal, onRead: () => {} })
  const { columns, ...facts } = await surveyRows(sniffed, keepsValues)
  const names = columns.map(({ name }) => name)
  const preset = record === undefined ? await presetOf(names, sniffed) : undefined
  const schema = output === undefined || output === standardInput ? undefined : schemaPathFrom(output)
  return { found: { source: factsOf(source, sniffed), columns, ...facts, record, schema }, preset }
}

async function surveyRows(sniffed: Sniffed, keepsValues: boolean) {
  const { columns, headerLine, rows, close } = await sniffed.open()
  const survey = new Survey(columns, keepsValues)
  let isAll = true
  try {
    for await (const batch of rows) {
      isAll = batch.every(row => survey.add(row))
      if (!isAll) break
    }
  } finally {
    await close()
  }
  return { columns: survey.columns, rows: survey.facts(isAll), headerLine }
}

const factsOf = (
  name: string,
  { settings, usual, encoding, header, quotes, sheet }: Sniffed,
): SourceFacts => ({
  name,
  format: settings.format ?? 'csv',
  rows: settings.rows,
  sheet,
  delimiter: settings.delimiter,
  encoding: encoding.name,
  usual,
  header: settings.header,
  oddities: {
    quotes,
    damagedLine: encoding.damagedLine,
    isEncodingGuessed: encoding.by === 'guess',
    isHeaderUnnameable: header?.unnameable !== undefined,
    unsureHeader: header?.unsure,
  },
})

async function presetOf(columns: readonly string[], { settings }: Sniffed): Promise<Preset | undefined> {
  const name = presetFor(columns, settings.format ?? 'csv')
  if (name === undefined || !presetNames().includes(name)) return undefined
  return { name, text: await readFile(mappingPath(`preset:${name}`), 'utf8') }
}
