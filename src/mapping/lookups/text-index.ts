import { fingerprint, KeyTable, NumberList } from '../../model/key-table.ts'

/** What stands under a text: a value, or several that differ, with two of the places that say so. */
export type Indexed =
  | { readonly type: 'one'; readonly value: number; readonly place: number }
  | { readonly type: 'several'; readonly places: readonly [number, number] }

const folded = (text: string) => text.trim().toLowerCase()

/**
 * Finds values, given as numbers, by a text: an exact one wins, else one that is equal but for case and surrounding blanks
 * (DESIGN 2.3). About 80 bytes a text, however long it is.
 */
export class TextIndex {
  readonly #slots = new KeyTable()
  readonly #values = new NumberList()
  readonly #places = new NumberList()
  /** The place of another value under the same text, plus one; 0 where there is none. */
  readonly #rivals = new NumberList()

  /** Equal numbers are equal values; `place` is the number of the place that says so. */
  add(text: string, value: number, place: number): void {
    this.#note(`=${text}`, value, place)
    this.#note(`~${folded(text)}`, value, place)
  }

  find(text: string): Indexed | undefined {
    return this.#under(`=${text}`) ?? this.#under(`~${folded(text)}`)
  }

  #note(name: string, value: number, place: number): void {
    const print = fingerprint(name)
    const slot = this.#slots.get(print)
    if (slot === undefined) {
      this.#slots.set(print, this.#values.length)
      this.#values.push(value)
      this.#places.push(place)
      this.#rivals.push(0)
    } else if (this.#values.at(slot) !== value && this.#rivals.at(slot) === 0)
      this.#rivals.set(slot, place + 1)
  }

  #under(name: string): Indexed | undefined {
    const slot = this.#slots.get(fingerprint(name))
    if (slot === undefined) return undefined
    const rival = this.#rivals.at(slot)
    if (rival === 0) return { type: 'one', value: this.#values.at(slot), place: this.#places.at(slot) }
    return { type: 'several', places: [this.#places.at(slot), rival - 1] }
  }
}
