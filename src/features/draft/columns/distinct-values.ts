import { fingerprint, KeyTable } from '../../../model/key-table.ts'

const mostTexts = 2_000
const mostRepeating = 5_000
const longestText = 300
const namesNothing = /^(0|[-–—.?]+|n\/?a|none|null|nil|unknown|\\n)$/i

/** The distinct values of a column, as lookups compare them: some 30 bytes each, of 5,000 at most if many repeat. */
export class DistinctValues {
  /** The first ones. */
  readonly texts: string[] = []
  /** Cells that name nothing, such as "N/A", are no values. */
  readonly nothing = new Set<string>()
  repeats = 0
  #filled = 0
  readonly #known = new KeyTable()

  add(text: string): void {
    if (namesNothing.test(text)) return void this.nothing.add(text)
    const folded = text.toLowerCase()
    this.#filled += 1
    if (this.has(folded) || folded.length > longestText) this.repeats += 1
    else if (this.isNearlyDistinct || this.#known.size < mostRepeating) {
      this.#known.set(fingerprint(folded), 0)
      if (this.texts.length < mostTexts) this.texts.push(folded)
    }
  }

  get isNearlyDistinct(): boolean {
    return this.#filled > 0 && this.repeats <= this.#filled / 10
  }

  has(folded: string): boolean {
    return this.#known.get(fingerprint(folded)) !== undefined
  }
}
