import { type CellPlace, type Problem, problem } from '../../model/problem.ts'
import { maxRowBytes, tooLong } from '../source.ts'
import type { TableRecord } from '../table.ts'
import type { SharedStrings } from './shared-strings.ts'

/** A row whose shared strings are numbers still. */
export class SheetRow {
  readonly line: number
  readonly #cells: (string | number)[] = []
  #faultIn: TableRecord['faultIn']

  constructor(line: number) {
    this.line = line
  }

  set(column: number, value: string | number): void {
    while (this.#cells.length < column) this.#cells.push('')
    this.#cells[column] = value
  }

  /** The first one is told. */
  addFault(column: number, tell: (place: CellPlace) => Problem): void {
    const cell = `${lettersOf(column)}${this.line}`
    this.#faultIn ??= columns => tell({ column: columns[column] ?? '', cell })
  }

  /** Throws a SourceError where it is longer than a row may be. */
  toRecord(source: string, strings: SharedStrings): TableRecord {
    let characters = 0
    const cells = this.#cells.map((cell, column) => {
      const text = typeof cell === 'number' ? strings.at(cell) : cell
      if (text === undefined) this.addFault(column, place => problem('shared_string_missing', place))
      if (text?.includes('\0')) this.addFault(column, ({ column }) => problem('nul_character', { column }))
      characters += text?.length ?? 0
      return text ?? ''
    })
    if (characters > maxRowBytes) throw tooLong(source, this.line)
    while (cells.at(-1) === '') cells.pop()
    return { line: this.line, cells, faultIn: this.#faultIn }
  }
}

/** A for 0, Z for 25, AA for 26. */
const lettersOf = (column: number): string =>
  (column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))
