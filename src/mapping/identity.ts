import { hash } from 'node:crypto'
import {
  contentKey,
  isContentKey,
  isReservedColumn,
  keyColumn,
  mostCompared,
  replacesOf,
} from '../model/content-key.ts'
import { hexWord } from '../model/fingerprint.ts'
import { KeyTable } from '../model/key-table.ts'
import type { ColumnHistory, Refs, Row, RowIdentity } from '../model/row.ts'
import { present, textOf } from '../model/values.ts'
import { type Evaluate, scopeOf } from './scope.ts'

/** Names rows; must be called with them in their order. */
export type Identify = (row: Row) => RowIdentity

export interface NamedReader {
  readonly column: string
  readonly read: Evaluate
}

/** Extent of names: `keys` saves the hash of rows with a key of their own; `own_keys` makes only such keys after the first rows, for a dry run. */
export type NamingExtent = 'full' | 'keys' | 'own_keys'

/** Names the rows of one import, and counts equal rows without a key. Other rows refer to a row by `refs`. */
export function identifier(
  keyReaders: readonly Evaluate[],
  refs: readonly NamedReader[] = [],
  extent: NamingExtent = 'full',
  digestsOf = rowDigests({ history: {} }),
): Identify {
  const counts = new KeyTable({ isShort: true })
  const countedKey = (digest: string) => {
    const [first, second] = [hexWord(digest, 0), hexWord(digest, 8)]
    const words = [second, first, second] as const // a short table keeps the last two: all 64 bits
    const count = (counts.get(words) ?? 0) + 1
    counts.set(words, count)
    return contentKey(digest, count)
  }
  return row => {
    const rejected = nameInFile(row)
    const isReadable = row.fault === undefined || !(row.repaired || rejected !== undefined)
    const named = (isReadable ? columnsKey(row, keyReaders) : undefined) ?? rejected
    const isHashed =
      extent === 'full' || (named === undefined && (extent === 'keys' || counts.size < mostCompared))
    const { hash = '', name = '', alike } = isHashed ? digestsOf(row) : {}
    const key = named ?? (isHashed ? countedKey(name) : '')
    const { source, row: number, line } = row
    const ref = refs.length === 0 || row.fault !== undefined ? undefined : refsOf(row, refs)
    const identity: RowIdentity = { source, row: number, line, key, hash, alike, body_hash: undefined, ref }
    if (rejected === undefined) return identity
    const isOfKey = keyReaders.length > 0 // another name in a source without a key is the row's own
    return isOfKey || isContentKey(rejected) ? { ...identity, replaces: replacesOf(rejected) } : identity
  }
}

/** The text of the only column, or texts by column; undefined if all are empty. */
function refsOf(row: Row, readers: readonly NamedReader[]): Refs | undefined {
  const scope = scopeOf(row)
  const refs = readers.flatMap(({ column, read }) => {
    const text = textOf(present(read(scope)) ?? '')
    return typeof text === 'string' && text !== '' ? [[column, text] as const] : []
  })
  if (readers.length === 1) return refs[0]?.[1]
  return refs.length === 0 ? undefined : Object.fromEntries(refs)
}

/** The name of a row in a file of rejected rows; a ragged row may have another cell in its place. */
function nameInFile(row: Row): string | undefined {
  const value = present(row.value(keyColumn))
  if (value === undefined) return undefined
  const name = keyText(value)
  return row.isRagged && !isContentKey(name) ? undefined : name
}

/** Values joined by `|`; undefined if all are empty. */
function columnsKey(row: Row, readers: readonly Evaluate[]): string | undefined {
  if (readers.length === 0) return undefined
  const scope = scopeOf(row)
  const values = readers.map(read => present(read(scope)))
  if (values.every(value => value === undefined)) return undefined
  return values.map(value => keyText(value).replaceAll(/[\\|]/g, '\\$&')).join('|')
}

