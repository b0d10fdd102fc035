/** What bytes are that are no rows of text. */
export type NotRows =
  | 'zip'
  | 'office'
  | 'pdf'
  | 'gzip'
  | 'image'
  | 'web_page'
  | 'vcard'
  | 'calendar'
  | 'binary'

const signatures: readonly (readonly [start: string, is: NotRows])[] = [
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
/** A text has hardly any of these signs; one or two may have slipped into a cell. */
const mostControls = 0.02

/** Tells files that no encoding makes rows of, by how their bytes begin; undefined for what may be text. */
export function notRows(head: Buffer, isUtf16: boolean): NotRows | undefined {
  const start = head.subarray(0, 8).toString('hex')
  const signature = signatures.find(([bytes]) => start.startsWith(bytes))
  if (signature !== undefined) return signature[1]
  if (isUtf16) return undefined
  const look = head.subarray(0, longestLook)
  const controls = look.filter(byte => byte < 9 || (byte > 13 && byte < 27)).length
  return controls > look.length * mostControls && controls > 4 ? 'binary' : undefined
}

/** The same for text that is something else than rows. */
export function notRowsOfText(text: string): NotRows | undefined {
  const start = text.slice(0, 200).trimStart().toLowerCase()
  if (/^(<\?xml|<!doctype|<html|<table)/.test(start)) return 'web_page'
  if (start.startsWith('begin:vcard')) return 'vcard'
  return start.startsWith('begin:vcalendar') ? 'calendar' : undefined
}
