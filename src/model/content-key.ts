import type { RowIdentity } from './row.ts'

/** The key that is made of a row's content, of which equal rows are counted from 1. */
export const contentKey = (hash: string, count = 1): string => `sha256:${hash}#${count}`

const pattern = /^sha256:[0-9a-f]{16}#[1-9]\d{0,8}$/

/** Whether a key was made of content: nothing else is trusted where cells may stand under wrong columns. */
export const isContentKey = (key: string): boolean => key.startsWith('sha256:') && pattern.test(key)

const startOf = (hash: string) => `sha256:${hash}#`

/**
 * The name of a row that is refused, by which its repaired self comes back: made of its content. Equal rows have one name,
 * unless their keys are of content as well: with another key they are duplicates of each other.
 */
export const rejectedName = ({ key, hash }: Pick<RowIdentity, 'key' | 'hash'>): string =>
  key.startsWith(startOf(hash)) ? key : contentKey(hash)

/** Marks a name that is not made of content: files of rejected rows had the key there before 0.2. */
const keyMark = 'key:'

/** The text of `replaces` for a rejected row of this name: its hash, with `#2` for the second of equal rows, and so on. */
export function replacesOf(name: string): string {
  if (!isContentKey(name)) return keyMark + name
  const text = name.slice('sha256:'.length)
  return text.endsWith('#1') ? text.slice(0, -2) : text
}

/** The name that a text of `replaces` was made of. */
function nameIn(replaces: string): string {
  if (replaces.startsWith(keyMark)) return replaces.slice(keyMark.length)
  return replaces.includes('#') ? `sha256:${replaces}` : contentKey(replaces)
}

/** The name of the rejected row that a row replaces; its own where it replaces none. */
export const replacedName = (row: Pick<RowIdentity, 'key' | 'hash' | 'replaces'>): string =>
  row.replaces === undefined ? rejectedName(row) : nameIn(row.replaces)

/** Whether a row that comes back still reads as it did when it was refused. */
export const isUnrepaired = (row: Pick<RowIdentity, 'key' | 'hash' | 'replaces'>): boolean =>
  replacedName(row).startsWith(startOf(row.hash))
