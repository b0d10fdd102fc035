import { fileContext } from '../../input/bytes.ts'
import { checkSources, rowsOfAll } from '../../input/open.ts'
import type { SourceSettings } from '../../input/source.ts'
import { keyColumn } from '../../model/content-key.ts'
import type { Row } from '../../model/row.ts'
import { membersOf } from '../../model/values.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import { writeAnew } from '../../run/outputs.ts'
import { rejectsForm } from '../../run/rejects.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import type { StoredRow } from './row-index.ts'
import { CallError } from './server.ts'

/** Reads the first rows of a file, by default all of one that rowlift wrote; none if it is not there. Throws a SourceError. */
export async function rowsOf(path: string, settings: Partial<SourceSettings> = {}, most = Infinity) {
  if (!(await isThere(path))) return []
  const context = fileContext(new AbortController().signal)
  const reading = { header: { type: 'first_line' }, keepsLines: true, ...settings, ragged: 'pad' } as const
  const rows: Row[] = []
  for await (const batch of rowsOfAll(await checkSources([path], reading, context))) {
    rows.push(...batch.slice(0, most - rows.length))
    if (rows.length >= most) break
  }
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
  { name = '', written, ...stored }: StoredRow,
  columns: readonly string[],
  cells: Readonly<Record<string, string>>,
): Promise<void> {
  const unknown = Object.keys(cells).find(column => !columns.includes(column))
  if (unknown !== undefined) throw new CallError('bad_call', `there is no column ${unknown}`)
  const others = (await rowsOf(path)).filter(row => nameOf(row) !== name)
  const corrected = columns.map((column, at) => {
    const isFirst = columns.indexOf(column) === at
    return [column, (isFirst ? cells[column] : undefined) ?? stored.cells[at] ?? ''] as const
  })
  const row = {
    ...{ source: '', row: 0, line: 0, value: () => undefined, cells: () => corrected },
    ...(written !== undefined && { asWritten: correctedObject(written, cells) }),
  }
  const sources = [row, ...others.slice(0, 1)].map(({ source: path, cells }) => {
    return { path, columns: written === undefined ? [...cells()].map(([column]) => column) : undefined }
  })
  const { head, lineOf } = rejectsForm(path, sources, {})
  const lines = [...others.map(each => lineOf(each, nameOf(each), [])), lineOf(row, name, [])]
  await writeAnew(path, head + lines.map(line => `${line}\n`).join(''), ownerOnly)
}

/** A JSON object with other values: a text stays one, and what was none may become another value. */
function correctedObject(written: string, cells: Readonly<Record<string, string>>): string {
  const members = new Map(membersOf(written))
  const before = JSON.parse(written)
  for (const [column, cell] of Object.entries(cells)) {
    const isText = typeof (before[column] ?? '') === 'string' || !isJson(cell)
    members.set(column, `${JSON.stringify(column)}:${isText ? JSON.stringify(cell) : cell}`)
  }
  return `{${[...members.values()].join(',')}}`
}

export function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}
