import { maxRowBytes, tooLong } from '../../input/source.ts'
import type { TableRecord } from '../../input/table.ts'
import { type Problem, problem, type RowProblems } from '../../model/problem.ts'
import { isoText, type NumberStyle, numberText } from './numbers.ts'
import type { SharedStrings } from './shared-strings.ts'
import { type Attributes, badPart, CellText, type Part, type PartReader, readXml, unescaped } from './xml.ts'

/** Parts that the cells of all sheets refer to. */
export interface CellContext {
  readonly strings: SharedStrings
  readonly styles: readonly (NumberStyle | undefined)[]
  readonly is1904: boolean
}

/** The rows of a sheet that hold something, a few at a time. Throws a SourceError. */
export async function* sheetRecords(part: Part, context: CellContext): AsyncGenerator<TableRecord[]> {
  const reader = new SheetReader(part, context)
  for await (const _ of readXml(part, reader, 'row')) {
    const { rows, mostString } = reader.take()
    await context.strings.reach(mostString)
    const records = rows.map(row => row.toRecord(part.source, context.strings)).filter(isFilled)
    if (records.length > 0) yield records
  }
  await context.strings.finish()
}

const isFilled = ({ cells, faultIn }: TableRecord) =>
  faultIn !== undefined || cells.some(cell => cell.trim() !== '')

const mostColumns = 16_384

/** The column of a place such as AB12, from 0. */
const columnOf = (place: string): number => {
  let column = 0
  for (const sign of place) {
    const letter = sign.charCodeAt(0) & ~32
    if (letter < 65 || letter > 90) break
    column = column * 26 + letter - 64
  }
  return column - 1
}

class SheetReader implements PartReader {
  isAtEnd = false
  readonly #part: Part
  readonly #context: CellContext
  readonly #text = new CellText()
  #rows: SheetRow[] = []
  #mostString = -1
  #row = new SheetRow(0)
  #column = -1
  #cell: Attributes = {}
  #type = ''
  #isFormula = false

  constructor(part: Part, context: CellContext) {
    this.#part = part
    this.#context = context
  }

  /** The rows that were read since the last call, and the last of the shared strings that they need. */
  take(): { rows: SheetRow[]; mostString: number } {
    const taken = { rows: this.#rows, mostString: this.#mostString }
    this.#rows = []
    this.#mostString = -1
    return taken
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') this.#openRow(attributes)
    else if (name === 'c') this.#openCell(attributes)
    else if (name === 'f') this.#isFormula = true
    else if (name === 'is') this.#type = 'inlineStr'
    this.#text.open(name)
  }

  text(text: string): void {
    this.#text.add(text)
  }

  close(name: string): void {
    this.#text.close(name)
    if (name === 'sheetData') this.isAtEnd = true
    if (this.isAtEnd) return
    if (name === 'c') this.#closeCell()
    if (name === 'row') this.#rows.push(this.#row)
  }

  /** Rows and cells without a place follow the one before. */
  #openRow({ r }: Attributes): void {
    this.#row = new SheetRow(r ? Number(r) : this.#row.line + 1)
    if (!Number.isSafeInteger(this.#row.line) || this.#row.line < 1) throw badPart(this.#part, 'place', r)
    this.#column = -1
  }

  #openCell(attributes: Attributes): void {
    const place = attributes.r
    this.#column = place === undefined ? this.#column + 1 : columnOf(place)
    if (!(this.#column >= 0 && this.#column < mostColumns)) throw badPart(this.#part, 'place', place)
    this.#cell = attributes
    this.#type = attributes.t ?? 'n'
    this.#isFormula = false
    this.#text.take()
  }

  #closeCell(): void {
    const text = this.#text.take()
    const isShared = this.#type === 's'
    if (this.#type === 'e')
      this.#row.addFault(this.#column, place => problem('error_cell', { ...place, error: text }))
    if (this.#isFormula && text === '' && this.#type !== 'str')
      this.#row.addFault(this.#column, place => problem('formula_without_value', place))
    if (isShared && Number(text) > this.#mostString) this.#mostString = Number(text)
    if (text !== '') this.#row.set(this.#column, isShared ? Number(text) : this.#meaningOf(text))
  }

  #meaningOf(text: string): string {
    const { styles, is1904 } = this.#context
    const style = styles[Number(this.#cell.s ?? 0)]
    switch (this.#type) {
      case 'n':
        return numberText(text.trim(), style, is1904)
      case 'b':
        return /^(0|false)$/i.test(text) ? 'FALSE' : 'TRUE'
      case 'd':
        return isoText(text, style)
      default:
        return unescaped(text)
    }
  }
}

/** A row whose shared strings are numbers still. */
class SheetRow {
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
  addFault(column: number, tell: (place: RowProblems['formula_without_value']) => Problem): void {
    const cell = `${lettersOf(column)}${this.line}`
    this.#faultIn ??= columns => tell({ column: columns[column] ?? '', cell })
  }

  /** Throws a SourceError if it is longer than a row may be. */
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
