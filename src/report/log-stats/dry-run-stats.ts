import { lineErrors } from '../../journal/lines.ts'
import { ColumnProfile } from '../../model/column-profile.ts'
import { isKnown, type Mapped, type Outcome } from '../../model/outcome.ts'
import { isReservedColumn } from '../../model/reserved-columns.ts'
import type { Row, RowIdentity } from '../../model/row.ts'
import { Losses } from '../losses.ts'
import type { Cell, DryRunPart, LastRun, Sample } from '../page/facts.ts'
import { describeProblem } from '../words.ts'
import { BadRows } from './bad-rows.ts'
import { labelOf, shorten, showValue } from './parse-line.ts'

const maxSamples = 10
const mostColumns = { counted: 10_000, shown: 1_000 }

/** Gathers what a dry run finds, row by row, in bounded memory. */
export class DryRunStats {
  readonly #map: MapRow
  readonly #samples: Sample[] = []
  readonly #badRows = new BadRows()
  readonly #losses = new Losses()
  readonly #profiles = new Map<string, ColumnProfile>()
  #rows = 0

  /** Columns are in the order of the header; the keys of objects follow. */
  constructor(map: MapRow, header: readonly string[] = []) {
    this.#map = map
    for (const name of header) this.#profileOf(name)
  }

  take(outcome: Outcome, row: Row): void {
    const { identity, status } = outcome
    if (row.fault === undefined) this.#profile(row)
    if (status === 'valid' && this.#samples.length < maxSamples)
      this.#samples.push(sampleOf(identity, JSON.stringify(outcome.body), row, this.#map))
    if (status === 'valid') this.#losses.add(identity, outcome.omitted)
    if (status !== 'invalid') return
    const errors = lineErrors(outcome.errors, describeProblem)
    this.#badRows.take(identity, { status, errors, isKnown: isKnown(outcome) })
  }

  #profile(row: Row): void {
    this.#rows += 1
    for (const [column, cell] of row.cells())
      if (typeof cell === 'string') this.#profileOf(column)?.add(cell.trim(), row)
      else
        for (const { path, value } of leavesOf(cell, column))
          this.#profileOf(path.replaceAll(/\.\d+(?=\.|$)/g, ''))?.add(String(value ?? '').trim(), row)
  }

  #profileOf(column: string): ColumnProfile | undefined {
    const found = this.#profiles.get(column)
    if (found || column === '' || isReservedColumn(column) || this.#profiles.size >= mostColumns.counted)
      return found
    const profile = new ColumnProfile(() => this.#profiles.size)
    this.#profiles.set(column, profile)
    return profile
  }

  /** `fieldsOf` are the fields that a column feeds. */
  part(
    about: Pick<DryRunPart, 'name' | 'sources' | 'mapping'> & { readonly lastRun: LastRun },
    fieldsOf: (column: string) => readonly string[] = () => [],
  ): DryRunPart {
    const columns = [...this.#profiles].slice(0, mostColumns.shown).map(([column, profile]) => ({
      column: shorten(column, maxLength),
      fields: fieldsOf(column).map(field => shorten(field, maxLength)),
      ...profile.facts(),
    }))
    return {
      type: 'dry_run',
      ...about,
      profile: { rows: this.#rows, columns, more: this.#profiles.size - columns.length },
      samples: this.#samples,
      ...this.#losses.facts(),
      ...this.#badRows.facts({ log: undefined, doubts: 'held' }),
    }
  }
}

export type MapRow = (row: Row) => Mapped

interface Leaf {
  readonly path: string
  readonly value: unknown
}

const maxCells = 200
const maxFields = 100
const maxLength = 500

/** A row with the fields of its body. The cells of a field are those without which it is another one, or missing. */
function sampleOf(identity: RowIdentity, body: string, row: Row, map: MapRow): Sample {
  const leaves = leavesOf(JSON.parse(body)).slice(0, maxFields)
  const fields = leaves.map(({ path, value }) => ({
    path: shorten(path, maxLength),
    value: showValue(value, maxLength),
    cells: [] as Cell[],
  }))
  const unused: Cell[] = []
  for (const [column, value] of cellsOf(row)) {
    const cell = { column: shorten(column, maxLength), value: showValue(value, maxLength) }
    const isOther = changed(map(without(row, column)))
    const its = fields.filter((_, at) => isOther(leaves[at] as Leaf))
    for (const { cells } of its) cells.push(cell)
    if (its.length === 0) unused.push(cell)
  }
  return { ...labelOf(identity), fields, unused }
}

/** Repeated columns are one. */
function cellsOf(row: Row): (readonly [column: string, value: unknown])[] {
  const columns = [...new Set([...row.cells()].map(([column]) => column))].slice(0, maxCells)
  return columns.map(column => [column, row.value(column)])
}

function without(row: Row, column: string): Row {
  const isIts = (name: string) => name === column || name.startsWith(`${column}.`)
  return {
    ...{ source: row.source, row: row.row, line: row.line },
    value: name => (isIts(name) ? undefined : row.value(name)),
    cells: () => [...row.cells()].filter(([name]) => name !== column),
  }
}

/** Whether a field has another value, or none, in what the mapping makes of a row with one cell less. */
function changed(mapped: ReturnType<MapRow>): (leaf: Leaf) => boolean {
  if ('body' in mapped) {
    const still = new Set(leavesOf(mapped.body).map(nameOf))
    return leaf => !still.has(nameOf(leaf))
  }
  const lacking = 'errors' in mapped ? mapped.errors : mapped.waitsOn
  return leaf => lacking.some(({ path = '' }) => `${leaf.path}.`.startsWith(path === '' ? '' : `${path}.`))
}

/** Items of lists may move up. */
const nameOf = ({ path, value }: Leaf) => `${path.replaceAll(/\b\d+\b/g, '#')} ${JSON.stringify(value)}`

function leavesOf(value: unknown, path = ''): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner, path === '' ? name : `${path}.${name}`),
  )
}
