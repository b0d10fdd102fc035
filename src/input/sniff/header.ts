import type { HeaderRule } from '../source.ts'
import { knownNames } from './header-words.ts'

type Cells = readonly string[]

/** Where the header stands, or that there is none. */
export interface FoundHeader {
  readonly rule: HeaderRule
  /** The lines that are not empty above it. */
  readonly before: number
  /** Where the header cannot be named: the cell that stands above it, too. */
  readonly unnameable?: string
  /** The first cell of the first line, where nothing tells whether that is a header or a row. */
  readonly unsure?: string
}

const mostLooked = 100
const data =
  /^([^\s@]+@[^\s@]+\.[^\s@]+|https?:\/\/\S+|[+-]?[\d.,' ]*\d[\d.,' ]*%?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\+?[\d ()/.-]{6,})$/i
/** A year may well be the name of a column. */
const year = /^(19|20)\d\d$/
const looksLikeData = (cell: string) => data.test(cell.trim()) && !year.test(cell.trim())
const filled = (cells: Cells) => cells.filter(cell => cell.trim() !== '')

/** Finds the header among the first records of a file. */
export function sniffHeader(all: readonly Cells[]): FoundHeader {
  const records = all.filter(cells => !(cells.length === 1 && cells[0]?.trim() === ''))
  const looked = records.slice(0, mostLooked)
  const width = usualWidth(records)
  const at = looked.findIndex((cells, index) => couldBeHeader(cells, width, looked.length - index > 1))
  const isKnown = at !== -1 && knownNames(looked[at] ?? []) > 1
  const first = firstRow(looked, width)
  if (!isKnown && first !== -1 && isWithoutHeader(looked.slice(first), at === -1 ? undefined : at - first))
    return { rule: { type: 'columns', columns: numbered(width) }, before: 0 }
  const header = at === -1 ? Math.max(0, first) : at
  if (header > 0) return named(looked, header)
  const [cell] = looked[0] ?? []
  const isUnsure = cell !== undefined && nothingTells(looked)
  return { rule: { type: 'first_line' }, before: 0, ...(isUnsure && { unsure: cell }) }
}

/** The first record that is full enough to be a row; of a file of hardly filled rows, the first one of their width. */
function firstRow(records: readonly Cells[], width: number): number {
  const full = records.findIndex(cells => filled(cells).length >= leastFilled(width))
  return full !== -1 ? full : records.findIndex(cells => cells.length === width && filled(cells).length > 1)
}

/** Whether the first line has no word that columns are called by, nor differs in kind from those below it. */
function nothingTells([first = [], ...rows]: readonly Cells[]): boolean {
  if (knownNames(first) > 0 || rows.length === 0 || filled(first).length < first.length) return false
  return first.every((cell, at) => rows.every(row => kindOf(row[at] ?? '') === kindOf(cell)))
}

function named(records: readonly Cells[], at: number): FoundHeader {
  const header = records[at] ?? []
  const cell = header[0]?.trim() ?? ''
  const isTwice = records.slice(0, at).some(cells => cells[0]?.trim() === cell)
  if (cell !== '' && !isTwice) return { rule: { type: 'starts_with', cell }, before: at }
  return { rule: { type: 'columns', columns: unrepeated(header) }, before: 0, unnameable: cell }
}

/** Names for a header that the mapping has to spell out: none of them may be empty. */
const unrepeated = (header: Cells) => header.map((cell, at) => cell.trim() || `Column ${at + 1}`)
const numbered = (width: number) => Array.from({ length: width }, (_, at) => `Column ${at + 1}`)

/** How quotes are used that CSV does not know: around whole records, or single ones around cells. */
export type OddQuotes = 'around_records' | 'single'

/** Whether cells have single quotes, or each line is one quoted cell that holds a whole record. */
export function findOddQuotes(all: readonly Cells[]): OddQuotes | undefined {
  const records = all.filter(cells => filled(cells).length > 0).slice(0, mostLooked)
  const [first = []] = records
  if (first.length > 1 && first.every(cell => /^'.*'$/.test(cell.trim()))) return 'single'
  const holdRecords = records.every(cells => cells.length === 1 && /[,;\t]/.test(cells[0] ?? ''))
  return holdRecords && records.length > 1 && knownNames(first[0]?.split(/[,;\t]/) ?? []) > 1
    ? 'around_records'
    : undefined
}

/** The number of cells that most records have, the first of those that are alike. */
function usualWidth(records: readonly Cells[]): number {
  const counts = new Map<number, number>()
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1)
  return [...counts].sort(([a, m], [b, n]) => n - m || b - a)[0]?.[0] ?? 1
}

const leastFilled = (width: number) => (width <= 2 ? width : Math.max(2, Math.ceil(width * 0.5)))

/** A header has a word for most columns; a title, a note or an address above it fills one cell. */
function couldBeHeader(cells: Cells, width: number, hasMore: boolean): boolean {
  const names = filled(cells)
  const known = knownNames(cells)
  const telling = names.filter(tellsARow).length
  if (telling > 0 && telling >= known) return false
  if (known > 1 && known >= names.length / 2 && !isRemark(cells)) return true
  if (names.length < leastFilled(width) || (isRemark(cells) && hasMore)) return false
  const typed = names.filter(looksLikeData).length
  return typed <= names.length / 4 && names.every(name => name.length < 200)
}

/** `# exported by …`; a column may be called `#`, and a header may be marked with it. */
const isRemark = (cells: Cells) => /^#+\s+\S/.test(cells[0]?.trim() ?? '') && filled(cells).length < 3

/** Whether the first full record is a row like those below it: its cells are of the kinds of their columns. */
function isWithoutHeader(records: readonly Cells[], header: number | undefined): boolean {
  const [first = [], ...rows] = records
  const kinds = first.map(kindOf)
  const telling = kinds.filter(kind => kind === 'date').length + first.filter(tellsARow).length
  const typed = kinds.filter(kind => kind !== undefined).length
  if (telling === 0 && (header === 0 || typed <= filled(first).length / 3)) return false
  if (rows.length === 0) return telling > 0 && header !== 0
  const alike = kinds.filter(
    (kind, at) => kind !== undefined && rows.some(row => kindOf(row[at] ?? '') === kind),
  ).length
  return alike > 0 && alike >= typed / 2
}

/** What is no name of a column: an address of mail or of the web, or a number to call. */
const tellsARow = (cell: string) => {
  const kind = kindOf(cell)
  return kind === 'email' || kind === 'url' || /^\s*(\+|\(?0)[\d\s()./-]{7,}$/.test(cell)
}

function kindOf(cell: string): 'email' | 'url' | 'date' | 'number' | undefined {
  const text = cell.trim()
  if (/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(text)) return 'email'
  if (/^https?:\/\/\S+$/i.test(text)) return 'url'
  if (/^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?$/.test(text)) return 'date'
  return text !== '' && looksLikeData(text) ? 'number' : undefined
}
