import { contentKey, isContentKey, keyColumn, mostCompared, replacesOf } from '../model/content-key.ts'
import { fingerprint, KeyTable } from '../model/key-table.ts'
import type { Refs, Row, RowIdentity } from '../model/row.ts'
import { present, textOf } from '../model/values.ts'
import { type DigestRow, rowDigests } from './column-sets.ts'
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
  digestsOf: DigestRow = rowDigests(),
): Identify {
  const counts = new KeyTable()
  const countedKey = (digest: string) => {
    const keyFingerprint = fingerprint(contentKey(digest))
    const count = (counts.get(keyFingerprint) ?? 0) + 1
    counts.set(keyFingerprint, count)
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
    const identity = { source, row: number, line, key, hash, alike, ref }
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
