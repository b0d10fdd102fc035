// Edits of a YAML text at the places of its nodes: all else of the text stays as it is.
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { type Flow, field, flow, isText, word } from '../draft/yaml.ts'

export type Path = readonly (string | number)[]

interface Span {
  readonly start: number
  readonly end: number
}

const collection = (text: string, path: Path) => {
  const document = parseDocument(text)
  return (path.length === 0 ? document.contents : document.getIn(path, true)) as Node | undefined
}

export const nodeAt = (text: string, path: Path): Node | undefined => {
  const node = collection(text, path)
  return isNode(node) ? node : undefined
}

const isFlow = (node: Node) => (node as { flow?: boolean }).flow === true
const lineStart = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1
const lineEnd = (text: string, at: number) => (text.indexOf('\n', at) + 1 || text.length + 1) - 1
const columnOf = (text: string, at: number) => at - lineStart(text, at)

/** A node without the blanks, empty lines and comments that follow it. */
function spanOf(text: string, node: Node): Span {
  const [start = 0, valueEnd = 0] = node.range ?? []
  let end = valueEnd
  for (;;) {
    end = start + text.slice(start, end).trimEnd().length
    const last = lineStart(text, end)
    if (last <= start || !/^\s*#/.test(text.slice(last, end))) return { start, end }
    end = last
  }
}

const replaced = (text: string, { start, end }: Span, now: string) =>
  text.slice(0, start) + now + text.slice(end)

/** The items of a collection from their first sign to their last. */
function itemSpans(text: string, node: YAMLMap | YAMLSeq): Span[] {
  return (node.items as (Pair | Node)[]).map(item => {
    if (isNode(item)) return spanOf(text, item)
    const { start, end } = spanOf(text, item.key as Node)
    return { start, end: isNode(item.value) ? Math.max(end, spanOf(text, item.value).end) : end }
  })
}

/** Puts another value in the place of one. */
export function withValue(text: string, path: Path, value: Flow): string {
  const node = nodeAt(text, path)
  if (node === undefined) return withItem(text, path.slice(0, -1), String(path.at(-1)), value)
  const span = spanOf(text, node)
  const now = flow(value)
  const isBlock = !isScalar(node) && !isFlow(node)
  if (!isBlock) return replaced(text, span, now)
  const before = text.slice(0, span.start).trimEnd() // the value stood below its key
  return replaced(text, { start: before.length, end: span.end }, ` ${now}`)
}

/** Adds a key to a map, or with the key `-` an item to a list, behind the last one. */
export function withItem(text: string, path: Path, key: string, value: Flow): string {
  const node = nodeAt(text, path)
  if (!isMap(node) && !isSeq(node)) return withFirst(text, path, key, value)
  const last = itemSpans(text, node).at(-1)
  if (isFlow(node) || last === undefined) {
    const now = key === '-' ? flow(value) : `${word(key)}: ${flow(value)}`
    const end = last?.end ?? (node.range?.[1] ?? 0) - 1
    return replaced(text, { start: end, end }, last === undefined ? ` ${now} ` : `, ${now}`)
  }
  const first = itemSpans(text, node)[0]?.start ?? 0
  const dash = text.lastIndexOf('-', first)
  const indent = columnOf(text, isSeq(node) ? dash : first)
  return withLines(text, lineEnd(text, last.end), indent, linesOf(key, value))
}

/** Gives a first key to a map that has none, such as `body:` with comments alone; a map that is missing is added. */
function withFirst(text: string, path: Path, key: string, value: Flow): string {
  const above = path.slice(0, -1)
  const name = String(path.at(-1))
  const parent = nodeAt(text, above)
  const pair = isMap(parent)
    ? parent.items.find(item => isScalar(item.key) && item.key.value === name)
    : undefined
  const inner = key === '-' ? [value] : { [key]: value }
  if (pair === undefined || (isMap(parent) && isFlow(parent))) {
    if (path.length === 0) return `${text.replace(/\n*$/, '\n')}${linesOf(key, value).join('\n')}\n`
    return withItem(text, above, name, inner)
  }
  const { start, end } = spanOf(text, pair.key as Node)
  return withLines(text, lineEnd(text, end), columnOf(text, start) + 2, linesOf(key, value))
}

/** A list stands below its key, an item a line. */
function linesOf(key: string, value: Flow): string[] {
  if (Array.isArray(value) && value.some(item => typeof item === 'object'))
    return [`${word(key)}:`, ...value.flatMap(item => linesOf('-', item)).map(line => `  ${line}`)]
  return field(key, value).lines.filter(isText)
}

function withLines(text: string, at: number, indent: number, lines: readonly string[]): string {
  const added = lines.map(line => `\n${' '.repeat(indent)}${line}`).join('')
  return text.slice(0, at) + added + (at === text.length ? '\n' : '') + text.slice(at)
}

/** Takes a key out of a map, or an item out of a list. */
export function withoutItem(text: string, path: Path): string {
  const parent = nodeAt(text, path.slice(0, -1))
  if (!isMap(parent) && !isSeq(parent)) return text
  const key = path.at(-1)
  const at = isSeq(parent)
    ? Number(key)
    : parent.items.findIndex(item => isScalar(item.key) && String(item.key.value) === String(key))
  const spans = itemSpans(text, parent)
  const own = spans[at]
  if (own === undefined) return text
  const next = spans[at + 1]
  if (isFlow(parent)) {
    const before = spans[at - 1]
    if (next) return replaced(text, { start: own.start, end: next.start }, '')
    return replaced(text, { start: before?.end ?? own.start, end: own.end }, '')
  }
  const start = lineStart(text, own.start)
  const isFirstOfItem = isMap(parent) && /^\s*(- +)+$/.test(text.slice(start, own.start))
  if (isFirstOfItem && next) return replaced(text, { start: own.start, end: next.start }, '')
  const end = Math.min(text.length, lineEnd(text, own.end) + 1)
  return replaced(text, { start, end }, '')
}
