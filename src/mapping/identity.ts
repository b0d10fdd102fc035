import { hash } from 'node:crypto'
import { KeyTable } from '../model/key-table.ts'
import type { Origin, Refs, Row } from '../model/row.ts'
import { present, textOf } from '../model/values.ts'
import { type Evaluate, scopeOf } from './scope.ts'

/** A column of this name, where it is not empty, is the row's key as it stands: repaired rows keep theirs. */
const ownKeyColumn = 'rowlift_key'

/** Names the rows of an import, in their order (DESIGN 3). */
export type Identify = (row: Row) => Origin

/** A column and the reader of it. */
export interface NamedReader {
  readonly column: string
  readonly read: Evaluate
}

/**
 * Makes the naming of one import; it remembers how often each row without a key of its own came. `refs` are the columns by
 * which other rows may name a row.
 */
export function identifier(keyReaders: readonly Evaluate[], refs: readonly NamedReader[] = []): Identify {
  const seen = new KeyTable()
  return row => {
    const { source, row: number, line } = row
    const digest = hash('sha256', row.text ?? contentOf(row))
    const ref = row.fault === undefined ? refsOf(row, refs) : undefined
    const place = { source, row: number, line, hash: digest.slice(0, 16), ...(ref !== undefined && { ref }) }
    const key = ownKey(row) ?? columnsKey(row, keyReaders)
    if (key !== undefined) return { ...place, key }
    const print = [
      Number.parseInt(digest.slice(0, 8), 16),
      Number.parseInt(digest.slice(8, 16), 16),
      0,
    ] as const
    const count = (seen.get(print) ?? 0) + 1
    seen.set(print, count)
    return { ...place, key: `sha256:${place.hash}#${count}` }
  }
}

/** The text of the one column, or of several by their names; undefined where all are empty. */
function refsOf(row: Row, readers: readonly NamedReader[]): Refs | undefined {
  if (readers.length === 0) return undefined
  const scope = scopeOf(row, [])
  const refs = readers.flatMap(({ column, read }) => {
    const text = textOf(present(read(scope)) ?? '')
    return typeof text === 'string' && text !== '' ? [[column, text] as const] : []
  })
  if (readers.length === 1) return refs[0]?.[1]
  return refs.length === 0 ? undefined : Object.fromEntries(refs)
}

function ownKey(row: Row): string | undefined {
  const value = present(row.value(ownKeyColumn))
  return value === undefined ? undefined : keyText(value)
}

/** The key columns' values, joined by `|`; undefined where all of them are empty. */
function columnsKey(row: Row, readers: readonly Evaluate[]): string | undefined {
  const scope = scopeOf(row, [])
  const values = readers.map(read => present(read(scope)))
  if (values.every(value => value === undefined)) return undefined
  return values.map(value => keyText(value).replaceAll(/[\\|]/g, '\\$&')).join('|')
}

const keyText = (value: unknown) => {
  if (value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The non-empty [column, value] pairs, sorted, as JSON: a column that comes or goes empty changes nothing. */
function contentOf(row: Row): string {
  const pairs: (readonly [string, unknown])[] = []
  for (const pair of row.cells()) if (!isBlank(pair[1])) pairs.push(pair)
  return JSON.stringify(pairs.sort(byColumnThenValue))
}

const isBlank = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '')

function byColumnThenValue([a, x]: readonly [string, unknown], [b, y]: readonly [string, unknown]): number {
  if (a !== b) return a < b ? -1 : 1
  const [first, second] = [JSON.stringify(x), JSON.stringify(y)]
  return first < second ? -1 : Number(first > second)
}
