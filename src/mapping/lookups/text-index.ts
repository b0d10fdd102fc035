import { fingerprint, KeyTable, NumberList } from '../../model/key-table.ts'
import { folded } from '../../model/values.ts'

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

  add(text: string, value: number, place: number): void {
    this.#add(`=${text}`, value, place)
    this.#add(`~${folded(text)}`, value, place)
  }

  find(text: string): Indexed | undefined {
    return this.#get(`=${text}`) ?? this.#get(`~${folded(text)}`)
  }

  #add(name: string, value: number, place: number): void {
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

  #get(name: string): Indexed | undefined {
    const slot = this.#slots.get(fingerprint(name))
    if (slot === undefined) return undefined
    const rival = this.#rivals.at(slot)
    if (rival === 0) return { type: 'one', value: this.#values.at(slot), place: this.#places.at(slot) }
    return { type: 'several', places: [this.#places.at(slot), rival - 1] }
  }
}
