// References between the rows of an import: a ReferenceIndex finds a row by its name and knows its record, and RowReferences are the
// lookups over it.

import type { Outcome } from '../../model/outcome.ts'
import { type Problem, problem } from '../../model/problem.ts'
import { endOfSources, type Row, type RowIdentity } from '../../model/row.ts'
import { nilUuid, present, textOf } from '../../model/values.ts'
import type { NamedReader } from '../identity.ts'
import { type Evaluate, scopeOf } from '../scope.ts'
import type { Found, Lookup } from './lookup.ts'
import type { Place, ReferenceIndex, RowResolutions } from './reference-index.ts'

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
    if ('recordId' in outcome) this.#resolutions.resolve(number, outcome.recordId)
    else if (status === 'valid') this.#resolutions.resolve(number, nilUuid)
    else if (status === 'done') this.#resolutions.takeReplacement(number)
    else if (status !== 'duplicate')
      failure = problem('linked_row_not_created', { row: this.#describe(identity), status })
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
