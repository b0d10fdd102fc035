import { fileContext } from '../../input/bytes.ts'
import { checkSources, rowsOfAll } from '../../input/open.ts'
import { delimiterOf } from '../../input/source.ts'
import { isReservedColumn, keyColumn, reasonColumn } from '../../model/content-key.ts'
import type { Row } from '../../model/row.ts'
import { membersOf } from '../../model/values.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import { writeAnew } from '../../run/outputs.ts'
import { commonHeader, csvLine, rejectsHeader } from '../../store/files/rejects-file.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import type { StoredRow } from './row-index.ts'
import { CallError } from './server.ts'

type Cells = Readonly<Record<string, string>>

/** The corrected rows of a source in the form of a file of rejected rows, by the names of the rows that they replace. */
export class Corrections {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Throws a SourceError. */
  async names(): Promise<string[]> {
    return (await this.#rows()).map(nameOf)
  }

  async #rows(): Promise<Row[]> {
    if (!(await isThere(this.path))) return []
    const rows: Row[] = []
    for await (const batch of rowsOfAll(await sourcesOf(this.path))) rows.push(...batch)
    return rows
  }

  /** Puts a row into the file, in the place of an earlier correction of it, in one step. `columns` are those of the source. */
  async put(stored: StoredRow, columns: readonly string[], cells: Cells): Promise<void> {
    const { name } = stored
    if (name === undefined) throw new CallError('bad_call', 'this row was not refused')
    const others = (await this.#rows()).filter(row => nameOf(row) !== name)
    const text = this.path.endsWith('.csv')
      ? this.#table(others, columns, [...correctedCells(stored, columns, cells), name, ''])
      : [...others.map(row => row.asWritten ?? ''), correctedObject(stored, name, cells)].join('\n')
    await writeAnew(this.path, `${text}\n`, ownerOnly)
  }

  #table(others: readonly Row[], columns: readonly string[], corrected: readonly string[]): string {
    const delimiter = delimiterOf(this.path)
    const header = commonHeader([{ path: '', columns }])
    const lines = others.map(row => {
      const own = [...row.cells()]
      const isSame =
        own.length === columns.length + 2 && columns.every((column, at) => own[at]?.[0] === column)
      const texts = isSame
        ? own.map(([, cell]) => String(cell))
        : columns.map(each => String(row.value(each) ?? ''))
      return [...texts.slice(0, columns.length), nameOf(row), '']
    })
    const text = [...lines, corrected].map(line => csvLine(line, delimiter))
    return rejectsHeader(header, delimiter) + text.join('\n')
  }
}

const nameOf = (row: Row) => String(row.value(keyColumn) ?? '')

const sourcesOf = (path: string) =>
  checkSources(
    [path],
    { header: { type: 'first_line' }, ragged: 'pad', keepsLines: true },
    fileContext(new AbortController().signal),
  )

/** The number of rows of a file of rejected or corrected rows. Throws a SourceError. */
export async function rowsIn(path: string): Promise<number> {
  let count = 0
  for await (const batch of rowsOfAll(await sourcesOf(path))) count += batch.length
  return count
}

function correctedCells(stored: StoredRow, columns: readonly string[], cells: Cells): string[] {
  checkNames(Object.keys(cells), columns)
  return columns.map((column, at) => {
    const isFirst = columns.indexOf(column) === at // of several with one name, the first is meant
    return (isFirst ? cells[column] : undefined) ?? stored.cells[at] ?? ''
  })
}

/** The members of an object as they were written, but for those that are corrected. Throws a CallError. */
function correctedObject({ written }: StoredRow, name: string, cells: Cells): string {
  if (written === undefined)
    throw new CallError('bad_call', 'a line that is no object cannot be corrected here')
  const left = new Map(Object.entries(cells))
  const members = membersOf(written).flatMap(([column, text]) => {
    const cell = left.get(column)
    left.delete(column)
    if (isReservedColumn(column)) return []
    return cell === undefined ? text : member(column, valueLike(JSON.parse(`{${text}}`)[column], cell))
  })
  const more = [...left].map(([column, cell]) => member(column, cell))
  return `{${[...members, ...more, member(keyColumn, name), member(reasonColumn, '')].join(',')}}`
}

const member = (name: string, value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`

/** A corrected text as a value of the type that was there. */
function valueLike(before: unknown, text: string): unknown {
  if (typeof before === 'string' || before === null) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === typeof before ? value : text
  } catch {
    return text
  }
}

function checkNames(names: readonly string[], columns: readonly string[]): void {
  const unknown = names.find(name => !columns.includes(name))
  if (unknown !== undefined) throw new CallError('bad_call', `there is no column ${unknown}`)
}