export const keyText = (value: unknown): string => {
  if (value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The columns of a table, or the paths of objects: `emails.type` for each item of a list. */
export type ColumnSet = ReadonlySet<string>

/** The columns by which rows are named and compared. */
export interface NamingColumns {
  readonly history: Pick<ColumnHistory, 'without' | 'renamed'>
  /** Returns the sets of columns of a source. `names` is undefined if all name a row; `earlier` are those of earlier runs that lack some. */
  readonly columnsOf?: (
    source: string,
  ) => { readonly names: ColumnSet | undefined; readonly earlier: readonly ColumnSet[] } | undefined
}

/**
 * Makes the digests of rows, each the first 16 hex digits of a SHA-256: `hash` is over all columns of its source, `name` over those that
 * name rows without a key, and `alike` over those that earlier runs had, if the row has more.
 */
export function rowDigests({ history: { without, renamed = {} }, columnsOf }: NamingColumns) {
  const left = new Set(without)
  const oldNames = oldNamesOf(renamed)
  return (row: Row) => {
    if (row.text !== undefined) return whole(digest(row.text))
    const cells: Cell[] = []
    for (const cell of row.cells()) {
      const [column, value] = cell
      if (isBlank(value) || isReservedColumn(column) || left.has(column)) continue
      cells.push(oldNames.has(column) ? [oldNames.get(column) ?? column, value] : cell)
    }
    const all = digestOf(cells)
    const { names, earlier = [] } = columnsOf?.(row.source) ?? {}
    if (names === undefined && earlier.length === 0) return whole(all)
    const name = names === undefined ? all : digestWithin(cells, names, all)
    const others = earlier.map(set => digestWithin(cells, set, all))
    const alike = [...new Set([name, ...others])].filter(each => each !== all)
    return { hash: all, name, alike: alike.length > 0 ? alike : undefined }
  }
}

/** The names in the log of columns that have others now. */
export const oldNamesOf = (renamed: NonNullable<ColumnHistory['renamed']>): ReadonlyMap<string, string> =>
  new Map(Object.entries(renamed).map(([old, now]) => [now, old]))

type Cell = readonly [column: string, value: unknown]

const whole = (hash: string) => ({ hash, name: hash, alike: undefined })

const digest = (text: string) => hash('sha256', text).slice(0, 16)

/** Sorts the [column, value] pairs; the digest is that of their JSON. */
const digestOf = (cells: Cell[]): string => digest(JSON.stringify(cells.sort(byColumnThenValue)))

/** Returns `all` if the row has nothing outside of the set. */
function digestWithin(cells: readonly Cell[], set: ColumnSet, all: string): string {
  const kept = cells.map(([column, value]): Cell => [column, within(value, column, set)])
  if (kept.every(([, value], at) => value === cells[at]?.[1])) return all
  return digestOf(kept.filter(([, value]) => value !== undefined))
}

/** The part of a value whose paths are in a set: the value itself if all are, undefined if none is. */
function within(value: unknown, path: string, set: ColumnSet): unknown {
  const members = membersOf(value)
  if (members.length === 0) return set.has(path) ? value : undefined
  const kept = members.map(([key, each]) => [key, within(each, pathOf(value, path, key), set)] as const)
  if (kept.every(([, each], at) => each === members[at]?.[1])) return value
  const left = kept.filter(([, each]) => each !== undefined)
  if (left.length === 0) return undefined
  return Array.isArray(value) ? left.map(([, item]) => item) : Object.fromEntries(left)
}

/** The paths of the values in a value; the items of a list have that of the list. */
export function* pathsIn(value: unknown, path: string): Generator<string> {
  const members = membersOf(value)
  if (members.length === 0) yield path
  for (const [key, each] of members) yield* pathsIn(each, pathOf(value, path, key))
}

const membersOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

const pathOf = (value: unknown, path: string, key: string) => (Array.isArray(value) ? path : `${path}.${key}`)

export const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'string' && value.trim() === '')

function byColumnThenValue([a, x]: Cell, [b, y]: Cell): number {
  if (a !== b) return a < b ? -1 : 1
  const [first, second] = [JSON.stringify(x), JSON.stringify(y)]
  return first < second ? -1 : Number(first > second)
}
