import { hash } from 'node:crypto'
import { isContentKey } from './content-key.ts'
import type { RowPlace } from './row.ts'

/** 96 bits of a key's SHA-256: for a thousand million keys the chance that two share it is below 1 in 10^10. */
export type Fingerprint = readonly [number, number, number]

let last: { readonly key: string; readonly print: Fingerprint } | undefined

/** The last fingerprint is kept, because one row needs it several times. */
export function fingerprint(key: string): Fingerprint {
  if (last?.key === key) return last.print
  const print = contentPrint(key) ?? digestPrint(hash('sha256', key, 'binary'))
  last = { key, print }
  return print
}

const digestPrint = (digest: string) => [bytesAt(digest, 0), bytesAt(digest, 4), bytesAt(digest, 8)] as const

const bytesAt = (digest: string, at: number) =>
  ((digest.charCodeAt(at) << 24) |
    (digest.charCodeAt(at + 1) << 16) |
    (digest.charCodeAt(at + 2) << 8) |
    digest.charCodeAt(at + 3)) >>>
  0

/** A key that is a hash is not hashed again. */
function contentPrint(key: string): Fingerprint | undefined {
  if (!isContentKey(key)) return undefined
  return [word(key, 7), word(key, 15), Number(key.slice(24))]
}

const word = (hex: string, from: number) => Number.parseInt(hex.slice(from, from + 8), 16)

const seeds = [0xdeadbeef, 0x41c6ce57] as const

/** 64 bits of a text, quickly, where nobody gains by making two alike; and its kind. It may begin with another text's. */
export function textPrint(text: string, kind = 0, before?: Fingerprint): Fingerprint {
  let a = before?.[0] ?? seeds[0]
  let b = before?.[1] ?? seeds[1]
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    a = Math.imul(a ^ unit, 0x9e3779b1)
    b = Math.imul(b ^ unit, 0x5f356495)
  }
  return [mixed(a, b), mixed(b, a), kind]
}

/** 32 bits of it. */
export function textHash(text: string): number {
  let a: number = seeds[0]
  for (let at = 0; at < text.length; at += 1) a = Math.imul(a ^ text.charCodeAt(at), 0x9e3779b1)
  return mixed(a, text.length)
}

/** The same for the same words in any order, with blanks between them; undefined where there are none. */
export function wordsPrint(text: string, kind: number): Fingerprint | undefined {
  let [sumA, sumB] = [0, 0]
  let a: number = seeds[0]
  let b: number = seeds[1]
  let length = 0
  for (let at = 0; at <= text.length; at += 1) {
    const unit = text.charCodeAt(at) // NaN at the end
    if (unit > 0x20) {
      a = Math.imul(a ^ unit, 0x9e3779b1)
      b = Math.imul(b ^ unit, 0x5f356495)
      length += 1
    } else if (length > 0) {
      sumA = (sumA + mixed(a, b)) >>> 0
      sumB = (sumB + mixed(b, a)) >>> 0
      a = seeds[0]
      b = seeds[1]
      length = 0
    }
  }
  return sumA === 0 && sumB === 0 ? undefined : [sumA, sumB, kind]
}

/** As at the end of MurmurHash3. */
const mixed = (a: number, b: number) =>
  (Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)) >>> 0

const slotWords = 4
const wordValues = 2 ** 32
const fullest = 0.75
const growth = 1.5

/** Maps fingerprints to whole numbers from 0 to 2^32-2: 22 to 32 bytes an entry outside the heap, without the limit of a Map. */
export class KeyTable {
  #capacity = 1024
  #words = new Uint32Array(this.#capacity * slotWords)
  #size = 0

  get size(): number {
    return this.#size
  }

  get(print: Fingerprint): number | undefined {
    const stored = this.#words[this.#slotOf(print) + 3]
    return stored ? stored - 1 : undefined
  }

  set(print: Fingerprint, value: number): void {
    const slot = this.#slotOf(print)
    const isNew = this.#words[slot + 3] === 0
    this.#put(slot, print, value + 1)
    if (!isNew) return
    this.#size += 1
    if (this.#size > this.#capacity * fullest) this.#grow()
  }

  /** Not by destructuring, here and below: that takes twice as long. */
  #put(slot: number, print: Fingerprint, stored: number): void {
    this.#words[slot] = print[0]
    this.#words[slot + 1] = print[1]
    this.#words[slot + 2] = print[2]
    this.#words[slot + 3] = stored
  }

  /** The slot that holds the key, or the empty one where it belongs; a stored value of 0 marks an empty slot. */
  #slotOf(print: Fingerprint): number {
    const a = print[0]
    const words = this.#words
    const last = this.#capacity - 1
    for (let at = Math.floor((a / wordValues) * this.#capacity); ; at = at === last ? 0 : at + 1) {
      const slot = at * slotWords
      if (words[slot + 3] === 0) return slot
      if (words[slot] === a && words[slot + 1] === print[1] && words[slot + 2] === print[2]) return slot
    }
  }

  #grow(): void {
    const old = this.#words
    this.#capacity = Math.ceil(this.#capacity * growth)
    this.#words = new Uint32Array(this.#capacity * slotWords)
    for (let slot = 0; slot < old.length; slot += slotWords) {
      const stored = old[slot + 3] ?? 0
      if (stored === 0) continue
      const print = [old[slot] ?? 0, old[slot + 1] ?? 0, old[slot + 2] ?? 0] as const
      this.#put(this.#slotOf(print), print, stored)
    }
  }
}

/** A list of whole numbers from 0 to 2^32-1: four bytes each, outside the garbage collector's heap. */
export class NumberList {
  #numbers = new Uint32Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const longer = new Uint32Array(Math.ceil(this.#length * growth))
      longer.set(this.#numbers)
      this.#numbers = longer
    }
    this.#numbers[this.#length] = number
    this.#length += 1
  }

  at(index: number): number {
    return this.#numbers[index] ?? 0
  }

  set(index: number, number: number): void {
    this.#numbers[index] = number
  }
}

const blockRows = 4096

/** Numbers rows as they come, in any order; the rows of a block follow each other. */
export class RowNumbers {
  readonly #blocks: RowPlace[] = []
  readonly #numbers = new Map<string, number>()

  of({ source, row }: RowPlace): number {
    const inBlock = row % blockRows
    const name = `${row - inBlock} ${source}`
    const block = this.#numbers.get(name) ?? this.#blocks.push({ source, row: row - inBlock }) - 1
    this.#numbers.set(name, block)
    return block * blockRows + inBlock
  }

  placeOf(number: number): RowPlace {
    const { source = '', row = 0 } = this.#blocks[Math.floor(number / blockRows)] ?? {}
    return { source, row: row + (number % blockRows) }
  }
}
