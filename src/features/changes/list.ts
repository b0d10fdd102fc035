import { join } from '../../mapping/scope.ts'
import type { RowLabel } from '../../result/short-texts.ts'

/** Texts by the paths of fields, or by columns. */
export type Texts = readonly (readonly [name: string, text: string])[]

/** A row that has its record and reads differently now. */
export interface ChangedRow extends RowLabel {
  readonly status: 'changed' | 'no longer valid'
  /** The reason why it is no longer valid. */
  readonly note: string
  /** The fields that would be sent now. */
  readonly fields: Texts
  readonly cells: Texts
}

/** The values in a value that are no objects and no lists, as texts by their paths, such as `emails.0.email`. */
export function leavesOf(value: unknown, path = ''): Texts {
  if (typeof value !== 'object' || value === null) return [[path, String(value ?? '')]]
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, join(path, name)))
}

/** Adds the paths of fields to those of other rows; a new one comes after the one before it. */
export function addPaths(paths: string[], fields: Texts): void {
  let at = 0
  for (const [path] of fields) {
    const known = paths.indexOf(path)
    if (known === -1) paths.splice(at, 0, path)
    at = (known === -1 ? at : known) + 1
  }
}

const ofRow = ['key', 'record_id', 'source', 'row', 'line', 'status']

/** The columns of a list; a path with the name of another column begins with `body`. */
export function headerOf(paths: readonly string[], compares: boolean): string[] {
  const own = [...ofRow, ...(compares ? ['column', 'was', 'is'] : []), 'note']
  return [...own, ...paths.map(path => (own.includes(path) ? `body.${path}` : path))]
}

/** The lines of a row: one for each of its changes, with all its fields. */
export function linesOf(
  { key, source, row, line, status, fields }: ChangedRow,
  recordId: string,
  changes: readonly (readonly string[])[],
  paths: readonly string[],
): string[][] {
  const texts = new Map(fields)
  const values = paths.map(path => texts.get(path) ?? '')
  return changes.map(change => [key, recordId, source, `${row}`, `${line}`, status, ...change, ...values])
}

const asBefore = 'as in the last export: it changed before, or the mapping did'

/** The columns that changed, what each was and is, and a note; a row without any has a line that says why. */
export function changesOf(
  { cells, note }: ChangedRow,
  before: Texts | undefined,
  isRead: (column: string) => boolean,
): string[][] {
  const [now, then] = [new Map(cells), new Map(before ?? cells)]
  const changes = [...new Set([...now.keys(), ...then.keys()])]
    .map(column => [column, then.get(column) ?? '', now.get(column) ?? ''] as const)
    .filter(([column, was, is]) => was.trim() !== is.trim() && isRead(column))
  if (changes.length > 0) return changes.map(change => [...change, note])
  const why = before === undefined ? 'not in the last export' : asBefore
  return [['', '', '', note === '' ? why : `${note}; ${why}`]]
}
