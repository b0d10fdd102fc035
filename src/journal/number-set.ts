/** A set of whole numbers that come about one after the other: a bit for each up to the largest. */
export class NumberSet {
  #bits = new Uint8Array(1024)

  add(number: number): void {
    const at = number >> 3
    if (at >= this.#bits.length) this.#grow(at + 1)
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (number & 7))
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0
  }

  #grow(bytes: number): void {
    const outgrown = this.#bits
    this.#bits = new Uint8Array(Math.max(bytes, outgrown.length * 2))
    this.#bits.set(outgrown)
  }
}
