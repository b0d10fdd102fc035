import { raggedMark, reasonColumn } from '../model/own-columns.ts'
import { type Problem, problems } from '../model/problems.ts'
import type { Row } from '../model/row.ts'
import type { Header } from './header.ts'
import type { CsvSettings } from './source.ts'

export type Cells = readonly string[]

/** A record under its header. */
export class CsvRow implements Row {
  readonly source: string
  readonly row: number
  readonly line: number
  readonly fault?: Problem
  readonly #header: Header
  readonly #cells: Cells
  readonly isRagged: boolean = false

  constructor({ source, ragged }: CsvSettings, row: number, line: number, header: Header, cells: Cells) {
    this.source = source
    this.row = row
    this.line = line
    this.#header = header
    this.#cells = cells
    if (cells.length === header.names.length && !header.isOfRejects) return
    const fault = raggedFault(cells, header.names.length, ragged)
    if (fault) this.isRagged = true
    const told = fault ?? (header.isOfRejects ? markedFault(this) : undefined)
    if (told) this.fault = told
  }

  get repaired(): boolean {
    return this.#header.isOfRejects
  }

  value(column: string): string | string[] | undefined {
    const at = this.#header.at(column)
    if (at === undefined) return undefined
    return typeof at === 'number' ? this.#cells[at] : at.map(each => this.#cells[each] ?? '')
  }

  /** Cells past the header stand under the empty name. */
  cells(): (readonly [string, string])[] {
    return this.#cells.map((cell, at) => [this.#header.names[at] ?? '', cell] as const)
  }

  cellsByName(): (readonly [string, string])[] {
    const { names, sorted } = this.#header
    const cells: (readonly [string, string])[] = []
    for (let at = names.length; at < this.#cells.length; at += 1) cells.push(['', this.#cells[at] ?? ''])
    for (const at of sorted) {
      const cell = this.#cells[at]
      if (cell !== undefined) cells.push([names[at] ?? '', cell])
    }
    return cells
  }
}

function raggedFault(cells: Cells, columns: number, ragged: 'invalid' | 'pad'): Problem | undefined {
  if (cells.length === columns) return undefined
  if (ragged === 'invalid') return problems.ragged(cells.length, columns)
  return cells.slice(columns).some(cell => cell.trim() !== '')
    ? problems.surplus(cells.length, columns)
    : undefined
}

/** The cells of a rejected row may still stand under wrong columns, as many as they are by now. */
const markedFault = (row: Row): Problem | undefined =>
  String(row.value(reasonColumn) ?? '')
    .trimStart()
    .startsWith(raggedMark.trimEnd())
    ? problems.stillRagged()
    : undefined
