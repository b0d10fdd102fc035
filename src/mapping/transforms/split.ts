import { addTo, parseKeeping, present } from '../../model/values.ts'
import { mostItems } from '../scope.ts'

export type Separator = string | readonly string[]

/** Splits cells into one list at each of the separators. A cell may be a JSON array, brackets (`[A, B]`), or items in quotes (`"VIP","Blog"`). */
export function splitter(separators: Separator | undefined): (value: unknown) => unknown {
  if (separators === undefined) return value => value
  const separator = patternOf([separators].flat())
  return value => {
    if (typeof value === 'string') return present(itemsOf(value, separator))
    if (!Array.isArray(value)) return value
    const items: unknown[] = []
    for (const cell of value) addTo(items, typeof cell === 'string' ? itemsOf(cell, separator) : cell)
    return present(items)
  }
}

/** The longest separator comes first. */
const patternOf = (all: readonly string[]): RegExp => {
  const longestFirst = [...all].sort((a, b) => b.length - a.length)
  const escaped = longestFirst.map(each => each.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return new RegExp(escaped.join('|'), 'gu')
}

/** Where the next separator begins and ends, at `at` or behind it. */
function nextIn(text: string, separator: RegExp, at: number): readonly [number, number] | undefined {
  separator.lastIndex = at
  const found = separator.exec(text)
  return found ? [found.index, found.index + found[0].length] : undefined
}

function itemsOf(cell: string, separator: RegExp): unknown[] {
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
function partsOf(text: string, separator: RegExp): string[] {
  if (!text.includes('"')) return text.split(separator, mostItems + 1)
  const parts: string[] = []
  for (let at = 0; at <= text.length && parts.length <= mostItems; ) {
    const quoted = quotedItem(text, at, separator)
    const [from, behind] = quoted
      ? [at, quoted.behind]
      : (nextIn(text, separator, at) ?? [text.length, undefined])
    parts.push(quoted?.item ?? text.slice(at, from))
    if (behind === undefined) break
    at = behind
  }
  return parts
}

const quotedText = /\s*"((?:[^"\\]|""|\\.)*)"/suy

/** An item in quotes and the place behind its separator, undefined at the end of the text. */
function quotedItem(text: string, at: number, separator: RegExp) {
  quotedText.lastIndex = at
  const [, quoted] = quotedText.exec(text) ?? []
  if (quoted === undefined) return undefined
  const item = quoted.replaceAll(/""|\\(["\\])/g, (_, escaped) => escaped ?? '"')
  const behind = quotedText.lastIndex
  const behindBlanks = behind + text.slice(behind).search(/\S|$/)
  if (behindBlanks === text.length) return { item, behind: undefined }
  const [from, end] = nextIn(text, separator, behind) ?? [-1, undefined]
  return from === behind || from === behindBlanks ? { item, behind: end } : undefined
}
