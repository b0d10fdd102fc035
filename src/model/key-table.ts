import type { Fingerprint } from './fingerprint.ts'
import type { RowPlace } from './row.ts'

const wordValues = 2 ** 32
const segmentBits = 4
const fullest = 0.95
const growth = 1.125
const room = 2

interface TableShape {
  /** With two values an entry has a second number, from 0 to 2^32-1, in four bytes more. */
  readonly values?: 1 | 2
  /** Keeps the last two words of each fingerprint, and 4 bits of the first one: 68 of 96 bits, in four bytes less. */
  readonly isShort?: boolean
}

/** Maps fingerprints to whole numbers from 0 to 2^32-2: 17 to 19 bytes an entry outside the heap, without the limit of a Map. */
export class KeyTable {
  /** Parts by the first bits of the fingerprint. Each grows by itself and at another time, so that little memory is there twice. */
  readonly #segments: (Segment | undefined)[] = Array(2 ** segmentBits).fill(undefined)
  readonly #shape: TableShape
  #size = 0

  constructor(shape: TableShape = {}) {
    this.#shape = shape
  }

  get size(): number {
    return this.#size
  }

  get(fingerprint: Fingerprint): number | undefined {
    return this.#segments[fingerprint[0] >>> (32 - segmentBits)]?.get(fingerprint)
  }

  /** Checks for a fingerprint with this first word, in a table that is not short. */
  hasFirst(word: number): boolean {
    return this.#segments[word >>> (32 - segmentBits)]?.hasFirst(word) ?? false
  }

  second(fingerprint: Fingerprint): number | undefined {
    return this.#segments[fingerprint[0] >>> (32 - segmentBits)]?.second(fingerprint)
  }

