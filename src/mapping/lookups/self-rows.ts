import { replacedName } from '../../model/content-key.ts'
import { fingerprint, KeyTable, NumberList, RowNumbers } from '../../model/key-table.ts'
import type { Outcome } from '../../model/outcome.ts'
import { isProblem, type Problem, problem } from '../../model/problem.ts'
import { endOfSources, type Refs, type Row, type RowIdentity } from '../../model/row.ts'
import { nilUuid, unreachable } from '../../model/values.ts'
import type { NamedReader } from '../identity.ts'
import type { Found, Lookup } from './lookup.ts'
import { RowTree } from './row-tree.ts'
import { type Indexed, TextIndex } from './text-index.ts'

/** A line of the result log, as far as it tells of a row that may be named. */
export interface NamedLine {
  readonly run: string
  readonly status?: string
  readonly key?: string
  readonly hash?: string
  /** The rejected row that this one replaces. */
  readonly replaces?: string | undefined
  /** In a line of 0.1: the key of a repaired row, whose `key` is that with which it was refused. */
  readonly alias?: string | undefined
  readonly record_id?: string
  readonly ref?: Refs | undefined
  /** A person settled the row, of which an earlier line tells by what it is named. */
  readonly by_hand?: boolean
  /** Of a line that opens a run: the columns whose values `ref` has. */
  readonly ref_columns?: readonly string[]
}

/** The record of a row, why it has none, or undefined as long as its end is not known. */
type RecordOf = string | Problem | undefined

/**
 * The rows of an import that its rows may name (DESIGN 2.3), those of earlier runs among them: by the values of the columns that `by`
 * names, and what became of each. A row is known by its key, for a duplicate stands for the row that it is a duplicate of.
 */
export class SelfRows {
  readonly #log: string
  /** By the columns: the rows of the sources, those that only the log tells of, and of these the ones without a record. */
  readonly #indexes: ReadonlyMap<string, TextIndex>
  readonly #logged: ReadonlyMap<string, TextIndex>
  readonly #refused: ReadonlyMap<string, TextIndex>
  readonly #trees: ReadonlyMap<string, RowTree>
  readonly #rows = new RowNumbers()
  readonly #keys = new KeyTable()
  readonly #records: RecordOf[] = []
  /** How many rows of a key have no end yet. */
  readonly #toCome = new NumberList()
  /** The rows that the log tells were refused, by their names in files of rejected rows. */
  readonly #rejected = new KeyTable()
  /** By the number of a key that was refused, that of the row that has its record instead. */
  readonly #replacements = new Map<number, number>()
  /** Why the last row of a key that failed has no record, as long as others of that key are to come. */
  readonly #failures = new Map<number, Problem>()
  /** What the openings of earlier runs say of the refs in their lines. */
  readonly #refColumns = new Map<string, readonly string[]>()
  #lastLine = 0
  /** Rows of sources that are read once only, and so after the log: a name that the log has of them does not count. */
  readonly #isHere = new Set<number>()
  #isComplete = false

  /** `by` are the columns that lookups go by, `indents` those that tell how deep a row stands; `log` is how errors name the result log. */
  constructor(by: readonly Pick<NamedReader, 'column'>[], indents: readonly NamedReader[], log: string) {
    this.#log = log
    this.#trees = new Map(indents.map(({ column, read }) => [column, new RowTree(read)]))
    const indexes = () => new Map(by.map(({ column }) => [column, new TextIndex()]))
    this.#indexes = indexes()
    this.#logged = indexes()
    this.#refused = indexes()
  }

  /** The number of the row, or rows, with a key. */
  numberOf(key: string): number {
    const print = fingerprint(key)
    const known = this.#keys.get(print)
    if (known !== undefined) return known
    this.#keys.set(print, this.#records.length)
    this.#toCome.push(0)
    return this.#records.push(undefined) - 1
  }

