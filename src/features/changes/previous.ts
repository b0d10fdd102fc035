import { fileContext } from '../../input/bytes.ts'
import { checkSources, rowsOfAll } from '../../input/open.ts'
import { formatFor } from '../../input/source.ts'
import { UsageError } from '../../model/errors.ts'
import type { Row } from '../../model/row.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { type ChangedRow, type Texts, textsIn } from './list.ts'

/** The cells of a row by the names that its columns have today. */
export const cellsOf = (row: Row, renamed: ReadonlyMap<string, string> = new Map()): Texts =>
  [...new Set([...row.cells()].map(([column]) => column))].flatMap(column =>
    textsIn(row.value(column), renamed.get(column) ?? column),
  )

const asBefore = 'as in the last export: it changed before, or the mapping did'

/**
 * Checks that the rows of the last export can be found as those of the sources. Returns a function that reads it to its end for some keys,
 * and makes what compares their rows. Throws a UsageError or a SourceError.
 */
export async function openPrevious(
  path: string,
  { sources, settings, options, mapping, stop }: PreparedImport,
) {
  const formatOf = (file: string) => formatFor(file, options.sourceSettings)
  const formats = [...new Set(sources.map(source => formatOf(source.path)))]
  const countKnown = (header: readonly string[]) => mapping.columns.countIn(header)
  const context = { ...fileContext(stop.signal), countKnown }
  const files = await checkSources([path], options.sourceSettings, context)
  if (!formats.includes(formatOf(path)) || files.some(({ size }) => size === undefined))
    throw new UsageError('previous_format', { path, formats })
  const renamed = new Map(settings.renamed?.map(({ column, path: now }) => [column, now]))
  const oldNames = new Map([...renamed].map(([old, now]) => [now, old]))
  const header = files.flatMap(({ columns = [] }) => columns).map(column => renamed.get(column) ?? column)
  const uses = (column: string) => mapping.columns.fieldsOf(column)
  const isRead = (column: string) => !mapping.withoutColumns.has(column) && uses(column).length > 0
  const columns = new Set(sources.flatMap(({ columns = [] }) => columns))
  const naming = [...columns].filter(column => uses(column).some(part => /^(key|where)$/.test(part)))
  const lacking = naming.filter(column => !header.includes(column))
  if (lacking.length > 0) throw new UsageError('previous_without_columns', { path, columns: lacking })
  return async (keys: ReadonlySet<string>) => {
    const identify = mapping.identifier('keys')
    /** The cells of the first row of each key. */
    const before = new Map<string, Texts>()
    for await (const rows of rowsOfAll(files))
      for (const old of rows) {
        const value = (column: string) => old.value(column) ?? old.value(oldNames.get(column) ?? column)
        const row = { ...old, value }
        const { key } = identify(row)
        if (keys.has(key) && !before.has(key) && row.fault === undefined && mapping.selects(row))
          before.set(key, cellsOf(old, renamed))
      }
    /** The columns that changed, what each was and is, and a note; a row without any has a line that says why. */
    return ({ key, cells, note }: ChangedRow): string[][] => {
      const [now, then] = [new Map(cells), new Map(before.get(key) ?? cells)]
      const changes = [...new Set([...now.keys(), ...then.keys()])]
        .map(column => [column, then.get(column) ?? '', now.get(column) ?? ''] as const)
        .filter(([column, was, is]) => was.trim() !== is.trim() && isRead(column))
      if (changes.length > 0) return changes.map(change => [...change, note])
      const why = before.has(key) ? asBefore : 'not in the last export'
      return [['', '', '', note === '' ? why : `${note}; ${why}`]]
    }
  }
}
