import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { ownerOnly } from '../../platform/replace-file.ts'
import type { DescribedError } from '../../store/files/lines.ts'
import type { RowFilter } from './api.ts'

/** A row of a check as the file keeps it. */
export interface StoredRow {
  readonly row: number
  readonly line: number
  readonly key: string
  readonly status: string
  readonly cells: readonly string[]
  /** The name by which it comes back from a file of rejected rows. */
  readonly name?: string
  readonly body?: unknown
  readonly errors?: readonly DescribedError[] | undefined
  readonly omitted?: readonly DescribedError[] | undefined
  readonly kept?: readonly DescribedError[] | undefined
  readonly recordId?: string | undefined
  /** The row that has its key. */
  readonly sameAs?: number | undefined
  /** The line of an object, for its correction. */
  readonly written?: string | undefined
}

/** Bits of a row by the filters that it passes, of one that would be sent, and of the first of a group. */
export const bits = {
  ...{ refused: 1, left_out: 2, omitted: 4, kept: 8, near: 16, conflicts: 32, existing: 64, corrected: 128 },
  ...{ sent: 256, first: 512 },
} as const
const filters = Object.keys(bits).filter(name => name !== 'sent' && name !== 'first') as Exclude<
  RowFilter,
  'all'
>[]

const bufferBytes = 1_000_000
/** Rows begin at multiples of it, so that 32 bits are enough for their places. */
const unitBytes = 16
const lengthBytes = 4
const readBytes = 4096
const mostNear = 20
/** The numbers of a row before its key take no more. */
const mostBefore = 60
const mostConflicts = 100_000

/** The rows of a check in a file of the temporary folder, found by their numbers: 10 bytes of memory each. */
export class RowIndex {
  readonly #file: number
  #size = 0
  #buffer = Buffer.alloc(bufferBytes)
  #buffered = 0
  /** One more than the place in the file, in units; 0 for a row that is not there. */
  readonly #places = new Numbers(Uint32Array)
  readonly #bits = new Numbers(Uint16Array)
  /** The next row of a group that may be one record; the last one leads to the first. */
  readonly #nexts = new Numbers(Uint32Array)
  #near: Uint32Array | undefined
  /** The row that has the key, and the one that has it, too. */
  readonly #conflicts: (readonly [number, number])[] = []
  /** Rows by their bits, once they are counted. */
  readonly #sums = new Map<number, number>()
  #counts: Readonly<Record<RowFilter, number>> | undefined
  #last = 0
  readonly columns: string[] = []

  constructor(path: string) {
    this.#file = openSync(path, 'wx+', ownerOnly)
  }