  set(fingerprint: Fingerprint, value: number, second = 0): void {
    const at = fingerprint[0] >>> (32 - segmentBits)
    let segment = this.#segments[at]
    if (segment === undefined) {
      segment = new Segment(16 * room ** (at / 2 ** segmentBits), this.#shape)
      this.#segments[at] = segment
    }
    if (segment.set(fingerprint, value + 1, second)) this.#size += 1
  }

  /** Calls back with the two numbers of each entry. */
  each(note: (value: number, second: number) => unknown): void {
    for (const segment of this.#segments) segment?.each(note)
  }
}

/** A hash table with linear probing whose entries are in the order of their first words, so that it may be nearly full. */
class Segment {
  /** Places, not always a whole number of them. */
  #capacity: number
  /** Slots after the last place of a key. The last one stays empty. */
  #spare = 8
  /** Has room to grow: memory that was never written to is not there yet. */
  #words: Uint32Array
  /** Those of the fingerprint, and of the values. */
  readonly #slotWords: number
  /** The first word of a fingerprint that is kept, and where a slot has its value. */
  readonly #from: 0 | 1
  readonly #valueAt: number
  readonly #hasSecond: boolean
  #size = 0

  constructor(capacity: number, { values = 1, isShort = false }: TableShape) {
    this.#capacity = capacity
    this.#from = isShort ? 1 : 0
    this.#valueAt = 3 - this.#from
    this.#hasSecond = values === 2
    this.#slotWords = this.#valueAt + values
    this.#words = new Uint32Array(this.#length)
  }

  /** Number of the words in use. */
  get #length(): number {
    return (Math.ceil(this.#capacity) + this.#spare) * this.#slotWords
  }

  get(fingerprint: Fingerprint): number | undefined {
    const slot = this.#slotOf(fingerprint)
    return this.#has(fingerprint, slot) ? (this.#words[slot + this.#valueAt] ?? 0) - 1 : undefined
  }

  hasFirst(word: number): boolean {
    const slot = this.#firstSlotOf(word)
    return this.#words[slot] === word && this.#words[slot + this.#valueAt] !== 0
  }

  second(fingerprint: Fingerprint): number | undefined {
    if (!this.#hasSecond) return undefined
    const slot = this.#slotOf(fingerprint)
    return this.#has(fingerprint, slot) ? this.#words[slot + this.#valueAt + 1] : undefined
  }

  each(note: (value: number, second: number) => unknown): void {
    for (let at = this.#valueAt; at < this.#length; at += this.#slotWords) {
      const stored = this.#words[at] ?? 0
      if (stored !== 0) note(stored - 1, this.#hasSecond ? (this.#words[at + 1] ?? 0) : 0)
    }
  }

  /** Returns whether the key is new. A stored value of 0 marks an empty slot. */
  set(fingerprint: Fingerprint, stored: number, second: number): boolean {
    const words = this.#words
    const slotWords = this.#slotWords
    const valueAt = this.#valueAt
    const slot = this.#slotOf(fingerprint)
    if (this.#has(fingerprint, slot)) {
      words[slot + valueAt] = stored
      if (this.#hasSecond) words[slot + valueAt + 1] = second
      return false
    }
    let end = slot
    while (words[end + valueAt] !== 0) end += slotWords
    const isAtEnd = end === this.#length - slotWords
    if (isAtEnd || this.#size > this.#capacity * fullest) {
      this.#grow(isAtEnd)
      return this.set(fingerprint, stored, second)
    }
    words.copyWithin(slot + slotWords, slot, end)
    for (let at = 0; at < valueAt; at += 1) words[slot + at] = fingerprint[this.#from + at] ?? 0
    words[slot + valueAt] = stored
    if (this.#hasSecond) words[slot + valueAt + 1] = second
    this.#size += 1
    return true
  }

  #has(fingerprint: Fingerprint, slot: number): boolean {
    const words = this.#words
    const from = this.#from
    const isSame =
      words[slot] === fingerprint[from] &&
      words[slot + 1] === fingerprint[from + 1] &&
      (from === 1 || words[slot + 2] === fingerprint[2])
    return isSame && words[slot + this.#valueAt] !== 0
  }

  /** The first bits of a fingerprint are those of the segment. */
  #homeOf(first: number): number {
    const rest = this.#from === 0 ? (first << segmentBits) >>> 0 : first
    return Math.floor((rest / wordValues) * this.#capacity) * this.#slotWords
  }

  /** The slot that has the key, or where it belongs. */
  #slotOf(fingerprint: Fingerprint): number {
    const words = this.#words
    const slotWords = this.#slotWords
    const valueAt = this.#valueAt
    const first = fingerprint[this.#from] as number
    let slot = this.#firstSlotOf(first)
    while (words[slot + valueAt] !== 0 && words[slot] === first && !this.#has(fingerprint, slot))
      slot += slotWords
    return slot
  }

  /** The first slot of the keys with this first word, or where they belong. */
  #firstSlotOf(first: number): number {
    const words = this.#words
    const slotWords = this.#slotWords
    const valueAt = this.#valueAt
    let slot = this.#homeOf(first)
    while (words[slot + valueAt] !== 0 && (words[slot] ?? 0) < first) slot += slotWords
    return slot
  }

  /** Grows in place as long as there is room: all entries go to the end, in their order, and from there to their new places. */
  #grow(isAtEnd: boolean): void {
    const old = this.#words
    const oldLength = this.#length
    const valueAt = this.#valueAt
    if (isAtEnd) this.#spare *= 2
    else this.#capacity *= growth
    const length = this.#length
    if (length > old.length) this.#words = new Uint32Array(length * room)
    const words = this.#words
    let first = length
    for (let from = oldLength - this.#slotWords; from >= 0; from -= this.#slotWords)
      if (old[from + valueAt] !== 0) {
        first -= this.#slotWords
        this.#moveSlot(old, from, words, first)
      }
    let slot = 0
    for (let from = first; from < length; from += this.#slotWords) {
      const home = this.#homeOf(words[from] as number)
      if (slot < home) slot = home
      if (slot > from || slot === length - this.#slotWords) {
        this.#grow(true)
        return
      }
      this.#moveSlot(words, from, words, slot)
      slot += this.#slotWords
    }
  }

  /** Moves an entry, and empties its old slot. */
  #moveSlot(from: Uint32Array, slot: number, to: Uint32Array, toSlot: number): void {
    const valueAt = this.#valueAt
    const stored = from[slot + valueAt] as number
    from[slot + valueAt] = 0
    for (let at = 0; at < this.#slotWords; at += 1) to[toSlot + at] = from[slot + at] as number
    to[toSlot + valueAt] = stored
  }
}

const numbersOf = (bytes: number, length: number) =>
  bytes === 2 ? new Uint16Array(length) : new Uint32Array(length)

/** A list of whole numbers from 0 to 2^32-1 in four bytes each, or to 2^16-1 in two, outside the garbage collector's heap. */
export class NumberList {
  #numbers
  #length = 0
  #sorted = 0

  constructor(bytes: 2 | 4 = 4) {
    this.#numbers = numbersOf(bytes, 1024)
  }

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const longer = numbersOf(this.#numbers.BYTES_PER_ELEMENT, this.#length * room)
      longer.set(this.#numbers)
      this.#numbers = longer
    }
    this.#numbers[this.#length] = number
    this.#length += 1
  }

  at(index: number): number {
    return this.#numbers[index] ?? 0
  }

  /** Sets a number, also after the end; those in between are 0. */
  set(index: number, number: number): void {
    while (this.#length <= index) this.push(0)
    this.#numbers[index] = number
  }

  /** Sorts the list if need be, and looks for a number in it. */
  includes(number: number): boolean {
    if (this.#sorted < this.#length) this.#numbers.subarray(0, this.#length).sort()
    this.#sorted = this.#length
    let [from, to] = [0, this.#length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.at(middle) < number) from = middle + 1
      else to = middle
    }
    return from < this.#length && this.at(from) === number
  }
}

const blockRows = 4096

/** Numbers rows as they come, in any order; the rows of a block follow each other. */
export class RowNumbers {
  readonly #blocks: RowPlace[] = []
  readonly #numbers = new Map<string, number>()
  /** The block of the row before. */
  #block = 0

  of({ source, row }: RowPlace): number {
    const inBlock = row % blockRows
    const first = row - inBlock
    const last = this.#blocks[this.#block]
    if (last?.row !== first || last.source !== source) this.#block = this.#blockOf(source, first)
    return this.#block * blockRows + inBlock
  }

  #blockOf(source: string, row: number): number {
    const name = `${row} ${source}`
    const block = this.#numbers.get(name) ?? this.#blocks.push({ source, row }) - 1
    this.#numbers.set(name, block)
    return block
  }

  placeOf(number: number): RowPlace {
    const { source = '', row = 0 } = this.#blocks[Math.floor(number / blockRows)] ?? {}
    return { source, row: row + (number % blockRows) }
  }
}
