import { fingerprint, KeyTable, RowNumbers, type RowPlace } from '../model/key-table.ts'
import type { Origin } from '../model/row.ts'

/** The key of a row that is like no other, where nobody asks for it. */
const unnamed = ''

/**
 * What this import remembers of its rows: which row claimed a key, and which record each row got; 22 to 32 bytes a row
 * for the key, as much for the record.
 */
export class Ledger {
  readonly #claims = new KeyTable()
  readonly #records = new KeyTable()
  readonly #rows = new RowNumbers()

  /** The row that claimed the key before, if one did. */
  claimant(key: string): RowPlace | undefined {
    const number = key === unnamed ? undefined : this.#claims.get(fingerprint(key))
    return number === undefined ? undefined : this.#rows.placeOf(number)
  }

  /** Lets a row have its key for the rest of the run, and a repaired one that by which its columns name it as well. */
  claim(origin: Origin): void {
    if (origin.key !== unnamed) this.#claims.set(fingerprint(origin.key), this.#rows.of(origin))
    if (origin.alias !== undefined) this.#claims.set(fingerprint(origin.alias), this.#rows.of(origin))
  }

  /** Notes which row got a record, and gives the row that got it before, if one did. */
  noteRecord(recordId: string, origin: Origin): RowPlace | undefined {
    const print = fingerprint(recordId)
    const before = this.#records.get(print)
    if (before !== undefined) return this.#rows.placeOf(before)
    this.#records.set(print, this.#rows.of(origin))
    return undefined
  }
}