  /** Adds a row, or replaces it. Throws the error of the system. */
  add(row: StoredRow, flags: number): void {
    const number = row.row
    const text = JSON.stringify(row)
    const most = lengthBytes + text.length * 3 + unitBytes
    if (this.#buffered + most > this.#buffer.length) this.#flush(most)
    const bytes = this.#buffer.write(text, this.#buffered + lengthBytes)
    this.#buffer.writeUInt32LE(bytes, this.#buffered)
    this.#places.set(number, (this.#size + this.#buffered) / unitBytes + 1)
    this.#buffered += Math.ceil((lengthBytes + bytes) / unitBytes) * unitBytes
    this.#bits.set(number, flags | (this.#bits.at(number) & (bits.near | bits.first)))
    if (flags & bits.conflicts && row.sameAs !== undefined && this.#conflicts.length < mostConflicts)
      this.#conflicts.push([row.sameAs, number])
    this.#last = Math.max(this.#last, number)
    this.#counts = undefined
  }

  has = (number: number): boolean => this.#places.at(number) > 0

  isCorrected = (number: number): boolean => (this.#bits.at(number) & bits.corrected) > 0

  #flush(needed = 0): void {
    for (let at = 0; at < this.#buffered; )
      at += writeSync(this.#file, this.#buffer, at, this.#buffered - at, this.#size + at)
    this.#size += this.#buffered
    this.#buffered = 0
    if (needed > this.#buffer.length) this.#buffer = Buffer.alloc(needed)
  }

  /** Notes rows that may be one record, in groups. */
  setNear(groups: Iterable<readonly number[]>): void {
    for (const group of groups)
      for (const [at, row] of group.entries()) {
        this.#nexts.set(row, group[at + 1] ?? group[0] ?? row)
        this.#bits.set(row, this.#bits.at(row) | bits.near | (at === 0 ? bits.first : 0))
      }
    this.#near = undefined
    this.#counts = undefined
  }

  /** The rows of all groups, a group in the place of its first row. */
  #allNear(): Uint32Array {
    const near = new Uint32Array(this.counts.near)
    let count = 0
    for (let first = 1; first <= this.#last; first += 1) {
      if ((this.#bits.at(first) & bits.first) === 0) continue
      for (let row = first; count < near.length; row = this.#nexts.at(row)) {
        near[count] = row
        count += 1
        if (this.#nexts.at(row) === first) break
      }
    }
    return near
  }

  /** The other rows of its group, and the row that has its key. */
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

  /** Finds another row that would be sent with this key: reads the file once. */
  rowWithKey(key: string, other: number): number | undefined {
    const wanted = Buffer.from(`,"key":${JSON.stringify(key)},`)
    const overlap = wanted.length + mostBefore
    const bytes = Buffer.alloc(bufferBytes + overlap)
    this.#flush()
    for (let from = 0; from < this.#size; from += bufferBytes) {
      const part = bytes.subarray(0, readSync(this.#file, bytes, 0, bytes.length, from))
      for (let at = part.indexOf(wanted); at >= 0; at = part.indexOf(wanted, at + 1)) {
        const before = part.toString('latin1', Math.max(0, at - mostBefore), at)
        const row = Number(/\{"row":(\d+),"line":\d+$/.exec(before)?.[1] ?? other)
        if (row !== other && this.#bits.at(row) & bits.sent && this.at(row)?.key === key) return row
      }
    }
    return undefined
  }

  at(number: number): StoredRow | undefined {
    const place = (this.#places.at(number) - 1) * unitBytes
    if (place < 0) return undefined
    if (this.#buffered > 0) this.#flush()
    const start = Buffer.allocUnsafe(readBytes)
    const read = readSync(this.#file, start, 0, readBytes, place)
    const length = start.readUInt32LE()
    let bytes = start.subarray(lengthBytes, Math.min(read, lengthBytes + length))
    if (bytes.length < length) {
      bytes = Buffer.allocUnsafe(length)
      readSync(this.#file, bytes, 0, length, place + lengthBytes)
    }
    return JSON.parse(bytes.toString())
  }

  /** The rows that pass a filter, from an index on. Rows that may be one record, and conflicts, stand by each other. */
  window(filter: RowFilter, from: number, count: number) {
    const numbers = this.#numbersOf(filter, from, from + count)
    const rows = numbers.flatMap(number => this.at(number) ?? [])
    return { total: this.#totalOf(filter), rows }
  }

  #ordered(filter: RowFilter): readonly number[] | Uint32Array | undefined {
    if (filter === 'near') {
      this.#near ??= this.#allNear()
      return this.#near
    }
    if (filter !== 'conflicts') return undefined
    const groups = new Map<number, number[]>()
    for (const [owner, other] of this.#conflicts)
      groups.set(owner, [...(groups.get(owner) ?? [owner]), other])
    return [...groups].sort(([a], [b]) => a - b).flatMap(([, group]) => group)
  }

  #totalOf = (filter: RowFilter) => this.#ordered(filter)?.length ?? this.counts[filter]

  #numbersOf(filter: RowFilter, from: number, to: number): readonly number[] {
    const ordered = this.#ordered(filter)
    if (ordered !== undefined) return [...ordered.slice(from, to)]
    const numbers: number[] = []
    let passed = 0
    for (let row = 1; row <= this.#last && passed < to; row += 1) {
      if (!this.#passes(row, filter)) continue
      if (passed >= from) numbers.push(row)
      passed += 1
    }
    return numbers
  }

  #passes = (row: number, filter: RowFilter) =>
    filter === 'all' ? this.has(row) : (this.#bits.at(row) & bits[filter]) > 0

  /** Rows by filter. */
  get counts(): Readonly<Record<RowFilter, number>> {
    this.#counts ??= this.#count()
    return this.#counts
  }

  /** Rows that would be sent. */
  get sent(): number {
    this.#counts ??= this.#count()
    return this.#sum(flags => (flags & bits.sent) > 0)
  }

  #count() {
    this.#sums.clear()
    for (let row = 1; row <= this.#last; row += 1) {
      const flags = this.#bits.at(row)
      if (this.has(row)) this.#sums.set(flags, (this.#sums.get(flags) ?? 0) + 1)
    }
    const counts = Object.fromEntries(
      filters.map(name => [name, this.#sum(flags => (flags & bits[name]) > 0)]),
    )
    return { all: this.#sum(() => true), ...counts } as Readonly<Record<RowFilter, number>>
  }

  #sum = (isMeant: (flags: number) => boolean): number =>
    [...this.#sums].reduce((sum, [flags, rows]) => (isMeant(flags) ? sum + rows : sum), 0)

  close(): void {
    closeSync(this.#file)
  }
}

type NumberArray = Uint32Array | Uint16Array
const chunkNumbers = 65_536

/** Numbers by index, in chunks: they grow without a copy. */
class Numbers {
  readonly #make: new (
    length: number,
  ) => NumberArray
  readonly #chunks: NumberArray[] = []

  constructor(make: new (length: number) => NumberArray) {
    this.#make = make
  }

  at = (index: number): number => this.#chunks[Math.floor(index / chunkNumbers)]?.[index % chunkNumbers] ?? 0

  set(index: number, number: number): void {
    const chunk = Math.floor(index / chunkNumbers)
    while (this.#chunks.length <= chunk) this.#chunks.push(new this.#make(chunkNumbers))
    ;(this.#chunks[chunk] as NumberArray)[index % chunkNumbers] = number
  }
}
