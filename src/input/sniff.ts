import { inspect, type Reading, readBytes } from './bytes.ts'
import { decode, markOf } from './decode.ts'
import { type OpenSource, openBytes } from './open.ts'
import { type NotRows, notRows, notRowsOfText } from './sniff-binary.ts'
import { encodingByWords } from './sniff-by-words.ts'
import { recordsOf, sniffDelimiter } from './sniff-delimiter.ts'
import { EncodingSniffer, type FoundEncoding } from './sniff-encoding.ts'
import { type FoundHeader, sniffHeader } from './sniff-header.ts'
import { type OddQuotes, sniffQuotes } from './sniff-quotes.ts'
import { delimiterOf, formatOf, type SourceSettings, withoutGz } from './source.ts'

/** What the person says of a source; it is not looked for. */
export type Said = Pick<SourceSettings, 'format' | 'delimiter' | 'encoding'>

/** What could be told of a source from its bytes. */
export interface Sniffed {
  readonly is: 'rows'
  readonly settings: SourceSettings
  readonly encoding: FoundEncoding
  /** Undefined for NDJSON. */
  readonly header: FoundHeader | undefined
  /** Undefined where quotes are as CSV has them. */
  readonly quotes: OddQuotes | undefined
  /** Whether the settings are what an import would take by itself. */
  readonly usual: { readonly format: boolean; readonly delimiter: boolean; readonly encoding: boolean }
  /** Reads the source, once, from its start. */
  open(): Promise<OpenSource>
}

/** A source of which no rows can be read. */
export interface NoRows {
  readonly is: 'no_rows'
  readonly why: NotRows | 'empty' | 'json_list' | 'json_spread'
}

const headBytes = 4_000_000
const sampleChars = 400_000

/** Tells how a source is to be read. Throws a SourceError where it cannot be read at all. */
export async function sniff(path: string, said: Said, reading: Reading): Promise<Sniffed | NoRows> {
  const { rereadable } = await inspect(path)
  const { head, isWhole, all } = await headOf(readBytes(path, reading))
  const encoding = await encodingOf(path, said, head, rereadable && !isWhole ? reading : undefined)
  const binary = notRows(head, encoding.name.startsWith('utf-16'))
  if (binary !== undefined) return { is: 'no_rows', why: binary }
  const isDamaged = encoding.by === 'damaged'
  const text = isDamaged ? head.toString() : await textOf(head, isWhole, encoding.name, path)
  if (text.trim() === '') return { is: 'no_rows', why: 'empty' }
  const other = notRowsOfText(text)
  if (other !== undefined) return { is: 'no_rows', why: other }
  const format = said.format ?? formatIn(path, text)
  if (format !== 'csv' && format !== 'ndjson') return { is: 'no_rows', why: format }

  const isShown = isWhole && text.length <= sampleChars
  const sample = text.slice(0, sampleChars)
  const delimiter = said.delimiter ?? (format === 'csv' ? await sniffDelimiter(sample, isShown) : undefined)
  const records = delimiter === undefined ? undefined : await recordsOf(sample, delimiter, isShown)
  const header = records && sniffHeader(records)
  const settings: SourceSettings = {
    format,
    delimiter,
    encoding: encoding.name,
    header: header?.rule ?? { is: 'first_line' },
    ragged: 'invalid',
  }
  return {
    is: 'rows',
    settings,
    encoding,
    header,
    quotes: records && (await sniffQuotes(records)),
    usual: {
      format: format === formatOf(path),
      delimiter: delimiter === undefined || delimiter === delimiterOf(path),
      encoding: encoding.by === 'mark' || encoding.name === 'utf-8',
    },
    open: () => openBytes(path, isDamaged ? mended(all) : all, settings),
  }
}

/** Rows are looked at beyond bytes that are no UTF-8, though an import ends there. */
async function* mended(bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8')
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/** The first bytes of a source, and all of them once more. */
async function headOf(
  bytes: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; isWhole: boolean; all: AsyncGenerator<Buffer> }> {
  const chunks: Buffer[] = []
  let length = 0
  let isWhole = false
  while (length < headBytes && !isWhole) {
    const next = await bytes.next()
    isWhole = next.done === true
    if (next.done) break
    chunks.push(next.value)
    length += next.value.length
  }
  const head = Buffer.concat(chunks)
  return { head, isWhole, all: replayed(head, bytes) }
}

async function* replayed(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** Of a file that can be read twice every byte is looked at: a letter that is no UTF-8 may stand far down. */
async function encodingOf(
  path: string,
  { encoding }: Said,
  head: Buffer,
  again: Reading | undefined,
): Promise<FoundEncoding> {
  const mark = markOf(head)
  if (mark !== undefined) return { name: mark, by: 'mark' }
  if (encoding !== undefined) return { name: encoding, by: 'valid' }
  const sniffer = new EncodingSniffer()
  if (again === undefined) sniffer.add(head)
  else for await (const chunk of readBytes(path, { ...again, onRead: () => {} })) sniffer.add(chunk)
  const found = sniffer.end()
  if (found.by !== 'guess') return found
  for (const name of [encodingByWords(head, found.name), found.name, ...(found.others ?? [])])
    if (await isReadable(head, name, path)) return { ...found, name }
  return { ...found, name: 'iso-8859-1' }
}

const isReadable = (head: Buffer, encoding: string, path: string) =>
  textOf(head, false, encoding, path).then(
    () => true,
    () => false,
  )

async function textOf(head: Buffer, isWhole: boolean, encoding: string, path: string): Promise<string> {
  const pieces = async function* () {
    yield isWhole ? head : head.subarray(0, endOfLine(head, encoding))
  }
  let text = ''
  for await (const chunk of decode(pieces(), encoding, path)) text += chunk.toString()
  return text
}

/** Up to the last line end, so that no character is cut in two. */
function endOfLine(head: Buffer, encoding: string): number {
  const end = Math.max(head.lastIndexOf(10), head.lastIndexOf(13)) + 1
  if (encoding === 'utf-16le') return end + (end % 2)
  return end || head.length
}

function formatIn(path: string, text: string): 'csv' | 'ndjson' | 'json_list' | 'json_spread' {
  if (formatOf(path) === 'ndjson') return 'ndjson'
  const start = text.trimStart()
  if (start.startsWith('{')) {
    const [line = ''] = start.split(/\r\n|\n|\r/, 1)
    if (isJson(line)) return 'ndjson'
    if (/\.json$/i.test(withoutGz(path)) || /^\{\s*("|\}|$)/.test(line)) return 'json_spread'
  }
  return /^\[\s*[{\]]/.test(start) ? 'json_list' : 'csv'
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
