import { addTo, parseKeeping, present } from '../../model/values.ts'
import { mostItems } from '../scope.ts'

export type Separator = string | readonly string[]

/**
 * Returns what splits cells into one list, at each of the separators. A cell may be a JSON array, in brackets (`[A, B]`), or have
 * items in quotes (`"VIP","Blog"`).
 */
export function splitter(separators: Separator | undefined): ((value: unknown) => unknown) | undefined {
  if (separators === undefined) return undefined
  const split = itemSplitter([separators].flat())
  const itemsOf = (cell: string): unknown[] => {
    if (!cell.startsWith('[') || !cell.endsWith(']')) return split(cell)
    const inside = cell.slice(1, -1)
    return jsonArray(cell) ?? split(/[[\]]/.test(inside) ? cell : inside)
  }
  return value => {
    if (typeof value === 'string') return present(itemsOf(value))
    if (!Array.isArray(value)) return value
    const items: unknown[] = []
    for (const cell of value) addTo(items, typeof cell === 'string' ? itemsOf(cell) : cell)
    return present(items)
  }
}

/** Numbers stay as written: long ids would lose their last digits. */
function jsonArray(cell: string): unknown[] | undefined {
  try {
    return parseKeeping(cell, () => true) as unknown[]
  } catch {
    return undefined
  }
}

/** A separator between quotes is text; a quote inside is doubled or follows a backslash. */
function itemSplitter(separators: readonly string[]): (text: string) => string[] {
  const longestFirst = [...separators].sort((a, b) => b.length - a.length)
  const escaped = longestFirst.map(each => each.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
  const separator = new RegExp(escaped, 'u')
  const item = new RegExp(`(?:\\s*"((?:[^"\\\\]|""|\\\\.)*)"\\s*?|(.*?))(?:${escaped}|$)`, 'gsu')
  return text => {
    if (!text.includes('"')) return text.split(separator, mostItems + 1)
    const items: string[] = []
    for (const [, quoted, plain = ''] of text.matchAll(item))
      if (items.push(quoted?.replaceAll(/""|\\(["\\])/g, (_, sign = '"') => sign) ?? plain) > mostItems) break
    return items
  }
}
