import lists from '../../../input/sniff/header-words.json' with { type: 'json' }
import { delimiters, recordsOf } from '../../../input/sniff/misread-header.ts'
import type { HeaderRule } from '../../../input/source.ts'
import forms from '../columns/forms.json' with { type: 'json' }
import { anyOf, headerWords } from '../columns/words.ts'

type Cells = readonly string[]

export interface SniffedHeader {
  readonly rule: HeaderRule
  /** The reason why no first cell names the header: it is empty or repeated above, or the names stand in two lines. */
  readonly unnameable?: 'unnameable' | 'two_lines'
  /** The number of records up to the end of such a header, which are read as rows. */
  readonly above?: number
  /** The rule by which the header is a row, if nothing says that it is none. */
  readonly nameless?: HeaderRule & { type: 'columns' }
}

/** The words of a name without numbers: `E-Mail 1 - Value` is `email value`. */
const plain = (name: string): string =>
  headerWords(name)
    .replaceAll(/\P{L}+/gu, ' ')
    .trim()

const names = new Set(Object.values(lists).flat().map(plain))

/** The number of cells that are usual names of columns of people and tasks. */
export const knownNames = (cells: Cells): number =>
  cells.filter(cell => cell.length < 60 && names.has(plain(cell))).length

const mostLooked = 100
/** A year may be the name of a column. */
const shapes = Object.entries(forms.cells).map(([shape, form]) => [shape, new RegExp(form, 'i')] as const)
const shapeOf = (cell: string) => shapes.find(([, pattern]) => pattern.test(cell.trim()))?.[0]
/** Programs name a column without a name "Unnamed: 3". */
const filled = (cells: Cells) => cells.filter(cell => cell.trim() !== '' && !/^Unnamed: \d/.test(cell))

export function sniffHeader(records: readonly Cells[]): SniffedHeader {
  const looked = records.slice(0, mostLooked)
  const table = records.slice(looked.findIndex(({ length }) => length > 1))
  const [width] = usualWidth(table.length > 1 ? table : records)
  const first = looked.findIndex(cells => couldBeHeader(cells, width))
  const at = isGroupLine(looked, first, width) ? first + 1 : first
  const row = Math.max(0, firstRow(looked, width))
  const longest = widthOfLists(records)
  const columns = nameColumns(Array(longest ?? width).fill(''))
  const nameless = { type: 'columns', columns } as const
  const isKnown = knownNames(looked[at] ?? []) > 1
  if (!isKnown && isWithoutHeader(looked.slice(row), at === row)) return { rule: nameless }
  const header = at === -1 ? row : at
  const [line = [], ...below] = looked.slice(Math.min(header, row))
  const isRow = isOneOf(below, line) || (longest !== undefined && line.length > 1)
  if (isRow && knownNames(line) === 0) return { rule: nameless }
  const names = looked[header] ?? []
  const joined = joinedNames(looked[header - 1] ?? [], names)
  if (joined)
    return { rule: { type: 'columns', columns: joined }, unnameable: 'two_lines', above: header + 1 }
  const found: SniffedHeader = header > 0 ? findByName(looked, header) : { rule: { type: 'first_line' } }
  return found.unnameable || !looksLikeRow(names, looked.slice(header + 1)) ? found : { ...found, nameless }
}

/** The length of the longest row, if rows end in more and fewer addresses, numbers to call or dates; else undefined. */
export function widthOfLists(records: readonly Cells[]): number | undefined {
  const lastOf = (cells: Cells) => cells.findLastIndex(cell => !isBlank(cell))
  const longest = records.reduce((most, cells) => Math.max(most, lastOf(cells) + 1), 0)
  const lengths = records.map(({ length }) => length).filter(length => length > 1)
  const shortest = lengths.reduce((least, length) => Math.min(least, length), longest)
  const ends = records.map(cells => cells.slice(0, lastOf(cells) + 1))
  const [, usual] = usualWidth(ends)
  const kindOf = (cell: string) => (isOfRow(cell) || shapeOf(cell) === 'date' ? shapeOf(cell) : undefined)
  const kinds = new Set(records.flatMap(cells => filled(cells.slice(shortest - 1))).map(kindOf))
  return usual < records.length * 0.9 && shortest < longest && kinds.size === 1 && !kinds.has(undefined)
    ? longest
    : undefined
}

/** Checks for names of groups of columns, above a header that names more of them, or those that the groups leave open. */
function isGroupLine(records: readonly Cells[], at: number, width: number): boolean {
  const [names = [], next = []] = at === -1 ? [] : records.slice(at)
  const isFuller = filled(next).length > filled(names).length && knownNames(next) > knownNames(names)
  const gaps = next.filter((_, at) => isBlank(names[at]))
  const isNaming = knownNames(next) > 1 || next.some(name => answer.test(name))
  const isRest = gaps.length > 0 && !gaps.some(isBlank) && isNaming && !next.some(shapeOf)
  return (isFuller || isRest) && couldBeHeader(next, width)
}

