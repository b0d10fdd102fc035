import { replacedName } from '../../model/content-key.ts'
import { fingerprint } from '../../model/fingerprint.ts'
import { KeyTable, NumberList, RowNumbers } from '../../model/key-table.ts'
import type { Outcome } from '../../model/outcome.ts'
import { isProblem, type Problem, problem } from '../../model/problem.ts'
import { endOfSources, type Refs, type Row, type RowIdentity } from '../../model/row.ts'
import { nilUuid } from '../../model/values.ts'
import type { NamedReader } from '../identity.ts'
import type { Lookup, LookupResult } from './lookup.ts'
import { rowTree } from './row-tree.ts'
import { type Indexed, TextIndex } from './table.ts'

/** A line of the result log, as far as rows can refer to its row. */
export interface ReferenceLine extends Partial<RowIdentity> {
  readonly run: string
  readonly status?: string
  readonly record_id?: string | undefined
  /** An earlier line has the names of the row. */
  readonly by_hand?: boolean
  /** A field of the first line of a run. */
  readonly ref_columns?: readonly string[]
}

/** The names in a column: of rows in the sources, and of rows in the log with and without a record. */
const columnNames = () => ({ sources: new TextIndex(), logged: new TextIndex(), failed: new TextIndex() })

/**
 * The lookups among the rows of an import, by their names in sources and log. Rows with the same key share a number and a
 * record. About 150 bytes a row.
 */
export class RowReferences {
  readonly #log: string
  readonly #names: ReadonlyMap<string, ReturnType<typeof columnNames>>
  readonly #trees: ReadonlyMap<string, ReturnType<typeof rowTree>>
  /** Numbers the lines of the log as well, as if it were another source. */
  readonly #places = new RowNumbers()
  readonly #refColumnsByRun = new Map<string, readonly string[]>()
  #lastLine = 0
  #isComplete = false

  readonly #numbers = new KeyTable()
  /** Record ids, or why there is none; undefined while pending. By number, like all below. */
  readonly #states: (string | Problem | undefined)[] = []
  /** Rows of the sources with the key, and those of them with an outcome. */
  readonly #rows = new NumberList()
  readonly #settled = new NumberList()
  /** The last failure of a key that other rows have as well. */
  readonly #failures = new Map<number, Problem>()
  /** Rejected rows, by their names in files of such, and the repaired rows that have their records. */
  readonly #rejected = new KeyTable()
  readonly #replacements = new Map<number, number>()

  /** `columns` are those by which lookups find rows, `indents` those with the depth of a row in a tree. */
  constructor(columns: readonly string[], log: string, indents: readonly NamedReader[] = []) {
    this.#log = log
    this.#names = new Map(columns.map(column => [column, columnNames()]))
    this.#trees = new Map(indents.map(({ column, read }) => [column, rowTree(read)]))
  }

