import { fileContext } from '../../input/bytes.ts'
import { checkSources, rowsOfAll } from '../../input/open.ts'
import { delimiterOf } from '../../input/source.ts'
import { keyColumn } from '../../model/content-key.ts'
import type { Row } from '../../model/row.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import { writeAnew } from '../../run/outputs.ts'
import { csvLine, rejectsHeader } from '../../store/files/rejects-file.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import type { StoredRow } from './row-index.ts'
import { CallError } from './server.ts'

/** Reads the rows of a file that rowlift wrote; none if it is not there. Throws a SourceError. */
export async function rowsOf(path: string): Promise<Row[]> {
  if (!(await isThere(path))) return []
  const context = fileContext(new AbortController().signal)
  const sources = await checkSources([path], { header: { type: 'first_line' }, ragged: 'pad' }, context)
  const rows: Row[] = []
  for await (const batch of rowsOfAll(sources)) rows.push(...batch)
  return rows
}

const nameOf = (row: Row) => String(row.value(keyColumn) ?? '')

/** The names of the rows that have a correction. Throws a SourceError. */
export const correctedNames = async (path: string) => new Set((await rowsOf(path)).map(nameOf))

/**
 * Puts a row into a file of corrections, which has the form of a file of rejected rows, in one step. It takes the place of an earlier
 * correction. Of several columns with one name the first is meant. Throws a CallError, or the error of the system.
 */
export async function putCorrection(
  path: string,
  { name = '', cells: before }: StoredRow,
  columns: readonly string[],
  cells: Readonly<Record<string, string>>,
): Promise<void> {
  const unknown = Object.keys(cells).find(column => !columns.includes(column))
  if (unknown !== undefined) throw new CallError('bad_call', `there is no column ${unknown}`)
  const others = (await rowsOf(path)).filter(row => nameOf(row) !== name)
  const textsOf = (row: Row) => {
    const own = [...row.cells()]
    const isSame = columns.every((column, at) => own[at]?.[0] === column)
    return columns.map((column, at) => String((isSame ? own[at]?.[1] : row.value(column)) ?? ''))
  }
  const corrected = columns.map((column, at) => {
    const isFirst = columns.indexOf(column) === at
    return (isFirst ? cells[column] : undefined) ?? before[at] ?? ''
  })
  const delimiter = delimiterOf(path)
  const lines = [...others.map(row => [...textsOf(row), nameOf(row), '']), [...corrected, name, '']]
  const text = lines.map(line => `${csvLine(line, delimiter)}\n`).join('')
  await writeAnew(path, rejectsHeader({ columns }, delimiter) + text, ownerOnly)
}