const isBlank = (cell = '') => cell.trim() === ''
const answer = new RegExp(`^(${forms.answers})$`, 'iu')

/**
 * The names of two lines, if the second alone does not name each column: those that repeat one before follow their group, or all if a
 * group is of others; above an empty name, or one that only says that it is an answer, is the question. Undefined if the second line
 * names all, or there are no groups.
 */
function joinedNames(groups: Cells, names: Cells): string[] | undefined {
  if (filled(groups).length < 2 || groups.some(shapeOf)) return undefined
  const width = Math.max(names.length, groups.findLastIndex(cell => !isBlank(cell)) + 1)
  const own = Array.from({ length: width }, (_, at) => names[at]?.trim() ?? '')
  const isOpen = (name: string, at: number) => name === '' || answer.test(name) || own.indexOf(name) !== at
  const hasOthers = groups.some(group => anyOf.otherPeople.test(headerWords(group)))
  if (!own.some(isOpen) && !hasOthers) return undefined
  const joined = own.map((name, at) => {
    if (name === '' || answer.test(name)) return groups[at]?.trim() || name
    const group = groups.slice(0, at + 1).findLast(cell => !isBlank(cell)) ?? ''
    return hasOthers || own.indexOf(name) < at ? `${group.trim()} ${name}` : name
  })
  return nameColumns(joined)
}

/** The first record that is as full as a row; in a sparse file, the first one of the usual width. */
function firstRow(records: readonly Cells[], width: number): number {
  const full = records.findIndex(cells => filled(cells).length >= leastFilled(width))
  return full !== -1 ? full : records.findIndex(cells => cells.length === width)
}

/** Checks that a line counts the rows as those below do, or has a code of the same form in a column. */
function isOneOf(rows: readonly Cells[], line: Cells): boolean {
  const isForm = (cell: string, at: number) =>
    code.test(cell.trim()) && rows.every(row => formOf(row[at]) === formOf(cell))
  const start = Number(line[0])
  const isCounted = [line, ...rows].every(([first = ''], at) => first.trim() === String(start + at))
  return rows.length > 1 && (isCounted || line.some(isForm))
}

/** No name of a column is one, nor is a number as short as a year. */
const code = /^(?=\S*\p{L})\S*\d\S*$|^[^\p{L}\d]*(\d[^\p{L}\d]*){5,}$/u
/** `AB-101` is `AA-9`. */
const formOf = (cell = '') =>
  cell
    .trim()
    .replaceAll(/\p{Lu}/gu, 'A')
    .replaceAll(/\p{Ll}/gu, 'a')
    .replaceAll(/\d+/g, '9')

/** Checks that no name is known, and that no column below has another shape, or repeats few values without its name. */
function looksLikeRow(names: Cells, rows: readonly Cells[]): boolean {
  if (knownNames(names) > 0) return false
  return !names.some((name, at) => {
    const below = filled(rows.map(row => row[at] ?? ''))
    const shaped = below.filter(cell => shapeOf(cell) !== undefined).length
    const isList = below.length > 3 && new Set(below).size <= below.length / 2 && !below.includes(name)
    return name.trim() !== '' && (isList || (shapeOf(name) === undefined && shaped > below.length / 2))
  })
}

function findByName(records: readonly Cells[], at: number): SniffedHeader {
  const header = records[at] ?? []
  const cell = header[0]?.trim() ?? ''
  const isTwice = records.slice(0, at).some(cells => cells[0]?.trim() === cell)
  if (cell !== '' && !isTwice) return { rule: { type: 'starts_with', cell } }
  return { rule: { type: 'columns', columns: nameColumns(header) }, unnameable: 'unnameable', above: at + 1 }
}

const nameColumns = (header: Cells) => header.map((cell, at) => cell.trim() || `Column ${at + 1}`)

const todo = /^\s*(?:[-*+] \[[ xX]\]|\([A-Z]\)|x \d{4}-\d\d-\d\d) /
const pair = /^(\p{L}[\p{L}\w -]{0,40}):(?::? |$)/u

/** What makes a text hardly a table: lines of names and values, to-dos, or quotes in places where CSV has none. */
export type Oddity = 'pairs' | 'to_dos' | 'around_records' | 'single' | 'after_blanks'

