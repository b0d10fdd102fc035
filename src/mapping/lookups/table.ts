import { fingerprint, KeyTable } from '../../model/key-table.ts'
import { problem } from '../../model/problem.ts'
import { nilUuid } from '../../model/values.ts'
import type { Found } from './lookup.ts'
import { TextIndex } from './text-index.ts'

/**
 * A table of values by their keys, read from a file (an earlier result log, or any CSV or NDJSON file) or gathered in the dry
 * run of another step of a plan.
 */
export class LookupTable {
  readonly #name: string
  readonly #wordsOf: (place: number) => string
  readonly #index = new TextIndex()
  /** Keys of rows that have no record yet: a link to one is not to be left out for good. */
  readonly #without = new TextIndex()
  readonly #values: unknown[] = []
  readonly #numbers = new KeyTable()

  /** `name` is how errors name it, and `wordsOf` how they name a place in it: the line of a file by itself. */
  constructor(name: string, wordsOf = (line: number) => `${name}:${line}`) {
    this.#name = name
    this.#wordsOf = wordsOf
  }

  /** Takes a line of the table; a key without a value is known, and cannot be used. */
  add(key: string, value: unknown, place: number): void {
    if (value === undefined) this.#without.add(key, 0, place)
    else this.#index.add(key, this.#numberOf(value), place)
  }

  /** Takes a key whose record is yet to be made: another one than that of any other key. */
  addPlanned(key: string, place: number): void {
    this.#index.add(key, this.#values.push(nilUuid) - 1, place)
  }

  find(key: string): Found {
    const indexed = this.#index.find(key)
    switch (indexed?.type) {
      case 'one':
        return { type: 'found', value: this.#values[indexed.value] }
      case 'several': {
        const [first, second] = indexed.places.map(this.#wordsOf)
        return {
          type: 'unusable',
          problem: problem('lookup_ambiguous', { first: String(first), second: String(second) }),
        }
      }
      default:
        return this.#without.find(key) === undefined
          ? { type: 'missing', problem: problem('lookup_not_found', { table: this.#name }) }
          : { type: 'unusable', problem: problem('lookup_without_record', { table: this.#name }) }
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
