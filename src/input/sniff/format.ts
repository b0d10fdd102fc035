import { formatOf, withoutGz } from '../source.ts'

const signatures = [
  ['504b0304', 'zip'],
  ['504b0506', 'zip'],
  ['d0cf11e0', 'office'],
  ['255044462d', 'pdf'],
  ['1f8b', 'gzip'],
  ['89504e47', 'image'],
  ['ffd8ff', 'image'],
  ['47494638', 'image'],
] as const
const textStarts = [
  [/^(<\?xml|<!doctype|<html|<table)/i, 'web_page'],
  [/^begin:vcard/i, 'vcard'],
  [/^begin:vcalendar/i, 'calendar'],
  [/^$/, 'empty'],
] as const

export type NotRows =
  | (typeof signatures)[number][1]
  | (typeof textStarts)[number][1]
  | 'binary'
  | 'json_list'
  | 'json_spread'

const longestLook = 4096
/** One or two control characters may be in a cell. */
const mostControls = 0.02

/** The kind of a binary file, by its first bytes. */
export function findBinary(head: Buffer, isUtf16: boolean): NotRows | undefined {
  const start = head.subarray(0, 8).toString('hex')
  const signature = signatures.find(([bytes]) => start.startsWith(bytes))
  if (signature !== undefined || isUtf16) return signature?.[1]
  const look = head.subarray(0, longestLook)
  const controls = look.filter(byte => byte < 9 || (byte > 13 && byte < 27)).length
  return controls > look.length * mostControls && controls > 4 ? 'binary' : undefined
}

/** The kind of a text that is neither CSV nor JSON. */
export const findOtherText = (text: string): NotRows | undefined =>
  textStarts.find(([start]) => start.test(text.trimStart()))?.[1]

/** CSV unless the name says NDJSON or the text begins like JSON. */
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
