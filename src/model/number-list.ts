const growth = 1.5

/** A list of whole numbers from 0 to 2^32-1: four bytes each, out of the garbage collector's sight. */
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
