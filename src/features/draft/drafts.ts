import { dirname, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { isKnownCountry } from '../../mapping/transforms/phone.ts'
import { SourceError, UsageError } from '../../model/errors.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { surveyOf } from './columns/survey.ts'
import type { FileFacts } from './facts.ts'
import type { initOptions } from './options.ts'
import { presetFor } from './preset.ts'
import { sniff } from './sniff/sniff.ts'

/** A page that somebody waits for reads fewer rows than the command. */
export type InitOptions = OptionValues<typeof initOptions> & { readonly mostRows?: number }

/** Collects the facts for a draft; `keepsValues` is for links to other files. Throws a SourceError. */
export async function factsOf(
  source: string,
  { record, country, output = '.', worksheets, mostRows, ...reading }: InitOptions,
  stdin: Readable,
  keepsValues = false,
): Promise<FileFacts> {
  const home = country?.toUpperCase()
  if (home !== undefined && !isKnownCountry(home)) throw new UsageError('no_country', { country: home })
  const { signal } = new AbortController()
  const sniffed = await sniff(source, reading, { stdin, signal, onRead: () => {} }).catch(error => {
    const isOdd = error instanceof SourceError && error.problem.code === 'bad_bytes'
    throw isOdd ? new SourceError('bad_bytes', { ...error.problem.params, isSniffed: true }) : error
  })
  const { columns: header, headerLine, rows: read, close } = await sniffed.open()
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
  const rows = survey.facts(isAll)
  const columns = survey.columns()
  const folder = worksheets && `${relative(dirname(output), worksheets).replaceAll(sep, '/') || '.'}/`
  for (const column of columns) column.worksheets = folder
  const names = columns.map(({ name }) => name)
  const preset = record === undefined ? presetFor(names, sniffed.settings.format) : undefined
  const facts = { columns, rows, headerLine }
  return { source: { ...sniffed, name: source }, ...facts, record, preset, country: home }
}
