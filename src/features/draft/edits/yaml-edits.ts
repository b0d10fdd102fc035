// Edits of a YAML text at the places of its nodes: all else of the text stays as it is.
import { isCollection, isMap, isNode, isScalar, type Node, type Pair, parseDocument } from 'yaml'
import { type Flow, flow, valueLines, word } from '../yaml.ts'

export type Path = readonly (string | number)[]

export function nodeAt(text: string, path: Path): Node | undefined {
  const node = parseDocument(text).getIn(path, true)
  return isNode(node) && !(isScalar(node) && node.value === null) ? node : undefined
}

/** A map or a list that has items. */
function collectionAt(text: string, path: Path) {
  const node = nodeAt(text, path)
  return isCollection(node) && node.items.length > 0 ? node : undefined
}

type Collection = NonNullable<ReturnType<typeof collectionAt>>

const lineStart = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1
const lineEnd = (text: string, at: number) => (text.indexOf('\n', at) + 1 || text.length + 1) - 1
const spliced = (text: string, [start, end]: Span, now: string) =>
  text.slice(0, start) + now + text.slice(end)

type Span = readonly [start: number, end: number]

/** A node without the blanks, empty lines and comments that follow it. */
function spanOf(text: string, node: Node): Span {
  const [start = 0, valueEnd = 0] = node.range ?? []
  const endBefore = (most: number): number => {
    const end = start + text.slice(start, most).trimEnd().length
    const last = lineStart(text, end)
    return last > start && /^\s*#/.test(text.slice(last, end)) ? endBefore(last) : end
  }
  return [start, endBefore(valueEnd)]
}

/** The items of a collection, each from its first sign to its last. */
const itemSpans = (text: string, { items }: Collection): Span[] =>
  (items as (Pair<Node, Node | null> | Node)[]).map(item => {
    if (isNode(item)) return spanOf(text, item)
    const [start, end] = spanOf(text, item.key)
    return [start, Math.max(end, item.value ? spanOf(text, item.value)[1] : 0)]
  })

/** Puts another value in the place of one that is there, or adds it. */
export function withValue(text: string, path: Path, value: Flow): string {
  const node = nodeAt(text, path)
  if (node === undefined) return withItem(text, path.slice(0, -1), String(path.at(-1)), value)
  const [start, end] = spanOf(text, node)
  const isBlock = isCollection(node) && !node.flow // it stands below its key
  const span = [isBlock ? text.slice(0, start).trimEnd().length : start, end] as const
  return spliced(text, span, (isBlock ? ' ' : '') + flow(value))
}

/** Adds a key to a map, or with the key `-` an item to a list, behind the last one; the map is made if it is missing. */
export function withItem(text: string, path: Path, key: string, value: Flow): string {
  const node = collectionAt(text, path)
  if (node === undefined) return withFirst(text, path, key, value)
  const spans = itemSpans(text, node)
  const [[first] = [0], [, end] = [0, 0]] = [spans[0], spans.at(-1)]
  if (node.flow) return spliced(text, [end, end], `, ${key === '-' ? '' : `${word(key)}: `}${flow(value)}`)
  const at = isMap(node) ? first : text.lastIndexOf('-', first)
  return withLines(text, lineEnd(text, end), at - lineStart(text, at), linesOf(key, value))
}

/** Gives the first item to a map or a list; `body:` may have comments alone. */
function withFirst(text: string, path: Path, key: string, value: Flow): string {
  const name = String(path.at(-1))
  const above = collectionAt(text, path.slice(0, -1))
  const pair = isMap(above)
    ? above.items.find(item => isScalar(item.key) && item.key.value === name)
    : undefined
  const inner = key === '-' ? [value] : { [key]: value }
  if (pair === undefined) return withItem(text, path.slice(0, -1), name, inner)
  if (pair.value && nodeAt(text, path)) return withValue(text, path, inner) // an empty one in brackets
  const [start, end] = spanOf(text, pair.key as Node)
  return withLines(text, lineEnd(text, end), start - lineStart(text, start) + 2, linesOf(key, value))
}

/** The items of a list stand below its key. */
function linesOf(key: string, value: Flow): string[] {
  if (!Array.isArray(value) || !value.some(item => typeof item === 'object')) return valueLines(key, value)
  return [`${word(key)}:`, ...value.flatMap(item => linesOf('-', item)).map(line => `  ${line}`)]
}

function withLines(text: string, at: number, indent: number, lines: readonly string[]): string {
  const added = lines.map(line => `\n${' '.repeat(indent)}${line}`).join('')
  return spliced(text, [at, at], added + (at === text.length ? '\n' : ''))
}

/** Takes a key out of a map, or an item out of a list. */
export function withoutItem(text: string, path: Path): string {
  const parent = collectionAt(text, path.slice(0, -1))
  const key = path.at(-1)
  const keys = isMap(parent)
    ? parent.items.map(item => (isScalar(item.key) ? String(item.key.value) : ''))
    : undefined
  const at = keys ? keys.indexOf(String(key)) : Number(key)
  const spans = parent ? itemSpans(text, parent) : []
  const [own, next, before] = [spans[at], spans[at + 1], spans[at - 1]]
  if (own === undefined) return text
  const start = lineStart(text, own[0])
  const isBesideDash = keys !== undefined && /^\s*(- +)+$/.test(text.slice(start, own[0]))
  if (next && (parent?.flow || isBesideDash)) return spliced(text, [own[0], next[0]], '')
  if (parent?.flow) return spliced(text, [before?.[1] ?? own[0], own[1]], '')
  return spliced(text, [start, Math.min(text.length, lineEnd(text, own[1]) + 1)], '')
}
