// Finds out how to read a file, for `init`: its encoding, format, delimiter and header, in this order. Begin with `sniff`.

import { findFile, type ReadContext, readBytes, startingWith } from '../../../input/bytes.ts'
import { checkEncoding, decode, findMark } from '../../../input/decode.ts'
import { openSource, readerFor } from '../../../input/open.ts'
import type { Reader, SourceBytes } from '../../../input/reader.ts'
import { endOfLines, type SniffedEncoding, sniffEncoding } from '../../../input/sniff/encoding.ts'
import { formatIn, sniffUtf16, unsupported } from '../../../input/sniff/format.ts'
import { recordsOf } from '../../../input/sniff/misread-header.ts'
import { delimiterOf, formatFor, type SourceSettings } from '../../../input/source.ts'
import { type Format, formats } from '../../../model/format.ts'
import { iconv } from '../../../model/package.ts'
import { linesOfNoCharset } from '../../cards/content-lines.ts'
import { findLists } from '../../json-documents/json-list.ts'
import { rankedLists } from '../roles/lists.ts'
import { findOddity, knownNames, sniffDelimiter, sniffHeader, widthOfLists } from './table.ts'

/** Settings of the command line, or of a mapping that is there; they are not sniffed. */
export type KnownSettings = Pick<SourceSettings, 'format' | 'sheet' | 'rows' | 'delimiter' | 'encoding'> &
  Partial<Pick<SourceSettings, 'header'>>

const headBytes = 4_000_000
/** Of a file, which can be read again: glibc maps no array that is smaller than the largest one that it let go, and keeps its room. */
const headBytesOfFile = 400_000
const sampleChars = 400_000

const isFormat = (name: string): name is Format => formats.some(format => format === name)

/** A way to read a source, found in its content. */
export type Sniffed = Awaited<ReturnType<typeof sniff>>

/** Throws a SourceError if the source cannot be read, or holds no rows. */
export async function sniff(name: string, known: KnownSettings, context: ReadContext) {
  const file = await findFile(name)
  const path = file?.path ?? name
  const reader = await readerFor(path, known)
  const bytes = readBytes(path, context, file)
  if (reader.opensFiles) return sniffSheet(reader, { path, bytes, file: file && { file, context } }, known)
  const { head, isWhole, all } = await readHead(bytes, file ? headBytesOfFile : headBytes)
  const format = formatIn(path, head, known)
  if (!isFormat(format) || format !== formatFor(path, { format })) throw unsupported(path, format)
  const isReadAgain = file !== undefined && !isWhole // a letter that is no UTF-8 may be far down
  const start = [isWhole ? head : head.subarray(0, endOfLines(head))]
  const again = () => (isReadAgain ? readBytes(path, { ...context, onRead: () => {} }, file) : start)
  const findEncoding = async (): Promise<SniffedEncoding> => {
    const mark = findMark(head)
    if (mark !== undefined) return { name: mark.encoding, by: 'mark' }
    if (known.encoding !== undefined) {
      await checkEncoding(again(), { encoding: known.encoding }, path)
      return { name: known.encoding, by: 'setting' }
    }
    const utf16 = sniffUtf16(head.subarray(0, 4096))
    if (utf16 !== undefined) return { name: utf16, by: 'zeros' }
    if (format !== 'vcard' && format !== 'icalendar') return sniffEncoding(again())
    const sniffed = await sniffEncoding(linesOfNoCharset(again(), path))
    // what is damaged is a fault of its card if the encoding is named
    return sniffed.by === 'damaged' ? { name: sniffed.name, by: 'setting' } : sniffed
  }
  const encoding = await findEncoding()
  const isNamed = known.encoding === undefined && encoding.by === 'setting'
  const text = iconv().decode(head, encoding.name)
  const isShown = isWhole && text.length <= sampleChars
  const sample = text.slice(0, sampleChars)
  const delimiter = known.delimiter ?? (format === 'csv' ? await sniffDelimiter(sample, isShown) : undefined)
  const records = delimiter === undefined ? undefined : await recordsOf(sample, delimiter, isShown)
  const header = records && (known.header ? { rule: known.header } : sniffHeader(records))
  const isLookedThrough = format === 'json' && known.rows === undefined && (isWhole || isReadAgain)
  const decoded = () => decode(again(), { encoding: encoding.name }, path)
  const lists = isLookedThrough ? rankedLists(await findLists(decoded(), path)) : []
  const columns = header?.rule.type === 'columns' && !header.unnameable && header.rule.columns.length
  const settings: SourceSettings = {
    format,
    rows: known.rows ?? (lists[0]?.path || undefined),
    delimiter,
    encoding: encoding.name,
    header: header?.rule ?? { type: 'first_line' },
    ragged: records && columns === widthOfLists(records) ? 'pad' : 'invalid',
  }
  return {
    ...{ settings, encoding, lists, sheet: undefined },
    /** Undefined for NDJSON. */
    header,
    /** Undefined for a table. */
    oddity: records && findOddity(records, sample),
    /** Settings that an import would use by default. */
    usual: {
      format: format === formatFor(path, {}),
      delimiter: delimiter === ',' && delimiterOf(path) === ',', // or another name would be another delimiter
      encoding: encoding.by === 'mark' || (encoding.name === 'utf-8' && !isNamed),
    },
    /** Starts at the first byte; may be called once. */
    open: () => openSource({ path, bytes: encoding.by === 'damaged' ? replaceDamaged(all) : all }, settings),
  }
}

