import { maxRowBytes, tooLong } from '../../input/source.ts'
import type { TableRecord } from '../../input/table.ts'
import { type Problem, problem, type RowProblems } from '../../model/problem.ts'
import { isoText, type NumberStyle, numberText } from './numbers.ts'
import type { TextStore } from './shared-strings.ts'
import { type Attributes, badPart, readXml, type WorkbookPart, xmlText } from './xml.ts'

/** Parts that the cells of all sheets refer to. */
export interface CellContext {
  readonly strings: TextStore
  readonly styles: readonly (NumberStyle | undefined)[]
  readonly is1904: boolean
}

const mostColumns = 16_384
const isTrue = (text = '') => /^(1|true)$/.test(text)

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

/** The rows of a sheet that hold something, a few at a time; `hidden` gets the letters of columns. Throws a SourceError. */
export async function* sheetRecords(part: WorkbookPart, context: CellContext, hidden: string[] = []) {
  const { strings, styles, is1904 } = context
  const records: TableRecord[] = []
  let line = 0
  let isHidden = false
  let cells: string[] = []
  let characters = 0
  let faultIn: TableRecord['faultIn']
  let column = -1
  let style: NumberStyle | undefined
  let type = ''
  let text = ''
  let isFormula = false

  /** Rows and cells without a place follow the one before. */
  function openRow({ r, hidden = '' }: Attributes): void {
    line = r ? Number(r) : line + 1
    if (!Number.isSafeInteger(line) || line < 1) throw badPart(part, 'place', r)
    isHidden = isTrue(hidden)
    column = -1
    cells = []
    characters = 0
    faultIn = undefined
  }

  function closeRow(): void {
    const isFilled = faultIn !== undefined || cells.some(cell => cell.trim() !== '')
    if (isFilled) records.push({ line, cells, faultIn, isHidden })
  }

  function openCell(attributes: Attributes): void {
    const place = attributes.r
    column = place === undefined ? column + 1 : columnOf(place)
    if (!(column >= 0 && column < mostColumns)) throw badPart(part, 'place', place)
    style = styles[Number(attributes.s ?? 0)]
    type = attributes.t ?? 'n'
    isFormula = false
    text = ''
  }

  function closeCell(): void {
    const error = text
    const meaning = text === '' ? '' : meaningOf()
    if (type === 'e') addFault(place => problem('error_cell', { ...place, error }))
    if (isFormula && text === '' && type !== 'str') addFault(place => problem('formula_without_value', place))
    if (meaning === undefined) addFault(place => problem('shared_string_missing', place))
    if (meaning?.includes('\0')) addFault(({ column }) => problem('nul_character', { column }))
    if (!meaning) return
    while (cells.length < column) cells.push('')
    cells[column] = meaning
    characters += meaning.length
    if (characters > maxRowBytes) throw tooLong(part.source, line)
  }

  /** Undefined for a shared text that is not there. */
  function meaningOf(): string | undefined {
    switch (type) {
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

  /** Keeps the first fault of a row. */
  function addFault(faultAt: (place: RowProblems['formula_without_value']) => Problem): void {
    const [at, place] = [column, `${lettersOf(column)}${line}`]
    faultIn ??= columns => faultAt({ column: columns[at] ?? '', cell: place })
  }

  const reader = {
    isAtEnd: false,
    open(name: string, attributes: Attributes): void {
      if (name === 'row') openRow(attributes)
      else if (name === 'c') openCell(attributes)
      else if (name === 'f') isFormula = true
      else if (name === 'is') type = 'inlineStr'
      else if (name === 'col' && isTrue(attributes.hidden))
        for (let at = Number(attributes.min); at <= Math.min(Number(attributes.max), mostColumns); at += 1)
          hidden.push(lettersOf(at - 1))
    },
    close(name: string, inner: string): void {
      if (reader.isAtEnd) return
      if (name === 'v' || name === 't') text += inner
      else if (name === 'c') closeCell()
      else if (name === 'row') closeRow()
      else if (name === 'sheetData') reader.isAtEnd = true
    },
  }
  for await (const _ of readXml(part, reader, 'row')) if (records.length > 0) yield records.splice(0)
}
