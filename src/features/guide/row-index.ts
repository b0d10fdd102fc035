import { closeSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { NumberList } from '../../model/key-table.ts'
import { ownerOnly } from '../../platform/replace-file.ts'

/** What is wrong with a row, or was done about a value, and the column that it is about. */
type Note = { readonly column: string | null; readonly text: string }

/** A row of a check as the file keeps it. */
export interface StoredRow {
  readonly row: number
  readonly line: number
  readonly key: string
  readonly status: string
  readonly cells: readonly string[]
  readonly errors: readonly Note[]
  /** Values that were left out, or are sent as they are. */
  readonly notes: readonly Note[]
  /** The name by which a refused row comes back from a file of rejected rows. */
  readonly name?: string | undefined
  /** A refused row of a source without columns: its JSON object. */
  readonly written?: string | undefined
  readonly body?: unknown
  /** The row that has its key. */
  readonly sameAs?: number | undefined
}

/** Bits of a row by the filters that it passes, and of one that would be sent. */
export const bits = {
  ...{ all: 1, refused: 2, left_out: 4, omitted: 8, kept: 16, near: 32, conflicts: 64, existing: 128 },
  ...{ corrected: 256, sent: 512 },
} as const
export type RowFilter = Exclude<keyof typeof bits, 'sent'>

/** Rows begin at multiples of so many bytes, so that 32 bits are enough for their places. */
const unitBytes = 16
/** A row begins with the number of its units. */
const headBytes = 10
const mostPending = 100
const mostNear = 20

/** The rows of a check in a temporary file without a name, found by their numbers: at most 10 bytes of memory each. */
export class RowIndex {
  readonly #file: number
  #units = 0
  /** Texts that are not written yet. */
  #pending: string[] = []
  readonly #places = new NumberList()
  /** 0 for a row that is not there. */
  readonly #bits = new NumberList(2)
  /** The next row of a group that may be one record; the last one leads to the first. */
  readonly #nexts = new NumberList()
  #last = 0
  #counts: Readonly<Record<string, number>> | undefined
  readonly columns: string[] = []

  /** Throws the error of the system. */
  constructor() {
    const path = join(tmpdir(), `rowlift-${ulid()}`)
    this.#file = openSync(path, 'wx+', ownerOnly)
    unlinkSync(path) // it goes with this process, however that ends
  }

  /** Adds a row, or replaces it. Throws the error of the system. */
  add(row: StoredRow, flags: number): void {
    const text = JSON.stringify(row)
    const bytes = headBytes + Buffer.byteLength(text)
    const units = Math.ceil(bytes / unitBytes)
    this.#pending.push(`${units}`.padEnd(headBytes) + text + ' '.repeat(units * unitBytes - bytes))
    if (this.#pending.length >= mostPending) this.#flush()
    this.#places.set(row.row, this.#units)
    this.#units += units
    this.#bits.set(row.row, flags | bits.all | (this.#bits.at(row.row) & bits.near))
    this.#last = Math.max(this.#last, row.row)
    this.#counts = undefined
  }

  has = (row: number, flag: number = bits.all): boolean => (this.#bits.at(row) & flag) > 0

  #flush(): void {
    writeFileSync(this.#file, this.#pending.join('')) // from where the last one ended
    this.#pending = []
  }

  /** Notes a group of rows that may be one record. */
  setNear(group: readonly number[]): void {
    for (const [at, row] of group.entries()) {
      this.#nexts.set(row, group[at + 1] ?? group[0] ?? row)
      this.#bits.set(row, this.#bits.at(row) | bits.near)
    }
    this.#counts = undefined
  }

  /** The row that has its key, and the others of its group. */
  nearOf({ row, sameAs }: StoredRow): number[] {
    const near = new Set(sameAs === undefined ? [] : [sameAs])
    for (let at = this.#nexts.at(row); at > 0 && at !== row && near.size < mostNear; at = this.#nexts.at(at))
      near.add(at)
    return [...near]
  }

  at(row: number): StoredRow | undefined {
    if (!this.has(row)) return undefined
    this.#flush()
    const units = Number.parseInt(this.#read(row, 1), 10)
    return JSON.parse(this.#read(row, units).slice(headBytes))
  }

  #read(row: number, units: number): string {
    const bytes = Buffer.alloc(units * unitBytes)
    readSync(this.#file, bytes, 0, bytes.length, this.#places.at(row) * unitBytes)
    return bytes.toString()
  }

  /** The numbers of the rows that pass a filter, from an index on. */
  window(filter: RowFilter, from: number, count: number) {
    const rows: { readonly row: number }[] = []
    let passed = 0
    for (let row = 1; row <= this.#last && rows.length < count; row += 1) {
      if (!this.has(row, bits[filter])) continue
      if (passed >= from) rows.push({ row })
      passed += 1
    }
    return rows
  }

  /** Rows by filter, and those that would be sent. */
  get counts(): Readonly<Record<string, number>> {
    const countOf = (flag: number) => {
      let rows = 0
      for (let row = 1; row <= this.#last; row += 1) rows += Number(this.has(row, flag))
      return rows
    }
    this.#counts ??= Object.fromEntries(Object.entries(bits).map(([name, flag]) => [name, countOf(flag)]))
    return this.#counts
  }

  close(): void {
    closeSync(this.#file)
  }
}
