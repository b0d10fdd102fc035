import { hash } from 'node:crypto'
import { KeyTable } from '../model/key-table.ts'
import type { Origin, Row } from '../model/row.ts'
import { present } from '../model/values.ts'
import { type Evaluate, scopeOf } from './scope.ts'

/** A column of this name, where it is not empty, is the row's key as it stands: repaired rows keep theirs. */
const ownKeyColumn = 'rowlift_key'

/** Names the rows of an import, in their order (DESIGN 3). */
export type Identify = (row: Row) => Origin

/** Makes the naming of one import; it remembers how often each row without a key of its own came. */
export function identifier(keyReaders: readonly Evaluate[]): Identify {
  const seen = new KeyTable()
  return row => {
    const { source, row: number, line } = row
    const digest = hash('sha256', row.text ?? contentOf(row))
    const place = { source, row: number, line, hash: digest.slice(0, 16) }
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
