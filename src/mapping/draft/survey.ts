import type { Row } from '../../model/row.ts'
import { Column } from './column.ts'
import type { RaggedRows, RowFacts } from './facts.ts'

/** The most rows that are read for a draft. */
const mostRows = 100_000
const mostKept = 4_000
const mostKeptChars = 8_000_000
const mostLines = 5
const mostHeaders = 1_000
const mostNested = 4
const mostColumns = 2_000

/** Goes through the rows of a source once and gathers what a draft is made of. */
export class Survey {
  readonly #columns = new Map<string, Column>()
  /** The column of each cell of CSV. */
  readonly #inOrder: readonly (Column | undefined)[]
  /** Paths of NDJSON under which an object stands in some row. */
  readonly #objects = new Set<string>()
  readonly #header: readonly string[] | undefined
  readonly #kept: Row[] = []
  #keptChars = 0
  readonly #headers: number[] = []
  #rows = 0
  #good = 0
  readonly #short: number[] = []
  readonly #long: number[] = []
  #shortCount = 0
  #longCount = 0
  #padded = 0
  #torn = 0
  #broken = 0

  /** `header` are the columns of a CSV source; the keys of NDJSON are found in its rows. */
  constructor(header: readonly string[] | undefined) {
    this.#header = header
    for (const name of header ?? []) {
      const known = this.#columns.get(name)
      if (known !== undefined) known.repeats += 1
      else this.#columns.set(name, new Column(name))
    }
    this.#inOrder = (header ?? []).map(name => this.#columns.get(name))
    for (const column of this.#columns.values()) if (column.repeats > 1) column.isList = true
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
    if (this.#kept.length < mostKept && this.#keptChars < mostKeptChars) this.#kept.push(row)
    return true
  }

  facts(isAll: boolean): RowFacts {
    for (const column of this.#columns.values()) {
      column.rows = this.#good
      if (this.#objects.has(column.name)) column.hasObjects = true
    }
    const ragged: RaggedRows = {
      short: this.#short,
      shortCount: this.#shortCount,
      padded: this.#padded,
      torn: this.#torn,
      long: this.#long,
      longCount: this.#longCount,
      broken: this.#broken,
    }
    return { rows: this.#rows, isAll, ragged, headers: this.#headers, kept: this.#kept }
  }

  #addCells(row: Row, header: readonly string[]): void {
    const cells = [...row.cells()]
    if (!this.#isEven(cells, row.line, header)) return
    if (header.length > 1 && cells.every(([name, value]) => String(value).trim() === name.trim())) {
      if (this.#headers.length < mostHeaders) this.#headers.push(row.line)
      return
    }
    this.#good += 1
    for (const [at, [, value]] of cells.entries()) {
      if (at >= header.length) break
      const text = String(value)
      this.#keptChars += text.length
      this.#inOrder[at]?.add(text.trim(), row.line)
    }
  }

  /** Whether the row can be looked at: one whose cells do not stand under their columns tells nothing. */
  #isEven(cells: readonly (readonly [string, unknown])[], line: number, header: readonly string[]): boolean {
    if (cells.length === header.length) return true
    if (cells.length < header.length) {
      if (header.slice(cells.length).every(name => name === '')) {
        this.#padded += 1
        return true
      }
      this.#shortCount += 1
      if (this.#short.length < mostLines) this.#short.push(line)
      return false
    }
    const isPadded = cells.slice(header.length).every(([, value]) => String(value).trim() === '')
    if (isPadded && !cells.some(([, value]) => String(value).endsWith('\\'))) {
      this.#padded += 1
      return true
    }
    if (isPadded) this.#torn += 1
    this.#longCount += 1
    if (this.#long.length < mostLines) this.#long.push(line)
    return false
  }

  #addObject(row: Row): void {
    if (row.fault !== undefined) {
      this.#broken += 1
      return
    }
    this.#good += 1
    const seen = new Set<string>()
    for (const [name, value] of row.cells()) this.#addValue(name, value, row.line, 0, seen)
  }

  #addValue(name: string, value: unknown, line: number, depth: number, seen: Set<string>): void {
    if (isPlainObject(value) && depth < mostNested) {
      for (const [key, inner] of Object.entries(value))
        this.#addValue(`${name}.${key}`, inner, line, depth + 1, seen)
      this.#objects.add(name)
      return
    }
    if (seen.has(name)) return
    seen.add(name)
    const column = this.#columns.get(name) ?? new Column(name)
    if (!this.#columns.has(name)) {
      if (this.#columns.size >= mostColumns) return
      this.#columns.set(name, column)
    }
    if (Array.isArray(value)) column.isList = true
    for (const item of [value].flat()) {
      if (typeof item === 'object' && item !== null) column.hasObjects = true
      const text = item === null || typeof item === 'object' ? '' : String(item).trim()
      this.#keptChars += text.length
      column.add(text, line)
    }
  }
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
