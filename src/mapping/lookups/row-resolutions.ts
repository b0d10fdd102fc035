import { fingerprint, KeyTable, NumberList } from '../../model/key-table.ts'
import { isProblem, type Problem, problem } from '../../model/problem.ts'

/** The record id, or why there is none; undefined while pending. */
type Resolution = string | Problem | undefined

/** The records of rows, by the number of their key; duplicates share one. */
export class RowResolutions {
  readonly #numbers = new KeyTable()
  readonly #states: Resolution[] = []
  /** The number of rows with the key, and of those with an outcome. */
  readonly #rows = new NumberList()
  readonly #settled = new NumberList()
  /** The last failure of a key that other rows have as well. */
  readonly #failures = new Map<number, Problem>()
  /** Repaired row that has the record of a rejected one. */
  readonly #replacements = new Map<number, number>()

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
    return this.#states[number]
  }

  rowsOf(number: number): number {
    return this.#rows.at(number)
  }

  /** If earlier runs made no record for the key, this run may. */
  addRow(number: number): void {
    if (!this.#isExpected(number) && isProblem(this.#states[number])) this.#states[number] = undefined
    this.#rows.set(number, this.rowsOf(number) + 1)
  }

  resolve(number: number, recordId: string): void {
    this.#states[number] = recordId
  }

  /** No effect on a row with a record. */
  fail(number: number, reason: Problem): void {
    if (typeof this.#states[number] !== 'string') this.#states[number] = reason
  }

  replace(rejected: number, repaired: number): void {
    this.#replacements.set(rejected, repaired)
  }

  /** A row of the log is this row of the sources, or replaces it. */
  isSame(logged: number, row: number): boolean {
    if (logged === row) return true
    const state = this.#states[row]
    return this.#replacements.get(row) === logged && (state === undefined || state === this.#states[logged])
  }

  /** The rejected row has the record of the row that replaces it. */
  takeReplacement(number: number): void {
    this.#states[number] ??= this.#states[this.#replacements.get(number) ?? number]
  }

  /** `failure` counts once all rows of the key have an outcome and none has a record. */
  settle(number: number, failure: Problem | undefined): void {
    this.#settled.set(number, this.#settled.at(number) + 1)
    if (failure !== undefined) this.#failures.set(number, failure)
    const last = this.#failures.get(number)
    if (last === undefined || this.#isExpected(number)) return
    this.#states[number] ??= last
    this.#failures.delete(number)
  }

  #isExpected(number: number): boolean {
    return this.#settled.at(number) < this.#rows.at(number)
  }

  giveUp(number: number): void {
    this.#states[number] ??= problem('linked_row_gone')
  }
}
