import type { RowIdentity } from '../model/row.ts'
import { atPath } from '../model/values.ts'

export type RowLabel = Pick<RowIdentity, 'source' | 'row' | 'line' | 'key'>

const maxKey = 500

/** A row's place and its key, cut. */
export const labelOf = ({ source, row, line, key }: RowLabel): RowLabel => ({
  source,
  row,
  line,
  key: shorten(key, maxKey),
})

/** Cuts a text. The result is a copy, because a slice would hold the whole text in memory. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const lastUnit = text.charCodeAt(maxLength - 1)
  const splitsPair = lastUnit >= 0xd800 && lastUnit <= 0xdbff
  return `${Buffer.from(text.slice(0, splitsPair ? maxLength - 1 : maxLength)).toString()}…`
}

/** Returns any value as short text: a string as it is, all else as JSON. */
export function showValue(value: unknown, maxLength: number): string {
  if (typeof value === 'string') return shorten(value, maxLength)
  try {
    return shorten(JSON.stringify(value) ?? '', maxLength)
  } catch {
    return '' // nested too deep
  }
}

/** The fields by which a person recognizes the record of a body; a body that was read from a file may be anything. */
export const recognizableFields = (body: unknown) => ({
  name: textAt(body, 'name'),
  emails: textsAt(body, 'emails', 'email'),
  phones: textsAt(body, 'phones', 'phone_number'),
  dueDate: textAt(body, 'date_info.due_date'),
  parentName: textAt(body, 'parent.name'),
})

function textAt(value: unknown, path: string): string | undefined {
  const text = atPath(value, path)
  return typeof text === 'string' && text !== '' ? text : undefined
}

function textsAt(body: unknown, list: string, path: string): string[] {
  const items = atPath(body, list)
  return Array.isArray(items) ? items.flatMap(item => textAt(item, path) ?? []) : []
}
