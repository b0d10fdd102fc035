import type { RowIdentity } from './row.ts'

/** The key of a row without key columns: made of its content, with a count from 1 among equal rows. */
export const contentKey = (hash: string, count = 1): string => `sha256:${hash}#${count}`

const pattern = /^sha256:[0-9a-f]{16}#[1-9]\d{0,8}$/

export const isContentKey = (key: string): boolean => key.startsWith('sha256:') && pattern.test(key)

/** Most different rows that a dry run compares with each other. */
export const mostCompared = 10_000

/** Checks whether an earlier row has the same content. */
export const isRepeated = (key: string): boolean => !key.endsWith('#1') && isContentKey(key)

/**
 * The name of a refused row in a rejects file, by which it comes back: made of its content. Equal rows with key columns share
 * one name, for they are duplicates of each other; without key columns each has its own.
 */
export const rejectedName = ({ key, hash }: Pick<RowIdentity, 'key' | 'hash'>): string =>
  isContentKey(key) ? key : contentKey(hash)

/** Marks a name that is not made of content. */
const keyMark = 'key:'

/** The text of `replaces` for a refused row with this name: its hash, with `#2` for the second of equal rows, and so on. */
export function replacesOf(name: string): string {
  if (!isContentKey(name)) return keyMark + name
  const text = name.slice('sha256:'.length)
  return text.endsWith('#1') ? text.slice(0, -2) : text
}

function nameIn(replaces: string): string {
  if (replaces.startsWith(keyMark)) return replaces.slice(keyMark.length)
  return replaces.includes('#') ? `sha256:${replaces}` : contentKey(replaces)
}

/** The name of the refused row that a row replaces; its own name if it replaces none. */
export const replacedName = (row: Pick<RowIdentity, 'key' | 'hash' | 'replaces'>): string =>
  row.replaces === undefined ? rejectedName(row) : nameIn(row.replaces)

/** Checks that a row has the content that was refused; true for rows that replace none. */
export const isUnrepaired = (row: Pick<RowIdentity, 'key' | 'hash' | 'alike' | 'replaces'>): boolean =>
  row.replaces === undefined || hashesOf(row).some(hash => replacedName(row).startsWith(`sha256:${hash}#`))

/** The hashes of a row over the columns of this run and of earlier ones. */
export const hashesOf = ({ hash, alike = [] }: Pick<RowIdentity, 'hash' | 'alike'>) => [hash, ...alike]

/** Follows the names of key columns that are those of `distinct`: they make other keys of the same column. */
export const distinctMark = ' (distinct)'

/** The column with the key of a rejected row. Like those below, it is no part of a row's content. */
export const keyColumn = 'rowlift_key'
/** A source with this column is a file of rejected rows. */
export const reasonColumn = 'rowlift_reason'
/** A line of NDJSON that could not be read. */
export const textColumn = 'rowlift_text'

const all: ReadonlySet<string> = new Set([keyColumn, reasonColumn, textColumn])

export const isReservedColumn = (column: string): boolean => all.has(column)

/** A row whose reason starts so is not sent: a spreadsheet makes rows equally long, and nothing else shows that cells moved. */
export const raggedMark = 'ragged: '
