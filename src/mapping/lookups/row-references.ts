import { replacedName } from '../../model/content-key.ts'
import { fingerprint, KeyTable, RowNumbers } from '../../model/key-table.ts'
import type { Outcome } from '../../model/outcome.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { endOfSources, type Refs, type Row, type RowIdentity } from '../../model/row.ts'
import { nilUuid, present, textOf } from '../../model/values.ts'
import type { NamedReader } from '../identity.ts'
import { type Evaluate, scopeOf } from '../scope.ts'
import type { Found, Lookup } from './lookup.ts'
import { RowResolutions } from './row-resolutions.ts'
import { type Indexed, TextIndex } from './table.ts'

/** A line of the result log, as far as rows can refer to its row. */
export interface ReferenceLine extends Partial<RowIdentity> {
  readonly run: string
  readonly status?: string
  readonly record_id?: string
  /** An earlier line has the names of the row. */
  readonly by_hand?: boolean
  /** In the first line of a run. */
  readonly ref_columns?: readonly string[]
}

/** The names in a column: of rows in the sources, and of rows in the log with and without a record. */
const columnNames = () => ({ sources: new TextIndex(), logged: new TextIndex(), failed: new TextIndex() })

/** The lookups among the rows of an import, by their names in sources and log. About 150 bytes a row. */
export class RowReferences {
  readonly #log: string
  readonly #names: ReadonlyMap<string, ReturnType<typeof columnNames>>
  readonly #trees: ReadonlyMap<string, RowTree>
  readonly #resolutions = new RowResolutions()
  /** Numbers the lines of the log as well, as if it were another source. */
  readonly #places = new RowNumbers()
  /** By their names in files of rejected rows. */
  readonly #rejected = new KeyTable()
  /** By run. */
  readonly #refColumns = new Map<string, readonly string[]>()
  #lastLine = 0
  #isComplete = false

  /** `columns` are those by which lookups find rows, `indents` those with the depth of a row in a tree. */
  constructor(columns: readonly string[], log: string, indents: readonly NamedReader[] = []) {
    this.#log = log
    this.#names = new Map(columns.map(column => [column, columnNames()]))
    this.#trees = new Map(indents.map(({ column, read }) => [column, new RowTree(read)]))
  }

  /** Adds a line of the log. Calls in flight count as lines after the last. */
  addLine(line: ReferenceLine, lineNumber = this.#lastLine + 1): void {
    this.#lastLine = lineNumber
    const { status, record_id } = line
    if (status === undefined) return void this.#refColumns.set(line.run, line.ref_columns ?? [])
    const number = this.numberOf(line.key ?? '')
    const isInSources = this.#resolutions.rowsOf(number) > 0
    if (!line.by_hand && !isInSources) {
      const kind = record_id === undefined && status !== 'duplicate' ? 'failed' : 'logged'
      const place = this.#places.of({ source: this.#log, row: lineNumber })
      for (const [column, text] of namesIn(line.ref, this.#refColumns.get(line.run)))
        this.#names.get(column)?.[kind].add(text, number, place)
    }
    if (record_id !== undefined) this.#resolutions.resolve(number, record_id)
    else if (status !== 'duplicate' && !isInSources)
      this.#resolutions.fail(
        number,
        problem('linked_row_not_in_sources', { line: `${this.#log}:${lineNumber}`, status }),
      )
    this.#noteReplacement(line, number)
  }

  /** The sources may still have the rejected row, by another key. A bad key that several rows have is not replaced. */
  #noteReplacement({ key = '', hash = '', replaces, record_id }: ReferenceLine, number: number): void {
    const name = fingerprint(replacedName({ key, hash, replaces }))
    if (record_id === undefined && replaces === undefined) this.#rejected.set(name, number)
    const rejected = replaces && this.#rejected.get(name)
    if (typeof rejected !== 'number' || rejected === number || record_id === undefined) return
    if (this.#resolutions.rowsOf(rejected) <= 1) this.#resolutions.replace(rejected, number)
  }

  /** Adds a row of the sources that is read in advance. */
  addRow(identity: RowIdentity): void {
    const number = this.numberOf(identity.key)
    for (const [column, text] of namesIn(identity.ref, [...this.#names.keys()]))
      this.#names.get(column)?.sources.add(text, number, this.#places.of(identity))
    this.#resolutions.addRow(number)
  }

  /** Called when all rows were added. Sources that can be read only once add theirs during the import. */
  complete(): void {
    this.#isComplete = true
  }

  numberOf(key: string): number {
    return this.#resolutions.numberOf(key)
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
    let failure: Problem | undefined
    if ('recordId' in outcome) this.#resolutions.resolve(number, outcome.recordId)
    else if (status === 'valid') this.#resolutions.resolve(number, nilUuid)
    else if (status === 'done') this.#resolutions.takeReplacement(number)
    else if (status !== 'duplicate')
      failure = problem('linked_row_not_created', { row: `${identity.source} row ${identity.row}`, status })
    this.#resolutions.settle(number, failure)
  }

  giveUp(number: number): void {
    this.#resolutions.giveUp(number)
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
    const isOneRow =
      this.#resolutions.isSame(logged.value, row.value) || this.#resolutions.rowsOf(logged.value) > 0
    return isOneRow ? row : { type: 'several', places: [row.place, logged.place] }
  }

  #recordOf(number: number): Found {
    const state = this.#resolutions.get(number)
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

/** The number of a row, or why it cannot be a parent. */
type TreePlace = number | Problem

/** By increasing depth. */
type Branch = readonly { readonly depth: number; readonly place: TreePlace }[]

/** A tree by order and depth. It must see every row: the children of a missed one would get another parent. */
export class RowTree {
  readonly #read: Evaluate
  readonly #above = new WeakMap<Row, TreePlace>()
  #branch: Branch = []
  #top = Number.POSITIVE_INFINITY
  #source: string | undefined

  constructor(readDepth: Evaluate) {
    this.#read = readDepth
  }

  /** In the order of the sources; a row without a depth is in no tree. */
  take(row: Row, place: TreePlace): void {
    if (row.source !== this.#source) {
      this.#source = row.source
      this.#branch = []
      this.#top = Number.POSITIVE_INFINITY
    }
    const text = row.fault === undefined ? this.#depthOf(row) : undefined
    if (text === '') return
    const depth = text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
    if (depth === undefined) {
      if (text !== undefined) this.#above.set(row, problem('bad_indent'))
      this.#branch = [{ depth: -1, place: problem('row_above_invalid') }]
      return
    }
    this.#top = Math.min(this.#top, depth)
    const above = depth === this.#top ? [] : this.#branch.filter(each => each.depth < depth)
    const parent = above.at(-1)
    if (parent !== undefined) this.#above.set(row, parent.place)
    this.#branch = [...above, { depth, place }]
  }

  /** The parent of a row, or why it is unusable; undefined at the top. */
  above(row: Row): TreePlace | undefined {
    return this.#above.get(row)
  }

  #depthOf(row: Row): string {
    const text = textOf(present(this.#read(scopeOf(row))) ?? '')
    return typeof text === 'string' ? text : 'an object'
  }
}
