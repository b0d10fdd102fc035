import { replacedName } from '../model/content-key.ts'
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
  readonly #rejected = new KeyTable()
  readonly #records = new KeyTable()
  readonly #rows = new RowNumbers()

  /** The row that claimed the key before, or was the same before it was repaired, if one did. */
  claimant(origin: Origin): RowPlace | undefined {
    if (origin.key === unnamed) return undefined
    const number = this.#claims.get(fingerprint(origin.key)) ?? this.#numberOfRejected(origin)
    return number === undefined ? undefined : this.#rows.placeOf(number)
  }

  #numberOfRejected(origin: Origin): number | undefined {
    return this.#rejected.size === 0 ? undefined : this.#rejected.get(fingerprint(replacedName(origin)))
  }

  /** Lets a row have its key for the rest of the run, and one that was refused before its name in files of rejected rows. */
  claim(origin: Origin, wasRefused: boolean): void {
    if (origin.key !== unnamed) this.#claims.set(fingerprint(origin.key), this.#rows.of(origin))
    if (wasRefused || origin.replaces !== undefined)
      this.#rejected.set(fingerprint(replacedName(origin)), this.#rows.of(origin))
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
