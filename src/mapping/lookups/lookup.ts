import type { LookupFacts } from '../../model/mapping-report.ts'
import type { Problem, ProblemCode } from '../../model/problem.ts'
import type { Row } from '../../model/row.ts'

export type LookupResult =
  | { readonly type: 'found'; readonly value: unknown }
  | { readonly type: 'missing'; readonly problem: Problem }
  /** Several values, or a row without a record: `missing: omit` does not apply. */
  | { readonly type: 'unusable'; readonly problem: Problem }
  /** Waits for the outcome of another row, by its number. */
  | { readonly type: 'waits'; readonly on: number }

export type Lookup = (text: string, row: Row) => LookupResult

export interface SearchedTable {
  readonly find: Lookup
  /** One of its keys, for messages. */
  readonly firstKey?: string | undefined
  /** The file and line of a key, and the column of its value. */
  readonly placeOf?: (key: string) => { readonly place: string; readonly column: string } | undefined
}

interface Provided {
  readonly name: string
  readonly lookup: Lookup
  readonly table: SearchedTable | undefined
  values: number
  hits: number
  missed?: string
}

/** The lookups of a mapping, and its map files by their paths. Each must be provided before the first row is mapped. */
export class Lookups {
  /** The map files of rules, each with the lookup of its rule: then it has the right names for that one. */
  readonly mapFiles = new Map<string, string | undefined>()
  /** Takes each text that was not found, once for each row that is mapped. */
  onMissing?: (lookup: string, text: string, row: Row) => void
  /** The rows that were mapped. */
  rows = 0
  readonly #provided = new Map<string, Provided>()
  #row: Row | undefined
  #answersForRow: (readonly [Provided, text: string, LookupResult])[] = []

  setRow(row: Row): void {
    this.#row = row
    if (this.#answersForRow.length > 0) this.#answersForRow = []
  }

  /** Provides a lookup; `table` is what it searches. */
  provide(name: string, lookup: Lookup, table?: SearchedTable): void {
    this.#provided.set(name, { name, lookup, table, values: 0, hits: 0 })
  }

  /** Returns a value, which is undefined if empty, or a Problem, a Pending or an Omission. */
  find(name: string, text: string, missing: 'invalid' | 'omit' = 'invalid'): unknown {
    const provided = this.#provided.get(name)
    if (provided === undefined || this.#row === undefined)
      throw new Error(`the lookup ${name} was not provided, or no row is set`)
    const answer = provided.lookup(text, this.#row)
    this.#answersForRow.push([provided, text, answer])
    if (answer.type === 'found') return answer.value
    if (answer.type === 'waits') return new Pending(answer.on)
    if (answer.type === 'unusable') return answer.problem
    provided.missed ??= text
    return missing === 'omit' ? new Omission(answer.problem.code) : answer.problem
  }

  placeOf(name: string, text: string) {
    return this.#provided.get(name)?.table?.placeOf?.(text)
  }

  /** Counts the row, and the answers for it; one that has to wait asks again. */
  countRow(): void {
    this.rows += 1
    for (const [provided, text, { type }] of this.#answersForRow) {
      provided.values += 1
      if (type !== 'missing') provided.hits += 1
      else if (this.#row !== undefined) this.onMissing?.(provided.name, text, this.#row)
    }
  }

  facts(): LookupFacts[] {
    const lookups = [...this.#provided.values()].filter(({ name }) => !this.mapFiles.has(name)) // a map need not find
    return lookups.map(({ lookup, table, ...counts }) => ({ ...counts, key: table?.firstKey }))
  }
}

/** A value that depends on the outcome of another row. */
export class Pending {
  readonly on: number
  constructor(on: number) {
    this.on = on
  }
}

export class Omission {
  readonly code: ProblemCode
  constructor(code: ProblemCode) {
    this.code = code
  }
}