  /** Adds a line of the log. Calls in flight count as lines after the last. */
  addLine(line: ReferenceLine, lineNumber = this.#lastLine + 1): void {
    this.#lastLine = lineNumber
    const { status } = line
    const record_id = status === 'forgotten' ? undefined : line.record_id
    if (status === undefined) return void this.#refColumnsByRun.set(line.run, line.ref_columns ?? [])
    const number = this.numberOf(line.key ?? '')
    const isInSources = this.#rows.at(number) > 0
    if (status === 'forgotten') this.#states[number] = undefined
    if (!line.by_hand && !isInSources) {
      const kind = record_id === undefined && status !== 'duplicate' ? 'failed' : 'logged'
      const place = this.#places.of({ source: this.#log, row: lineNumber })
      for (const [column, text] of namesIn(line.ref, this.#refColumnsByRun.get(line.run)))
        this.#names.get(column)?.[kind].add(text, number, place)
    }
    if (record_id !== undefined) this.#states[number] = record_id
    else if (status !== 'duplicate' && !isInSources && typeof this.#states[number] !== 'string')
      this.#states[number] = problem('linked_row_not_in_sources', {
        line: `${this.#log}:${lineNumber}`,
        status,
      })
    this.#noteReplacement({ ...line, record_id }, number)
  }

  /** The sources may still have the rejected row, by another key. A bad key that several rows have is not replaced. */
  #noteReplacement({ key = '', hash = '', replaces, record_id }: ReferenceLine, number: number): void {
    const name = fingerprint(replacedName({ key, hash, replaces }))
    if (record_id === undefined && replaces === undefined) this.#rejected.set(name, number)
    const rejected = replaces && this.#rejected.get(name)
    if (typeof rejected !== 'number' || rejected === number || record_id === undefined) return
    if (this.#rows.at(rejected) <= 1) this.#replacements.set(rejected, number)
  }

  /** Adds a row of the sources. If earlier runs made no record for its key, this run may. */
  addRow(identity: RowIdentity): void {
    const number = this.numberOf(identity.key)
    for (const [column, text] of namesIn(identity.ref, [...this.#names.keys()]))
      this.#names.get(column)?.sources.add(text, number, this.#places.of(identity))
    if (!this.#isExpected(number) && isProblem(this.#states[number])) this.#states[number] = undefined
    this.#rows.set(number, this.#rows.at(number) + 1)
  }

  /** Called when all rows were added. Sources that can be read only once add theirs during the import. */
  complete(): void {
    this.#isComplete = true
  }

  numberOf(key: string): number {
    const keyFingerprint = fingerprint(key)
    const known = this.#numbers.get(keyFingerprint)
    if (known !== undefined) return known
    this.#numbers.set(keyFingerprint, this.#states.length)
    this.#rows.push(0)
    this.#settled.push(0)
    return this.#states.push(undefined) - 1
  }

  takeRow(row: Row, identity: RowIdentity): void {
    const number = this.numberOf(identity.key)
    for (const tree of this.#trees.values()) tree.take(row, number)
    if (!this.#isComplete) this.addRow(identity)
  }

  /** Takes a row that `where` leaves out: it has a place in a tree, but cannot be a parent. */
  passOver(row: Row): void {
    for (const tree of this.#trees.values()) tree.take(row, problem('row_above_left_out'))
  }

  settle(outcome: Outcome): void {
    const { identity, status } = outcome
    const number = this.numberOf(identity.key)
    this.#settled.set(number, this.#settled.at(number) + 1)
    if ('recordId' in outcome) this.#states[number] = outcome.recordId
    else if (status === 'valid') this.#states[number] = nilUuid
    else if (status === 'done')
      this.#states[number] ??= this.#states[this.#replacements.get(number) ?? number]
    else if (status !== 'duplicate') {
      const row = `${identity.source} row ${identity.row}`
      this.#failures.set(number, problem('linked_row_not_created', { row, status }))
    }
    if (this.#isExpected(number)) return // another row of the key may have a record
    this.#states[number] ??= this.#failures.get(number)
    this.#failures.delete(number)
  }

  #isExpected(number: number): boolean {
    return this.#settled.at(number) < this.#rows.at(number)
  }

  giveUp(number: number): void {
    this.#states[number] ??= problem('linked_row_gone')
  }

  /** Returns the lookup by the name in a column. */
  by(column: string): Lookup {
    return text => {
      if (!this.#isComplete) return { type: 'waits', on: endOfSources }
      const match = this.#find(column, text)
      if (match === undefined) return { type: 'missing', problem: problem('row_not_found', { column }) }
      if (match.type === 'one') return this.#recordOf(match.value)
      const [first, second] = match.places
      const places = { first: this.#describe(first), second: this.#describe(second) }
      return { type: 'unusable', problem: problem('lookup_ambiguous', places) }
    }
  }

  /** Returns the lookup of the row above. Rows at the top have none. */
  above(column: string): Lookup {
    const tree = this.#trees.get(column)
    return (_, row) => {
      const above = tree?.above(row)
      if (above === undefined) return { type: 'found', value: undefined }
      return typeof above === 'number' ? this.#recordOf(above) : { type: 'unusable', problem: above }
    }
  }

  /** A row of the log counts unless the sources have it under another name; one without a record counts last. */
  #find(column: string, text: string): Indexed | undefined {
    const names = this.#names.get(column)
    const row = names?.sources.find(text)
    const logged = names?.logged.find(text)
    if (row === undefined) return logged ?? names?.failed.find(text)
    if (logged === undefined || row.type === 'several') return row
    if (logged.type === 'several') return { type: 'several', places: [row.place, logged.places[0]] }
    const isOneRow = this.#isSame(logged.value, row.value) || this.#rows.at(logged.value) > 0
    return isOneRow ? row : { type: 'several', places: [row.place, logged.place] }
  }

  /** Returns whether a row of the log is this row of the sources, or replaces it. */
  #isSame(logged: number, row: number): boolean {
    if (logged === row) return true
    const state = this.#states[row]
    return this.#replacements.get(row) === logged && (state === undefined || state === this.#states[logged])
  }

  #recordOf(number: number): LookupResult {
    const state = this.#states[number]
    if (state === undefined) return { type: 'waits', on: number }
    return typeof state === 'string' ? { type: 'found', value: state } : { type: 'unusable', problem: state }
  }

  #describe(place: number): string {
    const { source, row } = this.#places.placeOf(place)
    return source === this.#log ? `${source}:${row}` : `${source} row ${row}`
  }
}

/** A text alone is the name in the only column. */
const namesIn = (refs: Refs | undefined, [only = '']: readonly string[] = []) =>
  typeof refs === 'string' ? [[only, refs] as const] : Object.entries(refs ?? {})
