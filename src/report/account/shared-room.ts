/**
 * Room for a number of things of several groups. When it is full the largest groups give up their last ones, so that each
 * group has some, however they come.
 */
export class SharedRoom<G, T> {
  readonly #most: number
  readonly #held = new Map<G, T[]>()
  #total = 0
  /** So many a group may have. */
  #level = Number.POSITIVE_INFINITY

  constructor(most: number) {
    this.#most = most
  }

  /** Keeps the thing if its group has room; it is made only then. */
  offer(group: G, make: () => T): void {
    const held = this.#held.get(group) ?? []
    if (held.length >= this.#level) return
    if (held.length === 0) this.#held.set(group, held)
    held.push(make())
    this.#total += 1
    if (this.#total > this.#most) this.#trim()
  }

  of(group: G): readonly T[] {
    return this.#held.get(group) ?? []
  }

  /** Lowers what a group may have until there is a tenth of the room again, for at least one in each group. */
  #trim(): void {
    const groups = [...this.#held.values()]
    const left = (level: number) => groups.reduce((sum, { length }) => sum + Math.min(length, level), 0)
    let [low, high] = [1, Math.max(...groups.map(({ length }) => length))]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (left(middle) <= this.#most * 0.9) low = middle
      else high = middle - 1
    }
    this.#level = low
    for (const held of groups) held.length = Math.min(held.length, low)
    this.#total = left(low)
  }
}
