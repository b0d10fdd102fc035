import { Readable } from 'node:stream'
import { checkSources } from '../../input/open.ts'
import { formatFor } from '../../input/source.ts'
import { UsageError } from '../../model/errors.ts'
import type { Row } from '../../model/row.ts'
import { takeFirstRows } from '../../run/first-rows.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { lastOpening } from '../../store/files/result-log.ts'
import { cellReader, type Texts } from './changed-row.ts'

/** Reads the last export to its end; returns the cells of the rows with these keys. `log` has the columns that name rows. */
export type ReadPrevious = (keys: ReadonlySet<string>, log: string) => Promise<ReadonlyMap<string, Texts>>

/** Checks that the rows of the last export can be found like those of the sources. Throws a UsageError or a SourceError. */
export async function openPrevious(path: string, prepared: PreparedImport): Promise<ReadPrevious> {
  const { sources, settings, options, mapping, stop } = prepared
  const { sourceSettings } = options
  const format = formatFor(path, sourceSettings)
  const formats = [...new Set(sources.map(source => formatFor(source.path, sourceSettings)))]
  if (!formats.includes(format)) throw new UsageError('previous_format', { path, format, formats })
  const files = await checkSources([path], sourceSettings, {
    stdin: Readable.from([]),
    signal: stop.signal,
    onRead() {},
    countKnown: header => mapping.columns.countIn(header),
  })
  if (files.some(({ size }) => size === undefined)) throw new UsageError('previous_not_a_file', { path })
  const newNames = new Map((settings.renamed ?? []).map(({ column, path }) => [column, path]))
  const header = files.flatMap(({ columns = [] }) => columns).map(column => newNames.get(column) ?? column)
  const isNeeded = (column: string) =>
    mapping.columns.fieldsOf(column).some(part => part === 'key' || part === 'where')
  const columns = sources.flatMap(({ columns = [] }) => columns)
  const lacking = [...new Set(columns)].filter(column => isNeeded(column) && !header.includes(column))
  if (header.length > 0 && lacking.length > 0)
    throw new UsageError('previous_without_columns', { path, columns: lacking })

  const cellsOf = cellReader(mapping)
  return async (keys, log) => {
    await using first = await takeFirstRows({ ...prepared, sources: files }, await lastOpening(log))
    const { renamed = {} } = first.columns.history
    const identify = mapping.identifier('keys', first.columns)
    const found = new Map<string, Texts>()
    for await (const rows of first.batches)
      for (const row of rows.map(each => withNewNames(each, renamed))) {
        const { key } = identify(row)
        const isFirst = keys.has(key) && !found.has(key)
        if (isFirst && row.fault === undefined && mapping.selects(row)) found.set(key, cellsOf(row))
      }
    return found
  }
}

/** A row of the last export with the columns of today; `renamed` has their new names by the old ones. */
function withNewNames(row: Row, renamed: Readonly<Record<string, string>>): Row {
  const oldNames = new Map(Object.entries(renamed).map(([old, now]) => [now, old]))
  if (oldNames.size === 0) return row
  return {
    ...row,
    value: column => row.value(column) ?? row.value(oldNames.get(column) ?? column),
    cells: () => [...row.cells()].map(([column, value]) => [renamed[column] ?? column, value] as const),
  }
}
