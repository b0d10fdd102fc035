import type { RowIdentity } from '../model/row.ts'

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
