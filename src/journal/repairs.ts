import { type Fingerprint, fingerprint, KeyTable } from '../model/key-table.ts'

/** Stands for the hash of a row that nobody can tell from others. */
export const unknownHash = 0

/**
 * What a result log tells of rows that were refused and came back repaired: how each had read before, so that the row that still
 * stands unrepaired in its source is known. Hashes are shortened; only keys of refused and repaired rows are remembered.
 *
 * Rows that are refused claim no key, so several may share one, as `n/a` in a column of addresses. A file of rejected rows gives
 * it to the first that is refused, and to the same one in every later run; the others go by their content.
 */
export class Repairs {
  readonly #before = new KeyTable()
  readonly #shared = new KeyTable()
  readonly #doubts = new KeyTable()
  /** The first rows that the run refused whose lines are being taken, and those that had their keys before. */
  #first = new KeyTable()
  #earlier = new KeyTable()
  #run: string | undefined

  /** Whether the log tells of any repaired row that has its record. */
  isAny = false

  /**
   * Takes a row that was refused as it stands in its source; `holder` is the one that had the key so far. Gives the one that has
   * it now.
   */
  takeRefused(run: string, print: Fingerprint, hash: number, holder: number): number {
    if (run !== this.#run) {
      this.#first = new KeyTable()
      this.#earlier = new KeyTable()
    }
    this.#run = run
    if (this.isShared(print)) return holder
    const first = this.#first.get(print)
    if (first === hash) return hash
    if (first === undefined) {
      this.#first.set(print, hash)
      if (holder !== unknownHash && holder !== hash) this.#earlier.set(print, holder)
      return hash
    }
    this.#shared.set(print, 1)
    return this.#earlier.get(print) === undefined ? first : unknownHash
  }

  /** Whether several rows were refused under a key in one run. */
  isShared(print: Fingerprint): boolean {
    return this.#shared.get(print) === 1
  }

  /** Takes a repaired row that has its record; `before` is the hash of the row that had its key. */
  takeSettled(print: Fingerprint, before: number): void {
    this.isAny = true
    if (before !== unknownHash) this.#before.set(print, before)
  }

  /** Whether a row of that hash is the one that came back with this key. */
  was(print: Fingerprint, hash: number): boolean {
    return this.#before.get(print) === hash
  }

  /** Notes whether a repaired row is in doubt, by the key that its columns give now. */
  noteDoubt(alias: string, isInDoubt: boolean): void {
    this.#doubts.set(fingerprint(alias), Number(isInDoubt))
  }

  isInDoubt(print: Fingerprint): boolean {
    return this.#doubts.get(print) === 1
  }
}
