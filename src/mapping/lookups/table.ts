import { fingerprint, KeyTable } from '../../model/key-table.ts'
import { problems } from '../../model/problems.ts'
import type { Found } from './lookup.ts'
import { TextIndex } from './text-index.ts'

/** A table of values by their keys, read from a file: an earlier result log, or any CSV or NDJSON file. */
export class LookupTable {
  readonly #file: string
  readonly #index = new TextIndex()
  /** Keys of rows that have no record yet: a link to one is not to be left out for good. */
  readonly #without = new TextIndex()
  readonly #values: unknown[] = []
  readonly #numbers = new KeyTable()

  /** `file` is how errors name it. */
  constructor(file: string) {
    this.#file = file
  }

  /** Takes a line of the table; a key without a value is known, and cannot be used. */
  add(key: string, value: unknown, line: number): void {
    if (value === undefined) this.#without.add(key, 0, line)
    else this.#index.add(key, this.#numberOf(value), line)
  }

  find(key: string): Found {
    const indexed = this.#index.find(key)
    switch (indexed?.is) {
      case 'one':
        return { is: 'found', value: this.#values[indexed.value] }
      case 'several': {
        const [first, second] = indexed.places.map(line => `${this.#file}:${line}`)
        return { is: 'unusable', problem: problems.ambiguous(String(first), String(second)) }
      }
      default:
        return this.#without.find(key) === undefined
          ? { is: 'missing', problem: problems.notFound(this.#file) }
          : { is: 'unusable', problem: problems.withoutRecord(this.#file) }
    }
  }

  /** Equal values have one number, and are kept once. */
  #numberOf(value: unknown): number {
    const print = fingerprint(JSON.stringify(value))
    const known = this.#numbers.get(print)
    if (known !== undefined) return known
    this.#numbers.set(print, this.#values.length)
    return this.#values.push(value) - 1
  }
}
