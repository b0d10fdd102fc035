import type { Row } from '../../model/row.ts'
import { Column } from './column.ts'
import type { CountedLines, RowFacts } from './facts.ts'

const mostRows = 100_000
const mostKept = 4_000
const mostKeptChars = 8_000_000
const mostLines = 5
const mostHeaders = 1_000
const mostNested = 4
const mostColumns = 2_000

const noLines = (): CountedLines => ({ count: 0, lines: [] })

/** Reads the rows of a source once and gathers what a draft is made of. */
export class Survey {
  readonly #columns = new Map<string, Column>()
  /** Paths of NDJSON under which an object stands in some row. */
  readonly #objects = new Set<string>()
  readonly #header: readonly string[] | undefined
  readonly #kept: Row[] = []
  readonly #headers = noLines()
  readonly #short = noLines()
  readonly #long = noLines()
  #chars = 0
  #rows = 0
  #good = 0
  #padded = 0
  #torn = 0
  #broken = 0

  /** `header` are the columns of a CSV source; the keys of NDJSON are found in its rows. */
  constructor(header: readonly string[] | undefined) {
    this.#header = header
    for (const name of header ?? []) {
      const column = this.#columns.get(name)
      if (column === undefined) this.#columns.set(name, new Column(name))
      else {
        column.repeats += 1
        column.isList = true
      }
    }
  }

  get columns(): readonly Column[] {
    return [...this.#columns.values()].filter(({ name }) => name !== '')
  }

  /** Takes a row; false when enough were taken. */
  add(row: Row): boolean {
    if (this.#rows >= mostRows) return false
    this.#rows += 1
    if (this.#header === undefined) this.#addObject(row)
    else this.#addCells(row, this.#header)
    if (this.#kept.length < mostKept && this.#chars < mostKeptChars) this.#kept.push(row)
    return true
  }

  facts(isAll: boolean): RowFacts {
    for (const column of this.#columns.values()) {
      column.rows = this.#good
      column.hasObjects ||= this.#objects.has(column.name)
    }
    return {
      rows: this.#rows,
      isAll,
      short: this.#short,
      long: this.#long,
      padded: this.#padded,
      torn: this.#torn,
      broken: this.#broken,
      headers: this.#headers,
      kept: this.#kept,
    }
  }

  #addCells(row: Row, header: readonly string[]): void {
    const texts = [...row.cells()].map(([, value]) => String(value))
    if (!this.#isEven(texts, row.line, header)) return
    if (header.length > 1 && texts.every((text, at) => text.trim() === (header[at] ?? '').trim())) {
      count(this.#headers, row.line, mostHeaders)
      return
    }
    this.#good += 1
    for (const [at, text] of texts.slice(0, header.length).entries()) {
      this.#chars += text.length
      this.#columns.get(header[at] ?? '')?.add(text.trim(), row.line)
    }
  }

  /** Whether the cells stand under their columns; cells past the header are forgiven where they are empty. */
  #isEven(texts: readonly string[], line: number, header: readonly string[]): boolean {
    if (texts.length === header.length) return true
    const isShort = texts.length < header.length
    const isPadded = (isShort ? header : texts)
      .slice(Math.min(texts.length, header.length))
      .every(text => text.trim() === '')
    const isTorn = isPadded && !isShort && texts.some(text => text.endsWith('\\'))
    if (isPadded && !isTorn) {
      this.#padded += 1
      return true
    }
    if (isTorn) this.#torn += 1
    count(isShort ? this.#short : this.#long, line)
    return false
  }

  #addObject(row: Row): void {
    if (row.fault !== undefined) {
      this.#broken += 1
      return
    }
    this.#good += 1
    const seen = new Set<string>()
    for (const [name, value] of row.cells()) this.#addValue(name, value, row.line, seen)
  }

  #addValue(name: string, value: unknown, line: number, seen: Set<string>, depth = 0): void {
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && depth < mostNested) {
      for (const [key, inner] of Object.entries(value))
        this.#addValue(`${name}.${key}`, inner, line, seen, depth + 1)
      this.#objects.add(name)
      return
    }
    const column = this.#columns.get(name) ?? new Column(name)
    if (seen.has(name) || (this.#columns.size >= mostColumns && !this.#columns.has(name))) return
    seen.add(name)
    this.#columns.set(name, column)
    column.isList ||= Array.isArray(value)
    for (const item of [value].flat()) {
      const isObject = typeof item === 'object' && item !== null
      column.hasObjects ||= isObject
      const text = item === null || isObject ? '' : String(item).trim()
      this.#chars += text.length
      column.add(text, line)
    }
  }
}

function count(counted: CountedLines, line: number, most = mostLines): void {
  counted.count += 1
  if (counted.lines.length < most) counted.lines.push(line)
}
