// References between the rows of an import: a ReferenceIndex finds a row by its name, RowResolutions know its record, and
// RowReferences are the lookups over them.

import { replacedName } from '../../model/content-key.ts'
import { fingerprint, KeyTable, RowNumbers } from '../../model/key-table.ts'
import type { Outcome } from '../../model/outcome.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { endOfSources, type Refs, type Row, type RowIdentity, type RowPlace } from '../../model/row.ts'
import { nilUuid, unreachable } from '../../model/values.ts'
import type { NamedReader } from '../identity.ts'
import type { Found, Lookup } from './lookup.ts'
import { RowResolutions } from './row-resolutions.ts'
import { RowTree } from './row-tree.ts'
import { TextIndex } from './text-index.ts'

/** A line of the result log, as far as rows can refer to its row. */
export interface ReferenceLine extends Partial<RowIdentity> {
  readonly run: string
  readonly status?: string
  /** In a line of 0.1: the key of a repaired row, whose `key` is that of the rejected row. */
  readonly alias?: string | undefined
  readonly record_id?: string
  /** An earlier line has the names of the row. */
  readonly by_hand?: boolean
  /** In the first line of a run. */
  readonly ref_columns?: readonly string[]
}

type Place = { readonly logLine: number } | RowPlace

/** The number of its key, or two places with the same name. */
type Named =
  | { readonly type: 'one'; readonly number: number }
  | { readonly type: 'several'; readonly places: readonly [Place, Place] }

/** Rows in the sources, and rows in the log with and without a record. */
const columnNames = () => ({ sources: new TextIndex(), logged: new TextIndex(), failed: new TextIndex() })

/** Collects the names of rows from the sources and the log. About 150 bytes a row. */
export class ReferenceIndex {
  readonly resolutions = new RowResolutions()
  readonly log: string
  readonly #names: ReadonlyMap<string, ReturnType<typeof columnNames>>
  readonly #rows = new RowNumbers()
  /** By their names in files of rejected rows. */
  readonly #rejected = new KeyTable()
  /** By run. */
  readonly #refColumns = new Map<string, readonly string[]>()
  #lastLine = 0

  /** `columns` are those by which lookups find rows. */
  constructor(columns: readonly string[], log: string) {
    this.log = log
    this.#names = new Map(columns.map(column => [column, columnNames()]))
  }

