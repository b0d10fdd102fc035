import { fileContext } from '../../input/bytes.ts'
import { checkSources, rowsOfAll } from '../../input/open.ts'
import { delimiterOf } from '../../input/source.ts'
import { keyColumn } from '../../model/content-key.ts'
import type { Row } from '../../model/row.ts'
import { membersOf } from '../../model/values.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import { writeAnew } from '../../run/outputs.ts'
import { csvLine, rejectedLine, rejectsHeader } from '../../store/files/rejects-file.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import type { StoredRow } from './row-index.ts'
import { CallError } from './server.ts'

/** Reads the rows of a file that rowlift wrote; none if it is not there. Throws a SourceError. */
export async function rowsOf(path: string): Promise<Row[]> {
  if (!(await isThere(path))) return []
  const context = fileContext(new AbortController().signal)
  const sources = await checkSources(
    [path],
    { header: { type: 'first_line' }, ragged: 'pad', keepsLines: true },
    context,
  )
  const rows: Row[] = []
  for await (const batch of rowsOfAll(sources)) rows.push(...batch)
  return rows
}

const nameOf = (row: Row) => String(row.value(keyColumn) ?? '')

/** The names of the rows that have a correction. Throws a SourceError. */
export const correctedNames = async (path: string) => new Set((await rowsOf(path)).map(nameOf))

/**
 * Puts a row into a file of corrections, which has the form of a file of rejected rows, in one step. It takes the place of an earlier
 * correction. Throws a CallError, or the error of the system.
 */
export async function putCorrection(
  path: string,
  stored: StoredRow,
  columns: readonly string[],
  cells: Readonly<Record<string, string>>,
): Promise<void> {
  const unknown = Object.keys(cells).find(column => !columns.includes(column))
  if (unknown !== undefined) throw new CallError('bad_call', `there is no column ${unknown}`)
  const others = (await rowsOf(path)).filter(row => nameOf(row) !== stored.name)
  const text =
    stored.written === undefined
      ? tableText(delimiterOf(path), others, stored, columns, cells)
      : others.map(row => lineOf(row, nameOf(row))).join('') +
        lineOf(correctedObject(stored, cells), stored.name ?? '')
  await writeAnew(path, text, ownerOnly)
}

/** Of several columns with one name the first is meant. */
function tableText(
  delimiter: string,
  others: readonly Row[],
  { name = '', cells: before }: StoredRow,
  columns: readonly string[],
  cells: Readonly<Record<string, string>>,
): string {
  const textsOf = (row: Row) => {
    const own = [...row.cells()]
    const isSame = columns.every((column, at) => own[at]?.[0] === column)
    return columns.map((column, at) => String((isSame ? own[at]?.[1] : row.value(column)) ?? ''))
  }
  const corrected = columns.map((column, at) => {
    const isFirst = columns.indexOf(column) === at
    return (isFirst ? cells[column] : undefined) ?? before[at] ?? ''
  })
  const lines = [...others.map(row => [...textsOf(row), nameOf(row), '']), [...corrected, name, '']]
  return rejectsHeader({ columns }, delimiter) + lines.map(line => `${csvLine(line, delimiter)}\n`).join('')
}

const lineOf = (row: Pick<Row, 'asWritten'>, name: string) => `${rejectedLine(row, name, '')}\n`

/** A JSON object with other values: a text stays one, and what was none may become another value. */
function correctedObject({ written = '{}' }: StoredRow, cells: Readonly<Record<string, string>>) {
  const members = new Map(membersOf(written))
  const before = JSON.parse(written)
  for (const [column, cell] of Object.entries(cells)) {
    const isText = typeof (before[column] ?? '') === 'string' || !isJson(cell)
    members.set(column, `${JSON.stringify(column)}:${isText ? JSON.stringify(cell) : cell}`)
  }
  return { asWritten: `{${[...members.values()].join(',')}}` }
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}
