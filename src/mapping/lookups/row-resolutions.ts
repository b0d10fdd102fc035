import { fingerprint, KeyTable, NumberList } from '../../model/key-table.ts'
import { isProblem, type Problem, problem } from '../../model/problem.ts'

/** What is known of a row's record. */
export type Resolution =
  | { readonly type: 'pending' }
  | { readonly type: 'resolved'; readonly recordId: string }
  | { readonly type: 'failed'; readonly problem: Problem }

/** The records of rows, by a number for each key: a duplicate counts as the row that it duplicates. */
export class RowResolutions {
  readonly #numbers = new KeyTable()
  /** The id of the record, why there is none, or undefined while pending. */
  readonly #states: (string | Problem | undefined)[] = []
  /** How many rows of the sources have the key, and how many of these have an outcome. */
  readonly #rows = new NumberList()
  readonly #settled = new NumberList()
  /** The last failure of a key that other rows have as well. */
  readonly #failures = new Map<number, Problem>()
  /** For a rejected row, the repaired row that has its record. */
  readonly #replacements = new Map<number, number>()

  /** The number of a key. */
  numberOf(key: string): number {
    const print = fingerprint(key)
    const known = this.#numbers.get(print)
    if (known !== undefined) return known
    this.#numbers.set(print, this.#states.length)
    this.#rows.push(0)
    this.#settled.push(0)
    return this.#states.push(undefined) - 1
  }

  get(number: number): Resolution {
    const state = this.#states[number]
    if (state === undefined) return { type: 'pending' }
    return typeof state === 'string'
      ? { type: 'resolved', recordId: state }
      : { type: 'failed', problem: state }
  }

  /** How many rows of the sources have this key. */
  rowsOf(number: number): number {
    return this.#rows.at(number)
  }

  /** A row of the sources has this key: if earlier runs gave it no record, this run may. */
  addRow(number: number): void {
    if (!this.#isExpected(number) && isProblem(this.#states[number])) this.#states[number] = undefined
    this.#rows.set(number, this.rowsOf(number) + 1)
  }

  resolve(number: number, recordId: string): void {
    this.#states[number] = recordId
  }

  /** Has no effect on a row that has its record. */
  fail(number: number, reason: Problem): void {
    if (typeof this.#states[number] !== 'string') this.#states[number] = reason
  }

  replace(rejected: number, repaired: number): void {
    this.#replacements.set(rejected, repaired)
  }

  /** Whether a row of the log is a row of the sources, or replaces it as far as that is known. */
  isSame(logged: number, row: number): boolean {
    if (logged === row) return true
    const state = this.#states[row]
    return this.#replacements.get(row) === logged && (state === undefined || state === this.#states[logged])
  }

  /** A rejected row is done: it has the record of the row that replaces it. */
  takeReplacement(number: number): void {
    this.#states[number] ??= this.#states[this.#replacements.get(number) ?? number]
  }

  /** A row of this key has an outcome; `failure` counts once all rows of the key have one, and none has a record. */
  settle(number: number, failure: Problem | undefined): void {
    this.#settled.set(number, this.#settled.at(number) + 1)
    if (failure !== undefined) this.#failures.set(number, failure)
    const last = this.#failures.get(number)
    if (last === undefined || this.#isExpected(number)) return
    this.#states[number] ??= last
    this.#failures.delete(number)
  }

  /** Whether rows of the key have no outcome yet. */
  #isExpected(number: number): boolean {
    return this.#settled.at(number) < this.#rows.at(number)
  }

  /** The row will not come any more. */
  giveUp(number: number): void {
    this.#states[number] ??= problem('linked_row_gone')
  }
}