  /** Calls in flight count as lines after the last. */
  addLine(line: ReferenceLine, lineNumber = this.#lastLine + 1): void {
    this.#lastLine = lineNumber
    const { status, record_id } = line
    if (status === undefined) return void this.#refColumns.set(line.run, line.ref_columns ?? [])
    const number = this.resolutions.numberOf(line.alias ?? line.key ?? '')
    const isInSources = this.resolutions.rowsOf(number) > 0
    const kind = record_id === undefined && status !== 'duplicate' ? 'failed' : 'logged'
    if (!line.by_hand && !isInSources)
      for (const [column, text] of namesIn(line.ref, this.#refColumns.get(line.run)))
        this.#names.get(column)?.[kind].add(text, number, lineNumber)
    if (record_id !== undefined) this.resolutions.resolve(number, record_id)
    else if (status !== 'duplicate' && !isInSources)
      this.resolutions.fail(
        number,
        problem('linked_row_not_in_sources', { line: `${this.log}:${lineNumber}`, status }),
      )
    this.#noteReplacement(line, number)
  }

  /** The sources may still have the rejected row, by another key. A bad key that several rows have is not replaced. */
  #noteReplacement({ key = '', hash = '', replaces, alias, record_id }: ReferenceLine, number: number): void {
    const name = fingerprint(replacedName({ key, hash, replaces }))
    if (record_id === undefined && replaces === undefined) this.#rejected.set(name, number)
    const rejected =
      alias === undefined ? replaces && this.#rejected.get(name) : this.resolutions.numberOf(key)
    if (typeof rejected !== 'number' || rejected === number || record_id === undefined) return
    if (this.resolutions.rowsOf(rejected) <= 1) this.resolutions.replace(rejected, number)
  }

  addRow(identity: RowIdentity): void {
    const number = this.resolutions.numberOf(identity.key)
    for (const [column, text] of namesIn(identity.ref, [...this.#names.keys()]))
      this.#names.get(column)?.sources.add(text, number, this.#rows.of(identity))
    this.resolutions.addRow(number)
  }

  /** A row of the log counts unless the sources have it under another name; one without a record counts last. */
  find(column: string, text: string): Named | undefined {
    const names = this.#names.get(column)
    const row = names?.sources.find(text)
    const logged = names?.logged.find(text)
    if (row === undefined) return toNamed(logged ?? names?.failed.find(text), inLog)
    const inSource = (place: number) => this.#rows.placeOf(place)
    if (logged === undefined || row.type === 'several') return toNamed(row, inSource)
    const isOneRow =
      logged.type === 'one' &&
      (this.resolutions.isSame(logged.value, row.value) || this.resolutions.rowsOf(logged.value) > 0)
    if (isOneRow) return toNamed(row, inSource)
    const line = logged.type === 'one' ? logged.place : logged.places[0]
    return { type: 'several', places: [inSource(row.place), inLog(line)] }
  }
}

const inLog = (line: number): Place => ({ logLine: line })

/** A text alone is the name in the only column. */
const namesIn = (refs: Refs | undefined, [only = '']: readonly string[] = []) =>
  typeof refs === 'string' ? [[only, refs] as const] : Object.entries(refs ?? {})

function toNamed(found: ReturnType<TextIndex['find']>, placeOf: (place: number) => Place): Named | undefined {
  if (found === undefined) return undefined
  if (found.type === 'one') return { type: 'one', number: found.value }
  const [first, second] = found.places
  return { type: 'several', places: [placeOf(first), placeOf(second)] }
}

/** The lookups among the rows. Sources that can be read only once add their rows during the import. */
export class RowReferences {
  readonly #index: ReferenceIndex
  readonly #resolutions: RowResolutions
  readonly #trees: ReadonlyMap<string, RowTree>
  #isComplete = false

  /** `indents` are the columns with the depth of a row in a tree. */
  constructor(index: ReferenceIndex, indents: readonly NamedReader[]) {
    this.#index = index
    this.#resolutions = index.resolutions
    this.#trees = new Map(indents.map(({ column, read }) => [column, new RowTree(read)]))
  }

  /** Called when all rows were added. */
  complete(): void {
    this.#isComplete = true
  }

  numberOf(key: string): number {
    return this.#resolutions.numberOf(key)
  }

  takeRow(row: Row, identity: RowIdentity): void {
    const number = this.numberOf(identity.key)
    for (const tree of this.#trees.values()) tree.take(row, number)
    if (!this.#isComplete) this.#index.addRow(identity)
  }

  /** Takes a row that `where` leaves out: it has a place in a tree, but cannot be a parent. */
  passOver(row: Row): void {
    for (const tree of this.#trees.values()) tree.take(row, problem('row_above_left_out'))
  }

  settle(outcome: Outcome): void {
    const { identity, status } = outcome
    const number = this.numberOf(identity.key)
    let failure: Problem | undefined
    switch (outcome.status) {
      case 'created':
      case 'existing':
      case 'merged':
        this.#resolutions.resolve(number, outcome.recordId)
        break
      case 'valid':
        this.#resolutions.resolve(number, nilUuid)
        break
      case 'invalid':
      case 'failed':
      case 'in_doubt':
      case 'held':
        failure = problem('linked_row_not_created', { row: this.#describe(identity), status })
        break
      case 'done':
        this.#resolutions.takeReplacement(number)
        break
      case 'duplicate':
        break
      default:
        unreachable(outcome)
    }
    this.#resolutions.settle(number, failure)
  }

  giveUp(number: number): void {
    this.#resolutions.giveUp(number)
  }

  by(column: string): Lookup {
    return text => {
      if (!this.#isComplete) return { type: 'waits', on: endOfSources }
      const named = this.#index.find(column, text)
      if (named === undefined) return { type: 'missing', problem: problem('row_not_found', { column }) }
      if (named.type === 'one') return this.#recordOf(named.number)
      const [first, second] = named.places
      const places = { first: this.#describe(first), second: this.#describe(second) }
      return { type: 'unusable', problem: problem('lookup_ambiguous', places) }
    }
  }

  /** Rows at the top have none. */
  above(column: string): Lookup {
    const tree = this.#trees.get(column)
    return (_, row) => {
      const above = tree?.above(row)
      if (above === undefined) return { type: 'found', value: undefined }
      return typeof above === 'number' ? this.#recordOf(above) : { type: 'unusable', problem: above }
    }
  }

  #recordOf(number: number): Found {
    const state = this.#resolutions.get(number)
    if (state === undefined) return { type: 'waits', on: number }
    return typeof state === 'string' ? { type: 'found', value: state } : { type: 'unusable', problem: state }
  }

  #describe(place: Place): string {
    return 'logLine' in place ? `${this.#index.log}:${place.logLine}` : `${place.source} row ${place.row}`
  }
}
