import { fingerprint, KeyTable } from '../model/key-table.ts'
import type { Origin, Place } from '../model/row.ts'

/**
 * What this import remembers of its rows: which row claimed a key, and which record each row got. Rows are counted
 * over all sources, so that a number stands for a place: 22 to 32 bytes a row for the key, as much for the record.
 */
export class Ledger {
  readonly #claims = new KeyTable()
  readonly #records = new KeyTable()
  readonly #sources: { readonly source: string; readonly before: number }[] = []
  #lastOrdinal = 0

  /** The row that claimed the key before, if one did. */
  claimant(key: string): Pick<Place, 'source' | 'row'> | undefined {
    const ordinal = this.#claims.get(fingerprint(key))
    return ordinal === undefined ? undefined : this.#placeOf(ordinal)
  }

  /** Lets a row have its key for the rest of the run. */
  claim(origin: Origin): void {
    this.#claims.set(fingerprint(origin.key), this.#ordinalOf(origin))
  }

  /** Notes which row got a record, and gives the row that got it before, if one did. */
  noteRecord(recordId: string, origin: Origin): Pick<Place, 'source' | 'row'> | undefined {
    const print = fingerprint(recordId)
    const before = this.#records.get(print)
    if (before !== undefined) return this.#placeOf(before)
    this.#records.set(print, this.#ordinalOf(origin))
    return undefined
  }

  #ordinalOf({ source, row }: Origin): number {
    const known = this.#sources.findLast(each => each.source === source)
    const before = known?.before ?? this.#lastOrdinal
    if (known === undefined) this.#sources.push({ source, before })
    this.#lastOrdinal = Math.max(this.#lastOrdinal, before + row)
    return before + row
  }

  #placeOf(ordinal: number): Pick<Place, 'source' | 'row'> {
    const at = this.#sources.findLast(each => each.before < ordinal)
    return { source: at?.source ?? '', row: ordinal - (at?.before ?? 0) }
  }
}
