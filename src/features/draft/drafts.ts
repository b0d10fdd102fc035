import { dirname, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { standardInput } from '../../input/source.ts'
import { packageRoot } from '../../model/package.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { type FileFacts, surveyOf } from './columns/survey.ts'
import type { initOptions } from './options.ts'
import { presetFor } from './preset.ts'
import { sniff } from './sniff/sniff.ts'

/** The path of the mapping's JSON Schema from the folder of a file, as editors want it. */
const schemaPathFrom = (file: string): string =>
  relative(dirname(file), fileURLToPath(new URL('config/mapping.schema.json', packageRoot))).replaceAll(
    '\\',
    '/',
  )

export type InitOptions = OptionValues<typeof initOptions>

/** Collects the facts for a draft; `keepsValues` is for links to other files. Throws a SourceError. */
export async function factsOf(
  source: string,
  { output, record, ...reading }: InitOptions,
  stdin: Readable,
  keepsValues = false,
): Promise<FileFacts> {
  const { signal } = new AbortController()
  const sniffed = await sniff(source, reading, { stdin, signal, onRead: () => {} })
  const { columns: header, headerLine, rows, close } = await sniffed.open()
  const survey = surveyOf(header, keepsValues)
  let isAll = true
  try {
    for await (const batch of rows) {
      isAll = batch.every(row => survey.add(row))
      if (!isAll) break
    }
  } finally {
    await close()
  }
  const columns = survey.columns()
  const names = columns.map(({ name }) => name)
  const preset = record === undefined ? presetFor(names, sniffed.settings.format) : undefined
  const schema = output === undefined || output === standardInput ? undefined : schemaPathFrom(output)
  const facts = { columns, rows: survey.facts(isAll), headerLine }
  return { source: { ...sniffed, name: source }, ...facts, record, preset, schema }
}