  /** Takes a line of the result log, and its number; the calls that a run left under way will stand behind the last. */
  takeLine(told: NamedLine, line = this.#lastLine + 1): void {
    this.#lastLine = line
    const { run, key = '', ref, record_id, status, by_hand } = told
    if (status === undefined) return void this.#refColumns.set(run, told.ref_columns ?? [])
    const number = this.numberOf(told.alias ?? key)
    const isInSources = this.#toCome.at(number) > 0
    const indexes = record_id === undefined && status !== 'duplicate' ? this.#refused : this.#logged
    if (!by_hand && !isInSources) name(indexes, ref, this.#refColumns.get(run), number, 2 * line + 1)
    if (record_id !== undefined) this.#records[number] = record_id
    else if (typeof this.#records[number] !== 'string' && status !== 'duplicate' && !isInSources)
      this.#records[number] = problem('linked_row_not_in_sources', { line: `${this.#log}:${line}`, status })
    this.#noteReplacement(told, number)
  }

  /**
   * A repaired row that has its record may have another key than the rejected one that stands in the sources still. A bad key
   * that several rows of the sources have is not its own.
   */
  #noteReplacement({ key = '', hash = '', replaces, alias, record_id }: NamedLine, number: number): void {
    const rejected = fingerprint(replacedName({ key, hash, replaces }))
    if (record_id === undefined && replaces === undefined) this.#rejected.set(rejected, number)
    const before = alias === undefined ? replaces && this.#rejected.get(rejected) : this.numberOf(key)
    if (typeof before !== 'number' || before === number || record_id === undefined) return
    if (this.#toCome.at(before) <= 1) this.#replacements.set(before, number)
  }

  /** Takes a row of the sources; one that earlier runs refused, or left in doubt, has its end before it again. */
  takeRow(row: Row, identity: RowIdentity): void {
    const number = this.numberOf(identity.key)
    for (const tree of this.#trees.values()) tree.take(row, number)
    if (this.#isComplete) return
    name(this.#indexes, identity.ref, [...this.#indexes.keys()], number, 2 * this.#rows.of(identity))
    if (this.#toCome.at(number) === 0 && isProblem(this.#records[number])) this.#records[number] = undefined
    this.#toCome.set(number, this.#toCome.at(number) + 1)
    if (this.#lastLine > 0) this.#isHere.add(number)
  }

  /** Takes a row that `where` leaves out, or that cannot be read: nobody's parent, though it has its place in a tree. */
  passOver(row: Row): void {
    for (const tree of this.#trees.values()) tree.take(row, problem('row_above_left_out'))
  }

  /** Every row of the sources was taken; before that, another row of the same name may still come. */
  complete(): void {
    this.#isComplete = true
    for (const tree of this.#trees.values()) tree.restart()
  }

  /** Takes a row's outcome. A key without a record is given up only with the last of its rows. */
  settle(outcome: Outcome): void {
    const { identity } = outcome
    const number = this.numberOf(identity.key)
    this.#toCome.set(number, Math.max(0, this.#toCome.at(number) - 1))
    switch (outcome.status) {
      case 'created':
      case 'existing':
        this.#records[number] = outcome.recordId
        break
      case 'valid':
        this.#records[number] = nilUuid
        break
      case 'invalid':
      case 'failed':
      case 'in_doubt':
      case 'held':
        this.#failures.set(
          number,
          problem('linked_row_not_created', {
            row: this.#wordsOf(2 * this.#rows.of(identity)),
            status: outcome.status,
          }),
        )
        break
      case 'done':
        this.#records[number] ??= this.#records[this.#replacements.get(number) ?? number]
        break
      case 'duplicate':
        break
      default:
        unreachable(outcome)
    }
    const failure = this.#failures.get(number)
    if (failure === undefined || this.#toCome.at(number) > 0) return
    this.#records[number] ??= failure
    this.#failures.delete(number)
  }

  /** Lets the rows that still wait for a row know that it does not come any more. */
  giveUp(number: number): void {
    this.#records[number] ??= problem('linked_row_gone')
  }

  /** The lookup by one of the columns. */
  by(column: string): Lookup {
    return text => {
      if (!this.#isComplete) return { type: 'waits', on: endOfSources }
      const indexed = this.#indexed(column, text)
      if (indexed === undefined) return { type: 'missing', problem: problem('row_not_found', { column }) }
      if (indexed.type === 'one') return this.#recordOf(indexed.value)
      const [first, second] = indexed.places.map(place => this.#wordsOf(place))
      return {
        type: 'unusable',
        problem: problem('lookup_ambiguous', { first: String(first), second: String(second) }),
      }
    }
  }

  /**
   * What stands under a text in the sources and in the log. A row of the log counts where the sources have it no more; one
   * that never got a record only where nothing else has the name: it may be a row that was mended since.
   */
  #indexed(column: string, text: string): Indexed | undefined {
    const here = this.#indexes.get(column)?.find(text)
    const before = this.#logged.get(column)?.find(text)
    const isSame = before?.type === 'one' && here?.type === 'one' && this.#isSame(before.value, here.value)
    if (here === undefined) return before ?? this.#refused.get(column)?.find(text)
    if (before === undefined || isSame || here.type === 'several') return here
    if (before.type === 'one' && this.#isHere.has(before.value)) return here
    return { type: 'several', places: [here.place, before.type === 'one' ? before.place : before.places[0]] }
  }

  /** Whether a row of the log is one of the sources, or has its record in its place as far as that is known. */
  #isSame(before: number, here: number): boolean {
    if (before === here) return true
    const record = this.#records[here]
    return (
      this.#replacements.get(here) === before && (record === undefined || record === this.#records[before])
    )
  }

  /** The lookup of the row above in a tree; the rows at its top have none. */
  above(column: string): Lookup {
    const tree = this.#trees.get(column)
    return (_, row) => {
      const above = tree?.above(row)
      if (above === undefined) return { type: 'found', value: undefined }
      return typeof above === 'number' ? this.#recordOf(above) : { type: 'unusable', problem: above }
    }
  }

  #recordOf(number: number): Found {
    const record = this.#records[number]
    if (record === undefined) return { type: 'waits', on: number }
    return typeof record === 'string'
      ? { type: 'found', value: record }
      : { type: 'unusable', problem: record }
  }

  #wordsOf(place: number): string {
    const number = Math.floor(place / 2)
    if (place % 2 === 1) return `${this.#log}:${number}`
    const { source, row } = this.#rows.placeOf(number)
    return `${source} row ${row}`
  }
}

/** Notes by what a row is named; a text alone is that of the one column. */
function name(
  indexes: ReadonlyMap<string, TextIndex>,
  refs: Refs | undefined,
  [only = '']: readonly string[] = [],
  number: number,
  place: number,
): void {
  if (refs === undefined) return
  for (const [column, text] of typeof refs === 'string' ? [[only, refs] as const] : Object.entries(refs))
    indexes.get(column)?.add(text, number, place)
}
