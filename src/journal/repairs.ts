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
  readonly #renamed = new KeyTable()
  /** The first rows that the run refused whose lines are being taken. */
  #first = new KeyTable()
  #run: string | undefined

  /** Whether the log tells of any repaired row that has its record. */
  isAny = false

  /**
   * Takes a row that was refused as it stands in its source; `holder` is the one that had the key so far, undefined where none had.
   * Gives the one that has it now: nobody can tell where another run refused a row that reads otherwise, for it may be the same
   * one, edited, or another, and either may come back with the key.
   */
  takeRefused(run: string, print: Fingerprint, hash: number, holder: number | undefined): number {
    if (run !== this.#run) this.#first = new KeyTable()
    this.#run = run
    const wasShared = this.isShared(print)
    const first = this.#first.get(print)
    if (first === undefined) this.#first.set(print, hash)
    else if (first !== hash) this.#shared.set(print, 1)
    if (holder === undefined) return hash
    return wasShared || hash === holder || first === holder ? holder : unknownHash
  }

  /** Whether several rows were refused under a key in one run. */
  isShared(print: Fingerprint): boolean {
    return this.#shared.get(print) === 1
  }

  /** Takes a repaired row that has its record; `before` is the hash of the row that had its key. */
  takeSettled(print: Fingerprint, before: number): void {
    this.isAny = true
    this.#before.set(print, before)
  }

  /** Whether a row came back with this key and has its record. */
  cameBack(print: Fingerprint): boolean {
    return this.#before.get(print) !== undefined
  }

  /** Whether a row of that hash is the one that came back with this key. */
  was(print: Fingerprint, hash: number): boolean {
    return hash !== unknownHash && this.#before.get(print) === hash
  }

  /** Notes whether the row that has this key came back with columns that give another one, so that others may have it as well. */
  noteRenamed(print: Fingerprint, isRenamed: boolean): void {
    this.#renamed.set(print, Number(isRenamed))
  }

  isRenamed(print: Fingerprint): boolean {
    return this.isAny && this.#renamed.get(print) === 1
  }

  /** Notes whether a repaired row is in doubt, by the key that its columns give now. */
  noteDoubt(alias: string, isInDoubt: boolean): void {
    this.#doubts.set(fingerprint(alias), Number(isInDoubt))
  }

  isInDoubt(print: Fingerprint): boolean {
    return this.#doubts.get(print) === 1
  }
}
