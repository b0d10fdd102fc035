import { UsageError } from '../../model/errors.ts'
import { fingerprint, KeyTable } from '../../model/key-table.ts'
import { problem } from '../../model/problem.ts'
import { nilUuid } from '../../model/values.ts'
import type { Found } from './lookup.ts'
import { TextIndex } from './text-index.ts'

const largestTable = 1e9
const bytesPerLine = 150

/** Values by keys: of a result log, a CSV or NDJSON file, or the dry run of another step. */
export class LookupTable {
  readonly #name: string
  readonly #describe: (place: number) => string
  readonly #index = new TextIndex()
  /** Keys without a record: `missing: omit` must not omit these links, which could not be added later. */
  readonly #without = new TextIndex()
  readonly #values: unknown[] = []
  readonly #numbers = new KeyTable()
  firstKey: string | undefined
  #bytesLeft: number

  /** `name` and `describePlace` are for errors. */
  constructor(name: string, describePlace = (line: number) => `${name}:${line}`, mostBytes = largestTable) {
    this.#name = name
    this.#bytesLeft = mostBytes
    this.#describe = describePlace
  }

  /** A key without a value is known but cannot be used. Throws a UsageError once there are too many. */
  add(key: string, value: unknown, place: number): void {
    this.#bytesLeft -= bytesPerLine + (typeof value === 'string' ? value.length : 0)
    if (this.#bytesLeft < 0) throw new UsageError('lookup_too_large', { path: this.#name })
    this.firstKey ??= key
    if (value === undefined) this.#without.add(key, 0, place)
    else this.#index.add(key, this.#numberOf(value), place)
  }

  /** A record that does not exist yet; it differs from all others. */
  addPlanned(key: string, place: number): void {
    this.#index.add(key, this.#values.push(nilUuid) - 1, place)
  }

  readonly find = (key: string): Found => {
    const indexed = this.#index.find(key)
    switch (indexed?.type) {
      case 'one':
        return { type: 'found', value: this.#values[indexed.value] }
      case 'several': {
        const [first, second] = indexed.places.map(this.#describe)
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

  lineOf(key: string): string | undefined {
    const indexed = this.#index.find(key)
    return indexed?.type === 'one' ? this.#describe(indexed.place) : undefined
  }

  /** Equal values share a number. */
  #numberOf(value: unknown): number {
    const print = fingerprint(JSON.stringify(value))
    const known = this.#numbers.get(print)
    if (known !== undefined) return known
    this.#numbers.set(print, this.#values.length)
    return this.#values.push(value) - 1
  }
}
