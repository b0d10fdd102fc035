import { csvLine } from '../../store/files/rejects-file.ts'
import type { ChangedRow, Texts } from './changed-row.ts'

const ofRow = ['key', 'record_id', 'source', 'row', 'line', 'status']
const ofColumn = ['column', 'was', 'is']

/** The columns and lines of the list as CSV: a line for each row, or for each of its columns that changed if there is a last export. */
export class ListForm {
  readonly #delimiter: string
  readonly #compares: boolean
  /** The paths of all fields, in the order of the mapping. */
  readonly #paths: string[] = []
  readonly #known = new Set<string>()

  constructor(delimiter: string, compares: boolean) {
    this.#delimiter = delimiter
    this.#compares = compares
  }

  /** Adds columns for the fields of a body; a new one comes after the one before it. */
  addFields(fields: Texts): void {
    if (fields.every(([path]) => this.#known.has(path))) return
    let at = 0
    for (const [path] of fields) {
      if (this.#known.has(path)) at = this.#paths.indexOf(path)
      else this.#paths.splice(at, 0, path)
      this.#known.add(path)
      at += 1
    }
  }

  get header(): string {
    const own = [...ofRow, ...(this.#compares ? ofColumn : []), 'note']
    const fields = this.#paths.map(path => (own.includes(path) ? `body.${path}` : path))
    return csvLine([...own, ...fields], this.#delimiter)
  }

  /** The lines of a row; `before` are its cells in the last export, if it is there. */
  linesOf(row: ChangedRow, recordId: string, before: Texts | undefined): string {
    const { key, source, status, note } = row
    const texts = new Map(row.fields)
    const fields = this.#paths.map(path => texts.get(path) ?? '')
    const start = [key, recordId, source, String(row.row), String(row.line), status]
    const changes = this.#compares ? changesOf(row, before) : [[note]]
    return changes.map(cells => csvLine([...start, ...cells, ...fields], this.#delimiter)).join('\n')
  }
}

const asBefore = 'as in the last export: it changed before, or the mapping did'

/** The columns that changed, what each was and is, and a note. A row without any has one line, too, which says why. */
function changesOf({ cells, note }: ChangedRow, before: Texts | undefined): string[][] {
  const [now, then] = [new Map(cells), new Map(before)]
  const columns = [...new Set([...now.keys(), ...then.keys()])]
    .map(column => [column, then.get(column) ?? '', now.get(column) ?? ''] as const)
    .filter(([, was, is]) => was.trim() !== is.trim())
  if (before !== undefined && columns.length > 0) return columns.map(change => [...change, note])
  const why = before === undefined ? 'not in the last export' : asBefore
  return [['', '', '', note === '' ? why : `${note}; ${why}`]]
}
