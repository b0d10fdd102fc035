import { replacedName } from '../../model/content-key.ts'
import { fingerprint, KeyTable, NumberList, RowNumbers } from '../../model/key-table.ts'
import { isProblem, type Problem, problem } from '../../model/problem.ts'
import type { Refs, RowIdentity, RowPlace } from '../../model/row.ts'
import { TextIndex } from './table.ts'

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

export type Place = { readonly logLine: number } | RowPlace

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
    const number = this.resolutions.numberOf(line.key ?? '')
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
  #noteReplacement({ key = '', hash = '', replaces, record_id }: ReferenceLine, number: number): void {
    const name = fingerprint(replacedName({ key, hash, replaces }))
    if (record_id === undefined && replaces === undefined) this.#rejected.set(name, number)
    const rejected = replaces && this.#rejected.get(name)
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
