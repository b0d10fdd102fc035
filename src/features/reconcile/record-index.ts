import { fingerprint } from '../../model/fingerprint.ts'
import { KeyTable, NumberList } from '../../model/key-table.ts'
import { nilUuid } from '../../model/values.ts'

/** The most records that are named for a row. */
export const mostCandidates = 10

const idBytes = 16
const blockIds = 65_536
/** In the place of the next record with the same values: no record comes before the first. */
const noNext = 0

/** The ids of the records of an export by the text of their values, in some 40 bytes a record outside the heap. */
export class RecordIndex {
  /** The first record with the values. */
  readonly #first = new KeyTable()
  /** The next record with the same values. */
  readonly #next = new NumberList()
  readonly #ids: Buffer[] = []

  /** Adds a record once, whatever the rows that show it; without an id it is none that a row can have. */
  add(values: string, id: string | undefined): void {
    const name = fingerprint(values)
    const own = id?.toLowerCase()
    let last: number | undefined
    let matches = 0
    for (let at = this.#first.get(name); at !== undefined; at = this.#after(at)) {
      matches += 1
      if (matches > mostCandidates || this.#idOf(at) === own) return
      last = at
    }
    const record = this.#next.length
    if (last === undefined) this.#first.set(name, record)
    else this.#next.set(last, record)
    this.#next.push(noNext)
    if (record % blockIds === 0) this.#ids.push(Buffer.alloc(blockIds * idBytes))
    this.#ids.at(-1)?.write((own ?? nilUuid).replaceAll('-', ''), (record % blockIds) * idBytes, 'hex')
  }

  /** Returns the ids of the records with these values, one more than are named at most; undefined for one without. */
  of(values: string): (string | undefined)[] {
    const ids: (string | undefined)[] = []
    for (let at = this.#first.get(fingerprint(values)); at !== undefined; at = this.#after(at))
      ids.push(this.#idOf(at))
    return ids
  }

  #after = (record: number): number | undefined => this.#next.at(record) || undefined

  #idOf(record: number): string | undefined {
    const at = (record % blockIds) * idBytes
    const hex = this.#ids[Math.floor(record / blockIds)]?.toString('hex', at, at + idBytes) ?? ''
    const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    return id === nilUuid ? undefined : id
  }
}
