import { addTo, parseKeeping, present } from '../../model/values.ts'
import { mostItems } from '../scope.ts'

/** Splits cells into one list. A cell may be a JSON array, brackets (`[A, B]`), or items in quotes (`"VIP","Blog"`). */
export function splitter(separator: string | undefined): (value: unknown) => unknown {
  if (separator === undefined) return value => value
  return value => {
    if (!Array.isArray(value)) return typeof value === 'string' ? present(itemsOf(value, separator)) : value
    const items: unknown[] = []
    for (const cell of value)
      if (typeof cell !== 'string') items.push(cell)
      else if (isPlain(cell, separator)) items.push(cell)
      else addTo(items, itemsOf(cell, separator))
    return present(items)
  }
}

const isPlain = (cell: string, separator: string) =>
  !cell.includes(separator) && !cell.startsWith('[') && !cell.includes('"')

function itemsOf(cell: string, separator: string): unknown[] {
  if (!cell.startsWith('[') || !cell.endsWith(']')) return partsOf(cell, separator)
  const inside = cell.slice(1, -1)
  return jsonArray(cell) ?? partsOf(/[[\]]/.test(inside) ? cell : inside, separator)
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
function partsOf(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator, mostItems + 1)
  const parts: string[] = []
  for (let at = 0; at <= text.length && parts.length <= mostItems; ) {
    const quoted = quotedItem(text, at, separator)
    const end = quoted?.end ?? text.indexOf(separator, at)
    parts.push(quoted?.item ?? text.slice(at, end === -1 ? undefined : end))
    if (end === -1) break
    at = end + separator.length
  }
  return parts
}

const quotedText = /\s*"((?:[^"\\]|""|\\.)*)"/suy

/** An item in quotes and the position of its end, -1 at the end of the text. */
function quotedItem(text: string, at: number, separator: string): { item: string; end: number } | undefined {
  quotedText.lastIndex = at
  const [, quoted] = quotedText.exec(text) ?? []
  if (quoted === undefined) return undefined
  const item = quoted.replaceAll(/""|\\(["\\])/g, (_, escaped) => escaped ?? '"')
  const behind = quotedText.lastIndex
  const behindBlanks = behind + text.slice(behind).search(/\S|$/)
  if (behindBlanks === text.length) return { item, end: -1 }
  const end = [behind, behindBlanks].find(place => text.startsWith(separator, place))
  return end === undefined ? undefined : { item, end }
}
