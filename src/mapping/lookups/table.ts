import { UsageError } from '../../model/errors.ts'
import { fingerprint } from '../../model/fingerprint.ts'
import { KeyTable, NumberList } from '../../model/key-table.ts'
import { problem } from '../../model/problem.ts'
import { folded, nilUuid } from '../../model/values.ts'
import type { LookupResult } from './lookup.ts'

/** The value of a text, or two places with different values. */
export type Indexed =
  | { readonly type: 'one'; readonly value: number; readonly place: number }
  | { readonly type: 'several'; readonly places: readonly [number, number] }

/** An exact match wins, else one that differs only in case and outer blanks. About 80 bytes a text. */
export class TextIndex {
  readonly #slots = new KeyTable()
  readonly #values = new NumberList()
  readonly #places = new NumberList()
  /** The place of a different value of the same text, plus one; 0 for none. */
  readonly #rivals = new NumberList()
  /** Values that no text has any more. */
  readonly gone = new Set<number>()

  add(text: string, value: number, place: number): void {
    this.#add(`=${text}`, value, place)
    this.#add(`~${folded(text)}`, value, place)
  }

  find(text: string): Indexed | undefined {
    return this.#get(`=${text}`) ?? this.#get(`~${folded(text)}`)
  }

  #add(name: string, value: number, place: number): void {
    const nameFingerprint = fingerprint(name)
    const slot = this.#slots.get(nameFingerprint)
    if (slot === undefined) {
      this.#slots.set(nameFingerprint, this.#values.length)
      this.#values.push(value)
      this.#places.push(place)
      this.#rivals.push(0)
    } else if (this.gone.has(this.#values.at(slot))) {
      this.#values.set(slot, value)
      this.#places.set(slot, place)
    } else if (this.#values.at(slot) !== value && this.#rivals.at(slot) === 0)
      this.#rivals.set(slot, place + 1)
  }

  #get(name: string): Indexed | undefined {
    const slot = this.#slots.get(fingerprint(name))
    if (slot === undefined || this.gone.has(this.#values.at(slot))) return undefined
    const rival = this.#rivals.at(slot)
    if (rival === 0) return { type: 'one', value: this.#values.at(slot), place: this.#places.at(slot) }
    return { type: 'several', places: [this.#places.at(slot), rival - 1] }
  }
}

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
    else {
      const number = this.#numberOf(value)
      this.#index.gone.delete(number)
      this.#index.add(key, number, place)
    }
  }

  /** Takes back a value that does not exist any more, from all keys. */
  remove(key: string, value: unknown, place: number): void {
    this.#index.gone.add(this.#numberOf(value))
    this.#without.add(key, 0, place)
  }

  /** A record that does not exist yet; it differs from all others. */
  addPlanned(key: string, place: number): void {
    this.#index.add(key, this.#values.push(nilUuid) - 1, place)
  }

  readonly find = (key: string): LookupResult => {
    const indexed = this.#index.find(key)
    if (indexed?.type === 'one') return { type: 'found', value: this.#values[indexed.value] }
    if (indexed !== undefined) {
      const [first, second] = indexed.places
      const places = { first: this.#describe(first), second: this.#describe(second) }
      return { type: 'unusable', problem: problem('lookup_ambiguous', places) }
    }
    return this.#without.find(key) === undefined
      ? { type: 'missing', problem: problem('lookup_not_found', { table: this.#name }) }
      : { type: 'unusable', problem: problem('lookup_without_record', { table: this.#name }) }
  }

  lineOf(key: string): string | undefined {
    const indexed = this.#index.find(key)
    return indexed?.type === 'one' ? this.#describe(indexed.place) : undefined
  }

  /** Equal values share a number. */
  #numberOf(value: unknown): number {
    const valueFingerprint = fingerprint(JSON.stringify(value))
    const known = this.#numbers.get(valueFingerprint)
    if (known !== undefined) return known
    this.#numbers.set(valueFingerprint, this.#values.length)
    return this.#values.push(value) - 1
  }
}
