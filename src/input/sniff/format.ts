import { extname } from 'node:path'
import { type NotRows, SourceError } from '../../model/errors.ts'
import type { Format } from '../../model/format.ts'
import { iconv } from '../../model/package.ts'
import { isObject } from '../../model/values.ts'
import { findMark } from '../decode.ts'
import { formatFor, type SourceSettings } from '../source.ts'
import { listIn, parsed } from './json-document.ts'

/** The first bytes of files, as patterns of hex digits. */
const signatures = Object.entries({
  zip: '504b0(304|506)',
  office: 'd0cf11e0',
  pdf: '255044462d',
  gzip: '1f8b',
  image: '89504e47|ffd8ff|47494638',
  zstd: '28b52ffd',
  bzip2: '425a683.31415926',
  xz: 'fd377a585a00',
  lz4: '04224d18',
  compress: '1f9d',
  rar: '526172211a07',
  '7z': '377abcaf271c',
} satisfies Partial<Record<NotRows, string>>) as [NotRows, string][]
/** Names in the directory of a compound file. */
const officeFiles = [
  ['EncryptedPackage', 'encrypted'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
] as const
/** Archives by another name. */
const officeNames = new Map<string, NotRows>([['.ods', 'ods'], ['.xlsb', 'xlsb'], ['.numbers', 'office']]) // biome-ignore format: pairs
const textStarts = [
  [/^(<\?xml|<!doctype|<html|<table)/i, 'web_page'],
  [/^begin:vcard/i, 'vcard'],
  [/^begin:vcalendar/i, 'icalendar'],
  [/^$/, 'empty'],
] as const

/** A text without a card, whose first line has no colon, or begins as JSON does. */
const notCards = /^(?:[{[]|[^\r\n:]*[\r\n])(?!.*begin:vcard)/is

const longestLook = 4096
/** One or two control characters may be in a cell. */
const mostControls = 0.02

/** The format of a source by its first bytes; the wanted one unless they are surely something else. */
export function formatIn(
  path: string,
  head: Buffer,
  { format, delimiter, encoding = 'utf-8' }: Pick<SourceSettings, 'format' | 'delimiter' | 'encoding'>,
): 'csv' | NotRows {
  const start = head.subarray(0, 8).toString('hex')
  if (/\.(tgz|tar(\.\w+)?)$/i.test(path) || head.toString('latin1', 257, 262) === 'ustar') return 'tar'
  const [signature] = signatures.find(([, bytes]) => new RegExp(`^(${bytes})`).test(start)) ?? []
  const wanted = formatFor(path, { format })
  if (signature === 'office')
    return officeFiles.find(([name]) => head.includes(name, 0, 'utf16le'))?.[1] ?? 'office'
  if (signature === 'zip' && wanted !== 'xlsx') return officeNames.get(extname(path).toLowerCase()) ?? 'zip'
  if (signature !== undefined) return signature === 'zip' ? 'xlsx' : signature
  const by = findMark(head)?.encoding ?? sniffUtf16(head.subarray(0, longestLook)) ?? encoding
  const isWide = /^(utf|ucs)-?[1234]/i.test(by)
  if (format === undefined && !isWide && isBinary(head.subarray(0, longestLook), delimiter)) return 'binary'
  const isSniffed = format === undefined && /csv|json/.test(wanted)
  const text = (isWide ? iconv().decode(head, by) : head.toString()).trimStart()
  const known = textStarts.find(([pattern]) => pattern.test(text))
  if (known !== undefined) return known[1]
  if (isSniffed) return sniffFormat(wanted, text)
  return wanted === 'vcard' && !isWide && notCards.test(text) ? 'text' : wanted
}

/** UTF-16 without a byte-order mark: every other byte of ASCII characters is zero. */
export function sniffUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const zeros: [number, number] = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2 === 0 ? 0 : 1] += 1
  const [even, odd] = zeros
  const least = Math.max(2, head.length / 32) // one or two can be in cells
  if (odd > least && even < odd / 10) return 'utf-16le'
  return even > least && odd < even / 10 ? 'utf-16be' : undefined
}

function isBinary(look: Buffer, delimiter = ''): boolean {
  const controls = look.filter(
    byte => (byte < 9 || (byte > 13 && byte < 27)) && byte !== delimiter.charCodeAt(0),
  )
  return controls.length > look.length * mostControls && controls.length > 4
}

/** The format of a text: CSV unless the name is of JSON or the text begins like it. */
function sniffFormat(wanted: Format, text: string): 'csv' | NotRows {
  const [line = ''] = text.split(/\r\n|\n|\r/, 1)
  const isAlone = text.trimEnd() === line.trimEnd()
  const json = parsed(line)
  if (wanted === 'json') return isAlone || !isObject(json) ? 'json' : 'ndjson'
  const isNdjson = wanted === 'ndjson'
  if (/^\[\s*[{\]]/.test(text) && (isAlone || !isNdjson || json === undefined)) return 'json'
  if (isAlone && json !== undefined && listIn([json], 2) !== undefined) return 'json'
  if (/^\{\s*[\r\n]\s*"/.test(text)) return 'json'
  if (isNdjson || json !== undefined) return 'ndjson'
  return /^\{\s*["}]/.test(text) ? 'json' : 'csv'
}

export const unsupported = (source: string, looksLike: ReturnType<typeof formatIn>): SourceError =>
  new SourceError('unsupported_source', { source, looksLike: looksLike as NotRows })
