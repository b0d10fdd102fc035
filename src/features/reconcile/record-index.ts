import { type Fingerprint, fingerprint } from '../../model/fingerprint.ts'
import { KeyTable } from '../../model/key-table.ts'
import { nilUuid } from '../../model/values.ts'

/** The most records that are named for a row. */
export const mostCandidates = 10

const idBytes = 16
const blockIds = 65_536

/** The ids of the records of an export by the text of their values, in some 34 bytes a record outside the heap. */
export class RecordIndex {
  /** The records with the values, each by the fingerprint of these and its place among them. */
  readonly #records = new KeyTable()
  readonly #ids: Buffer[] = []

  /** Adds a record once, whatever the rows that show it; without an id it is none that a row can have. */
  add(values: string, id: string | undefined): void {
    const name = fingerprint(values)
    const own = id?.toLowerCase()
    for (let place = 0; place <= mostCandidates; place += 1) {
      const known = this.#records.get(placed(name, place))
      if (known === undefined) {
        this.#records.set(placed(name, place), this.#keep(own ?? nilUuid))
        return
      }
      if (this.#idOf(known) === own) return
    }
  }

  /** Returns the ids of the records with these values, one more than are named at most; undefined for one without. */
  of(values: string): (string | undefined)[] {
    const name = fingerprint(values)
    const ids: (string | undefined)[] = []
    for (let place = 0; place <= mostCandidates; place += 1) {
      const record = this.#records.get(placed(name, place))
      if (record === undefined) break
      ids.push(this.#idOf(record))
    }
    return ids
  }

  /** Keeps an id, and returns the number of its record. */
  #keep(id: string): number {
    const record = this.#records.size
    if (record % blockIds === 0) this.#ids.push(Buffer.alloc(blockIds * idBytes))
    this.#ids.at(-1)?.write(id.replaceAll('-', ''), (record % blockIds) * idBytes, 'hex')
    return record
  }

  #idOf(record: number): string | undefined {
    const at = (record % blockIds) * idBytes
    const hex = this.#ids[Math.floor(record / blockIds)]?.toString('hex', at, at + idBytes) ?? ''
    const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    return id === nilUuid ? undefined : id
  }
}

/** The fingerprint of values for the record at a place among those that have them. */
const placed = (name: Fingerprint, place: number): Fingerprint =>
  place === 0 ? name : [name[0], name[1], (name[2] + place) >>> 0]
