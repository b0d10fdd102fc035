import { maxRowBytes, tooLong } from '../../input/source.ts'
import type { TableRecord } from '../../input/table.ts'
import { type Problem, problem, type RowProblems } from '../../model/problem.ts'
import { isoText, type NumberStyle, numberText } from './numbers.ts'
import type { TextStore } from './shared-strings.ts'
import { type Attributes, badPart, type PartReader, readXml, type WorkbookPart, xmlText } from './xml.ts'

/** Parts that the cells of all sheets refer to. */
export interface CellContext {
  readonly strings: TextStore
  readonly styles: readonly (NumberStyle | undefined)[]
  readonly is1904: boolean
}

/** The rows of a sheet that hold something, a few at a time. Throws a SourceError. */
export async function* sheetRecords(part: WorkbookPart, context: CellContext): AsyncGenerator<TableRecord[]> {
  const reader = new SheetReader(part, context)
  for await (const _ of readXml(part, reader, 'row'))
    if (reader.records.length > 0) yield reader.records.splice(0)
}

const mostColumns = 16_384

/** The column of a place such as AB12, from 0. */
function columnOf(place: string): number {
  let column = 0
  for (const letter of /^[a-z]*/i.exec(place.toUpperCase())?.[0] ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** A for 0, Z for 25, AA for 26. */
const lettersOf = (column: number): string =>
  (column < 26 ? '' : lettersOf(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

class SheetReader implements PartReader {
  isAtEnd = false
  readonly records: TableRecord[] = []
  readonly #part: WorkbookPart
  readonly #context: CellContext
  #line = 0
  #cells: string[] = []
  #characters = 0
  #faultIn: TableRecord['faultIn']
  #column = -1
  #cell: Attributes = {}
  #type = ''
  #text = ''
  #isFormula = false

  constructor(part: WorkbookPart, context: CellContext) {
    this.#part = part
    this.#context = context
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') this.#openRow(attributes)
    else if (name === 'c') this.#openCell(attributes)
    else if (name === 'f') this.#isFormula = true
    else if (name === 'is') this.#type = 'inlineStr'
  }

  close(name: string, text: string): void {
    if (this.isAtEnd) return
    if (name === 'v' || name === 't') this.#text += text
    else if (name === 'c') this.#closeCell()
    else if (name === 'row') this.#closeRow()
    else if (name === 'sheetData') this.isAtEnd = true
  }

  /** Rows and cells without a place follow the one before. */
  #openRow({ r }: Attributes): void {
    this.#line = r ? Number(r) : this.#line + 1
    if (!Number.isSafeInteger(this.#line) || this.#line < 1) throw badPart(this.#part, 'place', r)
    this.#column = -1
    this.#cells = []
    this.#characters = 0
    this.#faultIn = undefined
  }

  #closeRow(): void {
    while (this.#cells.at(-1) === '') this.#cells.pop()
    const isFilled = this.#faultIn !== undefined || this.#cells.some(cell => cell.trim() !== '')
    if (isFilled) this.records.push({ line: this.#line, cells: this.#cells, faultIn: this.#faultIn })
  }

  #openCell(attributes: Attributes): void {
    const place = attributes.r
    this.#column = place === undefined ? this.#column + 1 : columnOf(place)
    if (!(this.#column >= 0 && this.#column < mostColumns)) throw badPart(this.#part, 'place', place)
    this.#cell = attributes
    this.#type = attributes.t ?? 'n'
    this.#isFormula = false
    this.#text = ''
  }

  #closeCell(): void {
    const error = this.#text
    const text = error === '' ? '' : this.#meaningOf(error)
    if (this.#type === 'e') this.#addFault(place => problem('error_cell', { ...place, error }))
    if (this.#isFormula && error === '' && this.#type !== 'str')
      this.#addFault(place => problem('formula_without_value', place))
    if (text === undefined) this.#addFault(place => problem('shared_string_missing', place))
    if (text?.includes('\0')) this.#addFault(({ column }) => problem('nul_character', { column }))
    if (text) this.#setCell(text)
  }

  /** Undefined for a shared text that is not there. */
  #meaningOf(text: string): string | undefined {
    const { strings, styles, is1904 } = this.#context
    const style = styles[Number(this.#cell.s ?? 0)]
    switch (this.#type) {
      case 's':
        return strings.at(Number(text))
      case 'n':
        return numberText(text.trim(), style, is1904)
      case 'b':
        return /^(0|false)$/i.test(text) ? 'FALSE' : 'TRUE'
      case 'd':
        return isoText(text, style)
      default:
        return xmlText(text)
    }
  }

  /** Throws a SourceError if the row is longer than a row may be. */
  #setCell(text: string): void {
    while (this.#cells.length < this.#column) this.#cells.push('')
    this.#cells[this.#column] = text
    this.#characters += text.length
    if (this.#characters > maxRowBytes) throw tooLong(this.#part.source, this.#line)
  }

  /** Keeps the first fault of a row. */
  #addFault(faultAt: (place: RowProblems['formula_without_value']) => Problem): void {
    const [column, cell] = [this.#column, `${lettersOf(this.#column)}${this.#line}`]
    this.#faultIn ??= columns => faultAt({ column: columns[column] ?? '', cell })
  }
}
