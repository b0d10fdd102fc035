import { formatOf, withoutGz } from '../source.ts'

/** Why no rows can be read. */
export type NotRows =
  | 'zip'
  | 'office'
  | 'pdf'
  | 'gzip'
  | 'image'
  | 'binary'
  | 'empty'
  | 'web_page'
  | 'vcard'
  | 'calendar'
  | 'json_list'
  | 'json_spread'

const signatures: readonly (readonly [start: string, type: NotRows])[] = [
  ['504b0304', 'zip'],
  ['504b0506', 'zip'],
  ['d0cf11e0', 'office'],
  ['255044462d', 'pdf'],
  ['1f8b', 'gzip'],
  ['89504e47', 'image'],
  ['ffd8ff', 'image'],
  ['47494638', 'image'],
]

const longestLook = 4096
/** Text has hardly any control characters; one or two may have slipped into a cell. */
const mostControls = 0.02

/** The kind of a file that is no text in any encoding, by its first bytes. */
export function findBinary(head: Buffer, isUtf16: boolean): NotRows | undefined {
  const start = head.subarray(0, 8).toString('hex')
  const signature = signatures.find(([bytes]) => start.startsWith(bytes))
  if (signature !== undefined) return signature[1]
  if (isUtf16) return undefined
  const look = head.subarray(0, longestLook)
  const controls = look.filter(byte => byte < 9 || (byte > 13 && byte < 27)).length
  return controls > look.length * mostControls && controls > 4 ? 'binary' : undefined
}

/** The kind of a text that is neither CSV nor JSON. */
export function findOtherText(text: string): NotRows | undefined {
  const start = text.slice(0, 200).trimStart().toLowerCase()
  if (start === '' && text.trim() === '') return 'empty'
  if (/^(<\?xml|<!doctype|<html|<table)/.test(start)) return 'web_page'
  if (start.startsWith('begin:vcard')) return 'vcard'
  return start.startsWith('begin:vcalendar') ? 'calendar' : undefined
}

/** The format of a text: CSV unless its name says NDJSON or it begins like JSON. */
export function sniffFormat(path: string, text: string): 'csv' | 'ndjson' | NotRows {
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
