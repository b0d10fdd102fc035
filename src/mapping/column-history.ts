import { isReservedColumn } from '../model/content-key.ts'
import type { ColumnHistory, Row } from '../model/row.ts'
import { type ColumnSet, isBlank, type NamingColumns, oldNamesOf, pathsIn } from './identity.ts'

export type SettledColumns = ReturnType<typeof settleColumns>

const mostPaths = 1_000
const mostSets = 8

/**
 * Settles the columns that name the rows of each source: those that the log began with. `before` is undefined for a log without a run; one
 * of an old version takes the columns of this run, and names objects by all of them. The sources of objects have no `columns`.
 */
export function settleColumns(
  before: ColumnHistory | undefined,
  sources: readonly { readonly path: string; readonly columns: readonly string[] | undefined }[],
  first: readonly Row[],
  without: ColumnSet,
) {
  const setsOf = (lists: ColumnHistory['columns'] = []) => lists.map((names): ColumnSet => new Set(names))
  const shapes = setsOf(before?.columns)
  const isOld = before !== undefined && shapes.length === 0
  const earlier = [...shapes.filter(set => !isEmpty(set)), ...setsOf(before?.columns_read)]
  const known = [...earlier]
  const { renamed = {} } = before ?? {}
  const oldNames = oldNamesOf(renamed)
  const bySource = new Map<string, ReturnType<NonNullable<NamingColumns['columnsOf']>>>()
  const lacking: { source: string; columns: string[]; others: string[] }[] = []
  for (const { path, columns: header } of sources) {
    const isTable = header !== undefined
    const all = (header ?? pathsOf(first, path)).filter(name => !isReservedColumn(name) && !without.has(name))
    const own: ColumnSet = new Set(all.map(name => oldNames.get(name) ?? name))
    const like = isTable ? likest(shapes, own) : (shapes.find(isEmpty) ?? likest(shapes, own))
    const missing = isTable ? [...(like ?? [])].filter(name => !own.has(name)) : []
    if (missing.length > 0)
      lacking.push({ source: path, columns: missing, others: [...own].filter(name => !like?.has(name)) })
    const isOpen = !isTable && (isOld || own.size === 0 || own.size > mostPaths)
    const names = like && missing.length === 0 ? like : isOpen ? new Set<string>() : own
    if (!shapes.includes(names)) shapes.push(names)
    if (!known.some(set => isEqual(set, own))) known.push(own)
    bySource.set(path, {
      names: isEmpty(names) || (isTable && isEqual(names, own)) ? undefined : names,
      earlier: earlier.filter(
        set => !isEqual(set, own) && !isEqual(set, names) && (!isTable || isWithin(set, own)),
      ),
    })
  }
  const others = known.filter(set => !isEmpty(set) && !shapes.some(shape => isEqual(shape, set)))
  const list = (sets: readonly ColumnSet[]) => sets.map(set => [...set])
  const history: ColumnHistory = {
    columns: list(shapes),
    ...(others.length > 0 && { columns_read: list(others.slice(-mostSets)) }),
    ...(without.size > 0 && { without: [...without].sort() }),
    ...(oldNames.size > 0 && { renamed }),
  }
  const isNew = (name: string) => name !== '' && !earlier.some(set => set.has(name))
  return {
    history,
    /** Columns that name the rows of a table and are not in it, with those that may be their new names. */
    lacking,
    columnsOf: (source: string) => bySource.get(source),
    /** The columns that no earlier run had; none in the first one. */
    added: earlier.length === 0 ? [] : [...new Set(known.flatMap(set => [...set]))].filter(isNew),
  }
}

function pathsOf(rows: readonly Row[], source: string): string[] {
  const cells = rows.filter(row => row.source === source).flatMap(row => [...row.cells()])
  return cells.flatMap(([column, value]) => (isBlank(value) ? [] : [...pathsIn(value, column)]))
}

/** The set that shares most with a header, and at least half of itself; one that it has whole before others. */
function likest(sets: readonly ColumnSet[], own: ColumnSet): ColumnSet | undefined {
  const missing = (set: ColumnSet) => [...set].filter(name => !own.has(name)).length
  return sets
    .filter(set => !isEmpty(set) && missing(set) * 2 <= set.size)
    .sort((a, b) => missing(a) - missing(b) || b.size - a.size)[0]
}

const isEmpty = (set: ColumnSet) => set.size === 0
const isWithin = (set: ColumnSet, other: ColumnSet) => [...set].every(name => other.has(name))
const isEqual = (set: ColumnSet, other: ColumnSet) => set.size === other.size && isWithin(set, other)
