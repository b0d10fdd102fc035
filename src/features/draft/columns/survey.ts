import { unguarded } from '../../../mapping/columns.ts'
import type { Row } from '../../../model/row.ts'
import { isObject } from '../../../model/values.ts'
import { isLegend, isTotal, tableBelow } from '../../sanity-checks/totals.ts'
import { Column, type Columns } from './column.ts'
import { hasLetter } from './values.ts'

export type RowFacts = Readonly<ReturnType<ReturnType<typeof surveyOf>['end']>['rows']>

const mostKept = 4_000
const mostKeptChars = 8_000_000
const mostNested = 4
const mostKeys = 20
const mostColumns = 2_000
/** Legends stand at the end. */
const mostLast = 5

const textsOf = (row: Row): string[] => [...row.cells()].map(([, value]) => String(value).trim())

/**
 * Reads the rows of a source once and collects the facts for a draft. `header` is that of a table; the keys of objects are found in them.
 * `keepsValues` is for links to other files; the first rows, up to `above`, are lines of the header.
 */
export function surveyOf(
  header: readonly string[] | undefined,
  keepsValues = false,
  mostRows = 100_000,
  above = 0,
) {
  const columns = new Map<string, Column>()
  /** Paths of NDJSON with an object in some row. */
  const objects = new Set<string>()
  /** The keys of objects in the lists of a column. */
  const items = new Map<string, Map<string, Column>>()
  /** Lists of numbers are the lines of rows. */
  const found = {
    rows: 0,
    /** Rows with fewer and with more cells than the header. */
    short: [] as number[],
    long: [] as number[],
    /** Rows that are longer by empty cells only, or shorter if the header ends in empty names. */
    padded: 0,
    /** Rows that seem padded because a delimiter after a backslash split a cell. */
    torn: 0,
    broken: [] as number[],
    nul: [] as number[],
    headers: [] as number[],
    blank: [] as number[],
    hidden: [] as number[],
    kept: [] as Row[],
  }
  let chars = 0
  let good = 0
  nameColumns()

  function nameColumns(): void {
    columns.clear()
    for (const name of header ?? []) {
      const isList = columns.has(name)
      columnOf(name).isList = isList
    }
  }

  function columnOf(name: string): Column {
    const column = columns.get(name) ?? new Column(name, keepsValues)
    columns.set(name, column)
    return column
  }

  /** Returns false when it has enough rows. */
  function add(row: Row): boolean {
    if (found.rows >= mostRows) return false
    found.rows += 1
    if (row.isHidden) found.hidden.push(row.line)
    if (row.fault?.code === 'nul_character') found.nul.push(row.line)
    else if (header !== undefined && found.rows > above) addCells(row, header)
    else if (header === undefined && row.fault === undefined) addObject(row)
    else if (header === undefined) found.broken.push(row.line)
    if (found.kept.length < mostKept && chars < mostKeptChars) found.kept.push(row)
    return true
  }

  /** The facts of rows and columns; `odd` are lines that look like another header, a total, a legend or a footer. */
  function end(isAll: boolean) {
    const { headers, blank, short, long, nul, rows } = found
    const kept = header === undefined ? [] : found.kept
    const lines = kept.map(({ line }) => line)
    const below = tableBelow(lines, kept.map(textsOf))
    const isLast = (at: number) => at >= kept.length - mostLast
    const odd = kept.filter((row, at) => at < above || (below >= 0 && at >= below) || isOdd(row, isLast(at)))
    const strange = new Set([...headers, ...blank, ...odd.map(({ line }) => line)])
    const noRows = kept.filter(({ line }) => strange.has(line))
    /** Most rows lack their last cells: many writers leave empty ones out. */
    const isCut = short.length > rows / 2
    const unread = new Set([...strange, ...long, ...nul, ...(isCut ? [] : short)])
    const read = kept.filter(({ line }) => !unread.has(line))
    const titles = titlesIn(read)
    if (kept.length === rows && (noRows.length + titles.length > 0 || isCut))
      takeAgain(read.filter(row => !titles.includes(row)))
    const named = [...columns.values()]
      .filter(({ name }) => name !== '')
      .map(column => [...(items.get(column.name)?.values() ?? [])].find(isReached) ?? column)
    for (const column of named) {
      column.rows = good
      column.hasObjects ||= objects.has(column.name)
      column.end()
    }
    settleOrders(named)
    const ofRows = { ...found, odd: odd.map(({ line }) => line), noRows, titles, isCut, isAll }
    return { rows: ofRows, columns: named }
  }

  /** Lines that fill the first cell alone, if all others fill three, and one column. */
  function titlesIn(rows: readonly Row[]): Row[] {
    const all = rows.map(row => ({ row, cells: textsOf(row) }))
    const first = Math.min(...all.map(({ cells }) => cells.findIndex(Boolean)).filter(at => at >= 0))
    const filled = (cells: readonly string[]) => cells.filter(Boolean).length
    const titles = all.filter(({ cells }) => filled(cells) === 1 && hasLetter(cells[first] ?? ''))
    const others = all.filter(each => !titles.includes(each))
    const isFull = (_: string, at: number) => at !== first && others.every(({ cells }) => cells[at])
    const isTable = titles.length < others.length && others.every(({ cells }) => filled(cells) > 2)
    return isTable && header?.some(isFull) ? titles.map(({ row }) => row) : []
  }

  /** What is no row says nothing about the columns. */
  function takeAgain(rows: readonly Row[]): void {
    nameColumns()
    good = 0
    for (const row of rows) takeCells(row)
  }

  function isOdd(row: Row, isLast: boolean): boolean {
    const names = header ?? []
    const cells = [...row.cells()].map(([name, value]) => [name, String(value).trim()] as const)
    const filled = cells.filter(([, text]) => text !== '')
    const texts = filled.map(([, text]) => text)
    const isEnd = isLegend(texts) || (texts.length * 2 < names.length && isTally(texts))
    if (names.length > 1 && (isTotal(texts) || (isLast && isEnd))) return true
    const isMeasured = (name: string) =>
      (columns.get(name)?.share('email', 'date', 'phone', 'number') ?? 0) > 0.5
    const known = filled.filter(([, text]) => names.includes(text)).length
    const strange = filled.filter(([name, text]) => !/[\d@]/.test(text) && isMeasured(name)).length
    const isLikely = known > 1 || (known > 0 && known + strange > 2)
    const isHeader = isLikely && known + strange >= filled.length / 2
    return isHeader && !found.headers.includes(row.line)
  }

  function addCells(row: Row, header: readonly string[]): void {
    const texts = textsOf(row)
    if (row.isRagged && !isEven(texts, row.line, header)) return
    if (header.length > 1 && texts.every((text, at) => text === (header[at] ?? '').trim()))
      return void found.headers.push(row.line)
    if (header.length > 1 && texts.every(text => text === '')) return void found.blank.push(row.line)
    takeCells(row)
  }

  function takeCells(row: Row): void {
    good += 1
    const texts = textsOf(row)
    for (const [at, name] of (header ?? []).entries()) take(columns.get(name), texts[at], row)
  }

  function take(column: Column | undefined, text: string | undefined, row: Row): void {
    if (text === undefined) return
    chars += text.length
    column?.add(String(unguarded(text.trim())), row.line)
  }

  /** The cells are under their columns; empty cells past the header are ignored. */
  function isEven(texts: readonly string[], line: number, header: readonly string[]): boolean {
    const isShort = texts.length < header.length
    const surplus = isShort ? header.slice(texts.length) : texts.slice(header.length)
    const isPadded = surplus.every(text => text.trim() === '')
    const isTorn = isPadded && !isShort && texts.some(text => text.endsWith('\\'))
    if (isPadded && !isTorn) found.padded += 1
    else found[isShort ? 'short' : 'long'].push(line)
    if (isTorn) found.torn += 1
    return isPadded && !isTorn
  }

  function addObject(row: Row): void {
    good += 1
    const seen = new Set<string>()
    for (const [name, value] of row.cells()) addValue(name, value, row, seen)
  }

  /** An object is added by its paths; a column at most once a row. */
  function addValue(name: string, value: unknown, row: Row, seen: Set<string>, depth = 0): void {
    if (isObject(value) && depth < mostNested) {
      objects.add(name)
      for (const [key, inner] of Object.entries(value))
        addValue(`${name}.${key}`, inner, row, seen, depth + 1)
      return
    }
    if (seen.has(name) || (columns.size >= mostColumns && !columns.has(name))) return
    seen.add(name)
    const column = columnOf(name)
    column.isList ||= Array.isArray(value)
    for (const item of [value].flat()) {
      const isOne = typeof item === 'object' // or null
      column.hasObjects ||= isOne && item !== null
      take(column, isOne ? '' : String(item), row)
      if (isObject(item)) addItem(column, item, row)
    }
  }

  /** Each key of the objects in a list has the facts of a column. */
  function addItem({ name }: Column, item: object, row: Row): void {
    const keys = items.get(name) ?? new Map<string, Column>()
    items.set(name, keys)
    for (const [key, value] of Object.entries(item)) {
      const column = keys.get(key) ?? Object.assign(new Column(name), { item: key, isList: true })
      if (keys.size < mostKeys && !/id$/i.test(key)) keys.set(key, column)
      if (typeof value === 'string') take(column, value, row)
    }
  }

  return { add, end }
}

/** A count with its noun, and numbers alone, as in "26 schools,,,68,1496". */
const isTally = ([first = '', ...others]: readonly string[]) =>
  /^\d+ \p{L}+$/u.test(first) && others.length > 1 && others.every(text => /^[\d.,]+$/.test(text))

/** A list of objects is read by their key with addresses or numbers, as in `emails: [{ type, value }]`. */
const isReached = (column: Column) => Math.max(column.share('emails'), column.share('phones')) > 0.5

/** Dates that leave their order open follow those of other columns with the same sign, if these agree. */
function settleOrders(columns: Columns): void {
  for (const { dates } of columns)
    for (const sign of dates.openSigns) {
      const proving = columns.filter(other => other.dates.provedBy(sign).length > 0)
      const [first, another] = new Set(proving.flatMap(other => other.dates.provedBy(sign)))
      if (first !== undefined && another === undefined)
        dates.settle(first, `as those of ${JSON.stringify(proving[0]?.name)} are`)
    }
}
