import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { NumberList } from '../../model/key-table.ts'
import { ownerOnly } from '../../platform/replace-file.ts'
import type { DescribedError } from '../../store/files/lines.ts'

/** A row of a check as the file keeps it. */
export interface StoredRow {
  readonly row: number
  readonly line: number
  readonly key: string
  readonly status: string
  readonly cells: readonly string[]
  /** The name by which a refused row comes back from a file of rejected rows. */
  readonly name?: string | undefined
  /** A refused row of a source without columns: its JSON object. */
  readonly written?: string | undefined
  readonly body?: unknown
  readonly errors?: readonly DescribedError[] | undefined
  /** Values that were left out, or are sent as they are. */
  readonly notes?: readonly DescribedError[] | undefined
  readonly recordId?: string | undefined
  /** The row that has its key. */
  readonly sameAs?: number | undefined
}

/** Bits of a row by the filters that it passes, and of one that would be sent. */
export const bits = {
  ...{ all: 1, refused: 2, left_out: 4, omitted: 8, kept: 16, near: 32, conflicts: 64, existing: 128 },
  ...{ corrected: 256, sent: 512 },
} as const
export type RowFilter = Exclude<keyof typeof bits, 'sent'>

const bufferBytes = 1_000_000
const lengthBytes = 4
/** Rows begin at multiples of it, so that 32 bits are enough for their places. */
const unitBytes = 16
const mostNear = 20

/** The rows of a check in a temporary file without a name, found by their numbers: at most 10 bytes of memory each. */
export class RowIndex {
  readonly #file: number
  #size = 0
  #buffer = Buffer.alloc(bufferBytes)
  #buffered = 0
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
    const most = lengthBytes + text.length * 3 + unitBytes
    if (this.#buffered + most > this.#buffer.length) this.#flush(most)
    const bytes = this.#buffer.write(text, this.#buffered + lengthBytes)
    this.#buffer.writeUInt32LE(bytes, this.#buffered)
    this.#places.set(row.row, (this.#size + this.#buffered) / unitBytes)
    this.#buffered += Math.ceil((lengthBytes + bytes) / unitBytes) * unitBytes
    this.#bits.set(row.row, flags | bits.all | (this.#bits.at(row.row) & bits.near))
    this.#last = Math.max(this.#last, row.row)
    this.#counts = undefined
  }

  has = (row: number, flag: number = bits.all): boolean => (this.#bits.at(row) & flag) > 0

  #flush(needed: number): void {
    for (let at = 0; at < this.#buffered; )
      at += writeSync(this.#file, this.#buffer, at, this.#buffered - at, this.#size + at)
    this.#size += this.#buffered
    this.#buffered = 0
    if (needed > this.#buffer.length) this.#buffer = Buffer.alloc(needed)
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
    const near = sameAs === undefined ? [] : [sameAs]
    for (
      let at = this.#nexts.at(row);
      at > 0 && at !== row && near.length < mostNear;
      at = this.#nexts.at(at)
    )
      if (at !== sameAs) near.push(at)
    return near
  }

  at(row: number): StoredRow | undefined {
    if (!this.has(row)) return undefined
    this.#flush(0)
    const place = this.#places.at(row) * unitBytes
    const length = Buffer.allocUnsafe(lengthBytes)
    readSync(this.#file, length, 0, lengthBytes, place)
    const bytes = Buffer.allocUnsafe(length.readUInt32LE())
    readSync(this.#file, bytes, 0, bytes.length, place + lengthBytes)
    return JSON.parse(bytes.toString())
  }

  /** The rows that pass a filter, from an index on. */
  window(filter: RowFilter, from: number, count: number): StoredRow[] {
    const rows: StoredRow[] = []
    let passed = 0
    for (let row = 1; row <= this.#last && rows.length < count; row += 1) {
      if (!this.has(row, bits[filter])) continue
      const stored = passed >= from ? this.at(row) : undefined
      if (stored !== undefined) rows.push(stored)
      passed += 1
    }
    return rows
  }

  /** Rows by filter, and those that would be sent. */
  get counts(): Readonly<Record<string, number>> {
    if (this.#counts !== undefined) return this.#counts
    const rows = new Map<number, number>()
    for (let row = 1; row <= this.#last; row += 1)
      rows.set(this.#bits.at(row), (rows.get(this.#bits.at(row)) ?? 0) + 1)
    const sum = (flag: number) => [...rows].reduce((total, [each, n]) => (each & flag ? total + n : total), 0)
    this.#counts = Object.fromEntries(Object.entries(bits).map(([name, flag]) => [name, sum(flag)]))
    return this.#counts
  }

  close(): void {
    closeSync(this.#file)
  }
}
