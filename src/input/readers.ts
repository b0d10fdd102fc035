// The formats of sources, each with its reader. Another format is one more entry.
import type { Format } from '../model/format.ts'
import { openCsv } from './csv.ts'
import { decode } from './decode.ts'
import { featureReaders } from './feature-readers.ts'
import { jsonRows, onlyList } from './json-list.ts'
import { ndjsonRows } from './ndjson.ts'
import { openObjects, primed, type Reader, type SourceBytes } from './reader.ts'
import { formatIn, unsupported } from './sniff/format.ts'
import { delimiterOf, formatFor, type OpenSource, type SourceSettings } from './source.ts'

const csv: Reader = {
  async open({ path, bytes, lines }, settings) {
    const text = decode(bytes, settings, path, lines)
    const { header, ragged, delimiter = delimiterOf(path) } = settings
    const table = await openCsv(text, { source: path, delimiter, header, ragged })
    return { ...table, close: () => text.return(undefined) }
  },
}

const ndjson: Reader = {
  async open({ path, bytes, lines }, settings) {
    const { keepsLines } = settings
    const text = decode(bytes, settings, path, lines)
    return {
      ...openObjects(text, ndjsonRows(text, path, keepsLines)),
      rowsFrom: (from, start) => ndjsonRows(from, path, keepsLines, start),
    }
  },
}

const json: Reader = {
  async open({ path, bytes, lines }, settings) {
    const text = decode(bytes, settings, path, lines)
    return openObjects(text, await primed(jsonRows(text, path, settings)))
  },
  async complete({ path, bytes }, settings) {
    if (settings.rows !== undefined) return settings
    return { ...settings, rows: await onlyList(decode(bytes, settings, path), path) }
  },
}

const readers: Readonly<Partial<Record<Format, Reader>>> = { csv, ndjson, json }

export async function readerFor(path: string, settings: Pick<SourceSettings, 'format'>): Promise<Reader> {
  const format = formatFor(path, settings)
  const reader = readers[format] ?? (await featureReaders[format]?.())
  if (reader === undefined) throw new Error(`no feature reads ${format}`)
  return reader
}

/** Reads a source up to its header. Throws a SourceError, also if its first bytes are no rows of the format. */
export async function openSource(source: SourceBytes, settings: SourceSettings): Promise<OpenSource> {
  const reader = await readerFor(source.path, settings)
  return reader.open(checked(source, settings), settings)
}

/** Returns the settings with those that only the whole source tells. Throws a SourceError. */
export async function completeSettings(
  source: SourceBytes,
  settings: SourceSettings,
): Promise<SourceSettings> {
  const reader = await readerFor(source.path, settings)
  return (await reader.complete?.(checked(source, settings), settings)) ?? settings
}

const checked = (source: SourceBytes, settings: SourceSettings): SourceBytes => ({
  ...source,
  bytes: checkFormat(source, settings),
})

/** Throws a SourceError if the first bytes are no rows of the format. */
async function* checkFormat({ path, bytes }: SourceBytes, settings: SourceSettings): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of bytes) {
    const found = isFirst ? formatIn(path, chunk, settings) : 'csv'
    if (found !== 'csv' && found !== 'empty' && found !== formatFor(path, settings))
      throw unsupported(path, found)
    isFirst = false
    yield chunk
  }
}