export function findOddity(all: readonly Cells[], text: string): Oddity | undefined {
  const lines = text.split(/\r\n|\n|\r/, 2 * mostLooked).filter(line => /\S/.test(line))
  const pairs = lines.flatMap(line => pair.exec(line)?.[1] ?? [])
  const isRecord = pairs.includes('dn') || knownNames([...new Set(pairs)]) > 1
  if (isRecord && pairs.length > lines.length / 2) return 'pairs'
  const records = all.filter(cells => filled(cells).length > 0).slice(0, mostLooked)
  if (records.filter(([first = '']) => todo.test(first)).length > records.length / 2) return 'to_dos'
  const [first = []] = records
  if (first.length > 1 && first.every(cell => /^'.*'$/.test(cell.trim()))) return 'single'
  if (records.filter(cells => cells.some(cell => /^ +"/.test(cell))).length > records.length / 2)
    return 'after_blanks'
  const holdRecords = records.every(cells => cells.length === 1 && /[,;\t]/.test(cells[0] ?? ''))
  const isHeader = knownNames(first[0]?.split(/[,;\t]/) ?? []) > 1
  return holdRecords && records.length > 1 && isHeader ? 'around_records' : undefined
}

const leastFilled = (width: number) => (width <= 2 ? width : Math.max(2, Math.ceil(width * 0.5)))

/** A header names most columns; a title, a note or an address above it fills one cell. */
function couldBeHeader(cells: Cells, width: number): boolean {
  const names = filled(cells)
  const known = knownNames(cells)
  const ofRow = names.filter(isOfRow).length
  if (ofRow > 0 && ofRow >= known) return false
  if (known > 1 && known >= names.length / 2) return true
  if (names.length < leastFilled(width)) return false
  return names.filter(shapeOf).length <= names.length / 4 && names.every(name => name.length < 200)
}

/** The cells of the first full record have the shapes of their columns. */
function isWithoutHeader([first = [], ...rows]: readonly Cells[], couldBe: boolean): boolean {
  const shapes = first.map(shapeOf)
  const ofRow = shapes.filter(shape => shape === 'date').length + first.filter(isOfRow).length
  const shaped = shapes.filter(shape => shape !== undefined).length
  if (ofRow === 0 && (couldBe || shaped <= filled(first).length / 3)) return false
  if (rows.length === 0) return ofRow > 0 && !couldBe
  const isBelow = (shape: string | undefined, at: number) =>
    shape !== undefined && rows.some(row => shapeOf(row[at] ?? '') === shape)
  const alike = shapes.filter(isBelow).length
  return alike > 0 && alike >= shaped / 2
}

/** Addresses and phone numbers are no names of columns. */
const isOfRow = (cell: string) =>
  ['email', 'url'].includes(shapeOf(cell) ?? '') || /^\s*(\+|\(?0)[\d\s()./-]{7,}$/.test(cell)

/** Returns the delimiter that splits most lines into the same number of cells, more than one; else one that the text lacks. */
export async function sniffDelimiter(text: string, isWhole: boolean): Promise<string> {
  const tried = await Promise.all(
    delimiters.map(async delimiter => {
      const records = text.includes(delimiter) ? await recordsOf(text, delimiter, isWhole) : []
      return { delimiter, score: evenness(records) }
    }),
  )
  const [best] = tried.sort((a, b) => b.score - a.score)
  if (best !== undefined && best.score > 0 && !(best.delimiter === ',' && isOneColumn(text))) {
    const spaced = `${best.delimiter} `
    const isSpaced = text.includes(`${spaced}"`) && isEven(await recordsOf(text, spaced, isWhole))
    return isSpaced ? spaced : best.delimiter
  }
  return text.includes(',') ? (delimiters.find(delimiter => !text.includes(delimiter)) ?? ',') : ','
}

/** Checks that all records have the same number of cells, more than one, and that no quote is left over. */
function isEven(records: readonly Cells[]): boolean {
  const width = records[0]?.length ?? 0
  return width > 1 && records.every(cells => cells.length === width && !cells.some(hasStrayQuote))
}

/** The number of records with the most common number of cells, or nearly; more cells are better. */
function evenness(records: readonly Cells[]): number {
  const [width, most] = usualWidth(records.filter(({ length }) => length > 1))
  const near = records.filter(cells => Math.abs(cells.length - width) <= 1 && cells.length > 1).length
  const clean = records.filter(cells => !cells.some(hasStrayQuote)).length
  return most === 0 ? 0 : ((most + near) / 2) * (clean / records.length ** 2) * (1 + Math.log10(width) / 5)
}

/** The most common number of cells, and of how many records; more cells win a tie. */
function usualWidth(records: readonly Cells[]): readonly [width: number, records: number] {
  const counts = new Map<number, number>()
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || b - a)[0] ?? [1, 0]
}

/** Checks for a cell that was quoted, but ends at another delimiter. */
const hasStrayQuote = (cell: string) => /^"[^"]+"[;,\t|^`]/.test(cell)

/** One word above texts with a comma and a blank: a list of names, not two columns. */
function isOneColumn(text: string): boolean {
  const [header = '', ...rows] = text.split(/\r\n|\n|\r/, 50).filter(line => line.trim() !== '')
  return !/[",]/.test(header) && rows.length > 0 && !rows.some(row => /"|,(?! )/.test(row))
}
