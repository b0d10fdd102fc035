import { Readable } from 'node:stream'
import { checkSources } from '../../input/open.ts'
import { formatFor } from '../../input/source.ts'
import { UsageError } from '../../model/errors.ts'
import type { Row } from '../../model/row.ts'
import { takeFirstRows } from '../../run/first-rows.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { lastOpening } from '../../store/files/result-log.ts'
import { leavesOf, type Texts } from './list.ts'

export const cellsOf = (row: Row): Texts =>
  [...new Set([...row.cells()].map(([column]) => column))].flatMap(column =>
    leavesOf(row.value(column), column),
  )

/**
 * Checks that the rows of the last export can be found as those of the sources. Returns a function that reads it to its end for the cells
 * of some keys; the log has the columns that name rows. Throws a UsageError or a SourceError.
 */
export async function openPrevious(path: string, prepared: PreparedImport) {
  const { sources, settings, options, mapping, stop } = prepared
  const formatOf = (file: string) => formatFor(file, options.sourceSettings)
  const formats = [...new Set(sources.map(source => formatOf(source.path)))]
  const bytes = { stdin: Readable.from([]), signal: stop.signal, onRead() {} }
  const countKnown = (header: readonly string[]) => mapping.columns.countIn(header)
  const files = await checkSources([path], options.sourceSettings, { ...bytes, countKnown })
  if (!formats.includes(formatOf(path)) || files.some(({ size }) => size === undefined))
    throw new UsageError('previous_format', { path, formats })
  const newNames = Object.fromEntries((settings.renamed ?? []).map(({ column, path }) => [column, path]))
  const header = files.flatMap(({ columns = [] }) => columns).map(column => newNames[column] ?? column)
  const columns = new Set(sources.flatMap(({ columns = [] }) => columns))
  const lacking = [...columns].filter(
    column =>
      !header.includes(column) && mapping.columns.fieldsOf(column).some(part => /^(key|where)$/.test(part)),
  )
  if (lacking.length > 0) throw new UsageError('previous_without_columns', { path, columns: lacking })

  return async (keys: ReadonlySet<string>, log: string): Promise<ReadonlyMap<string, Texts>> => {
    await using first = await takeFirstRows({ ...prepared, sources: files }, await lastOpening(log))
    const identify = mapping.identifier('keys', first.columns)
    const found = new Map<string, Texts>()
    for await (const rows of first.batches)
      for (const row of rows.map(each => withNewNames(each, first.columns.history.renamed ?? {}))) {
        const { key } = identify(row)
        if (keys.has(key) && !found.has(key) && row.fault === undefined && mapping.selects(row))
          found.set(key, cellsOf(row))
      }
    return found
  }
}

/** A row of the last export with the columns of today; `renamed` has their new names by the old ones. */
function withNewNames(row: Row, renamed: Readonly<Record<string, string>>): Row {
  const oldNames = new Map(Object.entries(renamed).map(([old, now]) => [now, old]))
  return {
    ...row,
    value: column => row.value(column) ?? row.value(oldNames.get(column) ?? column),
    cells: () => [...row.cells()].map(([column, value]) => [renamed[column] ?? column, value] as const),
  }
}
