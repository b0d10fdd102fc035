import { hash } from 'node:crypto'
import { contentKey, isContentKey, replacesOf } from '../model/content-key.ts'
import { fingerprint, KeyTable } from '../model/key-table.ts'
import { isReservedColumn, keyColumn } from '../model/reserved-columns.ts'
import type { Refs, Row, RowIdentity } from '../model/row.ts'
import { present, textOf } from '../model/values.ts'
import { type Evaluate, scopeOf } from './scope.ts'

/** Names the rows of an import, in their order (DESIGN 3). */
export type Identify = (row: Row) => RowIdentity

/** A column and the reader of it. */
export interface NamedReader {
  readonly column: string
  readonly read: Evaluate
}

/**
 * How much of a row's name is made: all of it; its key alone, which spares the hash of rows that have a key of their own; or
 * such own keys alone, where nobody asks for those that are made of content, as in a dry run that shows no rows. What is not made is empty.
 */
export type NamingExtent = 'full' | 'keys' | 'own_keys'

/**
 * Makes the naming of one import; it remembers how often each row without a key of its own came. `refs` are the columns by
 * which other rows may name a row.
 */
export function identifier(
  keyReaders: readonly Evaluate[],
  refs: readonly NamedReader[] = [],
  extent: NamingExtent = 'full',
): Identify {
  const counts = new KeyTable()
  const countedKey = (digest: string) => {
    const print = fingerprint(contentKey(digest))
    const count = (counts.get(print) ?? 0) + 1
    counts.set(print, count)
    return contentKey(digest, count)
  }
  return row => {
    const rejected = nameInFile(row)
    const isReadable = row.fault === undefined || !(row.repaired || rejected !== undefined)
    const named = (isReadable ? columnsKey(row, keyReaders) : undefined) ?? rejected
    const isHashed = extent === 'full' || (extent === 'keys' && named === undefined)
    const digest = isHashed ? hash('sha256', row.text ?? contentOf(row)).slice(0, 16) : ''
    const key = named ?? (isHashed ? countedKey(digest) : '')
    const { source, row: number, line } = row
    const ref = refs.length === 0 || row.fault !== undefined ? undefined : refsOf(row, refs)
    const identity = { source, row: number, line, key, hash: digest, ref }
    if (rejected === undefined) return identity
    const isOfKey = keyReaders.length > 0 // another name in a source without a key is the row's own
    return isOfKey || isContentKey(rejected) ? { ...identity, replaces: replacesOf(rejected) } : identity
  }
}

/** The text of the one column, or those of several by their names; undefined where all are empty. */
function refsOf(row: Row, readers: readonly NamedReader[]): Refs | undefined {
  const scope = scopeOf(row)
  const refs = readers.flatMap(({ column, read }) => {
    const text = textOf(present(read(scope)) ?? '')
    return typeof text === 'string' && text !== '' ? [[column, text] as const] : []
  })
  if (readers.length === 1) return refs[0]?.[1]
  return refs.length === 0 ? undefined : Object.fromEntries(refs)
}

/** The name that a file of rejected rows gives to a row; in a ragged row another cell may stand in its place. */
function nameInFile(row: Row): string | undefined {
  const value = present(row.value(keyColumn))
  if (value === undefined) return undefined
  const name = keyText(value)
  return row.isRagged && !isContentKey(name) ? undefined : name
}

/** The key columns' values, joined by `|`; undefined where all of them are empty. */
function columnsKey(row: Row, readers: readonly Evaluate[]): string | undefined {
  if (readers.length === 0) return undefined
  const scope = scopeOf(row)
  const values = readers.map(read => present(read(scope)))
  if (values.every(value => value === undefined)) return undefined
  return values.map(value => keyText(value).replaceAll(/[\\|]/g, '\\$&')).join('|')
}

const keyText = (value: unknown) => {
  if (value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * The non-empty [column, value] pairs, sorted, as JSON: a column that comes or goes empty changes nothing, and neither do
 * those of rowlift's own. Rows that know the order of the names spare the sorting.
 */
function contentOf(row: Row): string {
  const pairs: string[] = []
  let before: string | undefined
  let isSorted = true
  for (const [column, value] of row.cellsByName?.() ?? row.cells()) {
    if (isBlank(value) || isReservedColumn(column)) continue
    if (before !== undefined && before >= column) isSorted = false
    before = column
    pairs.push(pairText(column, value))
  }
  return isSorted ? `[${pairs.join(',')}]` : sortedContentOf(row)
}

function sortedContentOf(row: Row): string {
  const pairs = [...row.cells()]
    .filter(([column, value]) => !isBlank(value) && !isReservedColumn(column))
    .sort(byColumnThenValue)
  return `[${pairs.map(([column, value]) => pairText(column, value)).join(',')}]`
}

const pairText = (column: string, value: unknown) => `[${columnText(column)},${jsonText(value)}]`

/** What JSON writes in another way, or may: then JSON is asked. */
const escaped = /["\\\p{Cc}\p{Cs}]/u

const jsonText = (value: unknown) =>
  typeof value === 'string' && !escaped.test(value) ? `"${value}"` : JSON.stringify(value)

const mostColumns = 10_000
const columnTexts = new Map<string, string>()

/** A column's name as JSON; the same ones come again with every row. */
function columnText(column: string): string {
  const known = columnTexts.get(column)
  if (known !== undefined) return known
  const text = JSON.stringify(column)
  if (columnTexts.size < mostColumns) columnTexts.set(column, text)
  return text
}

const isBlank = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '')

function byColumnThenValue([a, x]: readonly [string, unknown], [b, y]: readonly [string, unknown]): number {
  if (a !== b) return a < b ? -1 : 1
  const [first, second] = [JSON.stringify(x), JSON.stringify(y)]
  return first < second ? -1 : Number(first > second)
}