async function readHead(bytes: AsyncGenerator<Buffer>, leastBytes: number) {
  const chunks: Buffer[] = []
  let length = 0
  let next = await bytes.next()
  for (; !next.done; next = await bytes.next()) {
    chunks.push(next.value)
    length += next.value.length
    if (length >= leastBytes) break
  }
  const head = Buffer.concat(chunks)
  return { head, isWhole: next.done === true, all: startingWith(head, bytes) }
}

/** Replaces bytes that are not UTF-8 by U+FFFD, so that the rows after them can be read. */
async function* replaceDamaged(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8')
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

const sampleRecords = 200
/** Larger workbooks take long to open once for each sheet. */
const [mostSheets, mostBytes, mostCounted] = [12, 20_000_000, 10_000]

/** Finds the first sheet with a table of contacts or tasks, and its header. Throws a SourceError. */
async function sniffSheet(reader: Reader, source: SourceBytes, known: KnownSettings) {
  const reading = { format: 'xlsx', ragged: 'invalid' } as const
  const lookAt = async (sheet: KnownSettings['sheet']) => {
    const unnamed = { ...reading, sheet, header: { type: 'columns', columns: [] } } as const
    const { sheets = [], sheet: name = '', hidden, rows, close } = await reader.open(source, unnamed)
    const cells: string[][] = []
    let count = 0
    for await (const batch of rows) {
      count += batch.length
      if (cells.length < sampleRecords)
        cells.push(...batch.map(row => [...row.cells()].map(([, cell]) => String(cell))))
      if (count >= mostCounted) break
    }
    await close()
    const width = Math.max(0, ...cells.map(({ length }) => length))
    const records = cells.map(row => Array.from({ length: width }, (_, at) => row[at] ?? ''))
    const header = known.header ? { rule: known.header } : sniffHeader(records)
    const { rule } = header
    const at = rule.type === 'starts_with' ? records.findIndex(([first]) => first?.trim() === rule.cell) : 0
    const rowCount = rule.type === 'columns' ? count : count - at - 1
    const names = rule.type === 'columns' ? rule.columns : (records[at] ?? [])
    const isTable = rowCount > 0 && knownNames(names) > 1
    return { name, sheets, header, rows: Math.max(0, rowCount), isTable, hidden }
  }
  const first = await lookAt(known.sheet)
  const isLarge = Number(source.file?.file.version.size ?? 0) > mostBytes || first.sheets.length > mostSheets
  const isHidden = (name: string) => first.hidden?.sheets.includes(name) ?? false
  const others = first.sheets.filter(name => name !== first.name)
  const looked = [first]
  for (const name of known.sheet === undefined && !isLarge ? others : []) looked.push(await lookAt(name))
  const chosen = looked.find(({ name, isTable }) => isTable && !isHidden(name)) ?? first
  const { header } = chosen
  const settings: SourceSettings = { ...reading, sheet: known.sheet ?? chosen.name, header: header.rule }
  const encoding: SniffedEncoding = { name: 'utf-8', by: 'valid' }
  const rest = first.sheets.filter(name => name !== chosen.name)
  const countOf = (name: string) => looked.find(each => each.name === name)?.rows
  return {
    ...{ settings, encoding, header, oddity: undefined, lists: [] },
    sheet: {
      name: chosen.name,
      isFirst: chosen.name === first.sheets[0],
      /** Letters of columns. */
      hidden: chosen.hidden?.columns() ?? [],
      /** The number of rows is undefined for a sheet that was not looked at. */
      others: rest.map(name => ({ name, rows: countOf(name), isHidden: isHidden(name) })),
    },
    usual: { format: formatFor(source.path, {}) === 'xlsx', delimiter: true, encoding: true },
    open: () => reader.open(source, settings),
  }
}
