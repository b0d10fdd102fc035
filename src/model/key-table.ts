import { hash } from 'node:crypto'

/** 96 bits of a key's SHA-256: for a thousand million keys the chance that two share it is below 1 in 10^10. */
export type Fingerprint = readonly [number, number, number]

/** The fingerprint of a key, of any length. */
export function fingerprint(key: string): Fingerprint {
  const digest = hash('sha256', key)
  return [word(digest, 0), word(digest, 8), word(digest, 16)]
}

const word = (hex: string, from: number) => Number.parseInt(hex.slice(from, from + 8), 16)

const slotWords = 4
const fullest = 0.75

/**
 * A map from fingerprints to whole numbers from 0 to 2^32-2, in one flat array: 22 to 43 bytes an entry however
 * long the keys are, out of the garbage collector's sight, and without the 16.7 million entries at which a Map ends.
 */
export class KeyTable {
  #capacity = 1024
  #words = new Uint32Array(this.#capacity * slotWords)
  #size = 0

  /** How many keys it holds. */
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

  #put(slot: number, [a, b, c]: Fingerprint, stored: number): void {
    this.#words[slot] = a
    this.#words[slot + 1] = b
    this.#words[slot + 2] = c
    this.#words[slot + 3] = stored
  }

  /** The slot that holds the key, or the empty one where it belongs; a stored value of 0 marks an empty slot. */
  #slotOf([a, b, c]: Fingerprint): number {
    const words = this.#words
    const mask = this.#capacity - 1
    for (let at = a & mask; ; at = (at + 1) & mask) {
      const slot = at * slotWords
      if (words[slot + 3] === 0) return slot
      if (words[slot] === a && words[slot + 1] === b && words[slot + 2] === c) return slot
    }
  }

  #grow(): void {
    const old = this.#words
    this.#capacity *= 2
    this.#words = new Uint32Array(this.#capacity * slotWords)
    for (let slot = 0; slot < old.length; slot += slotWords) {
      const [a = 0, b = 0, c = 0, stored = 0] = old.subarray(slot, slot + slotWords)
      if (stored !== 0) this.#put(this.#slotOf([a, b, c]), [a, b, c], stored)
    }
  }
}
