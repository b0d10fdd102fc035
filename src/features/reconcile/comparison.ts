import { fingerprint, KeyTable, NumberList } from '../../model/key-table.ts'
import type { RowIdentity } from '../../model/row.ts'
import { recordPrint } from '../../store/files/checkpoint.ts'
import { givesRecord, type ResultLine } from '../../store/files/lines.ts'
import type { WholeLine } from '../../store/files/whole-lines.ts'
import type { ExportRow } from './export-rows.ts'
import type { TakeAgain } from './import-again.ts'
import type { Matcher } from './matcher.ts'

/** Values of so many records that differ are kept. */
const mostKept = 1_000

/** The number for the record of a row in doubt that was sent under the last mapping: a person settles it, perhaps under another. */
const unsettled = 2 ** 32 - 2

/** Compares records: first all lines of a log are added, then all rows of an export, then rows that are imported again. */
export class Comparison {
  readonly #matcher: Matcher
  /** Numbers of all records, those of the log first. */
  readonly #numbers = new KeyTable()
  #logged = 0
  /** The records that rows made under the last mapping, by their keys. */
  #made = new KeyTable()
  #mapping: string | undefined
  /** A call in flight is put in doubt by the next run, under the name of its own. */
  #runs = new Set<string>()
  readonly #seen = new NumberSet()
  readonly #compared = new NumberSet()
  /** Digests of what the export has of the records of the log. */
  readonly #digests = new NumberList()
  readonly #differing = new Map<number, RowIdentity & { readonly sent: readonly unknown[] }>()
  readonly #counts = { same: 0, different: 0, changed: 0, without_id: 0 }

  constructor(matcher: Matcher) {
    this.#matcher = matcher
  }

  #numberOf = (id: string | undefined) => (id === undefined ? undefined : this.#numbers.get(recordPrint(id)))
  #digestOf = (values: readonly unknown[]) => fingerprint(this.#matcher.textOf(values))[0]

  addLine(line: ResultLine): void {
    const { status, key = '', record_id: id, mapping_sha256: mapping = this.#mapping } = line
    if (mapping !== this.#mapping) [this.#made, this.#runs] = [new KeyTable(), new Set()]
    this.#mapping = mapping
    if (status === undefined) this.#runs.add(line.run)
    if (status === 'in_doubt' && this.#runs.has(line.run)) this.#made.set(fingerprint(key), unsettled)
    if (!givesRecord(line) || id === undefined || this.#numberOf(id) !== undefined) return
    const isSent = !line.by_hand || this.#made.get(fingerprint(key)) !== undefined
    if (status === 'created' && isSent) this.#made.set(fingerprint(key), this.#logged)
    this.#numbers.set(recordPrint(id), this.#logged)
    this.#digests.push(0)
    this.#logged += 1
  }

  addRow({ id, values }: ExportRow): void {
    if (id === undefined) this.#counts.without_id += 1
    const number = this.#numberOf(id) ?? this.#numbers.size
    if (id === undefined || !this.#seen.add(number)) return
    this.#numbers.set(recordPrint(id), number)
    if (number < this.#logged) this.#digests.set(number, this.#digestOf(values))
  }

  /** Each record counts once. */
  addAgain: TakeAgain = ({ identity, ...outcome }, bodyOf) => {
    const number = this.#made.get(fingerprint(identity.key)) ?? -1
    if (outcome.status !== 'done' || !this.#seen.has(number) || !this.#compared.add(number)) return
    const body = outcome.changed ? undefined : bodyOf()
    const sent = this.#matcher.sent(body)
    const isSame = this.#digestOf(sent) === this.#digests.at(number)
    this.#counts[body === undefined ? 'changed' : isSame ? 'same' : 'different'] += 1
    if (body !== undefined && !isSame && this.#differing.size < mostKept)
      this.#differing.set(number, { ...identity, sent })
  }

  counts() {
    const { same, different } = this.#counts
    const [records, exported] = [this.#logged, this.#seen.size]
    const unknown = this.#numbers.size - records
    const found = exported - unknown
    const [missing, not_compared] = [records - found, found - same - different]
    return { records, exported, found, missing, unknown, not_compared, ...this.#counts }
  }

  /** Describes a line of the log whose record is missing. `once` has the records that were listed. */
  missing = ({ line: { record_id, key, source, row, line } }: WholeLine, once: NumberSet) => {
    const number = this.#numberOf(record_id) ?? this.#logged
    const isMissing = number < this.#logged && !this.#seen.has(number)
    return isMissing && once.add(number) ? [{ record_id, key, source, row, line }] : []
  }

  /** Describes a row of the export that no row of the log made. */
  unknown = ({ id: record_id, line }: ExportRow, once: NumberSet) => {
    const number = this.#numberOf(record_id) ?? -1
    return number >= this.#logged && once.add(number) ? [{ record_id, line }] : []
  }

  /** Describes each value of a row of the export that differs from what was sent. */
  different = ({ id: record_id, values }: ExportRow, once: NumberSet) => {
    const number = this.#numberOf(record_id) ?? -1
    const { key, source, row, sent } = this.#differing.get(number) ?? {}
    if (sent === undefined || !once.add(number)) return []
    return this.#matcher.differing(sent, values).map(each => ({ record_id, key, source, row, ...each }))
  }
}

/** A set of whole numbers that come roughly in order: a bit for each up to the largest. */
export class NumberSet {
  #bits = new Uint8Array(1024)
  size = 0

  /** Returns whether the number is new. */
  add(number: number): boolean {
    if (this.has(number)) return false
    const at = number >> 3
    if (at >= this.#bits.length) this.#grow(at + 1)
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (number & 7))
    this.size += 1
    return true
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0
  }

  #grow(bytes: number): void {
    const outgrown = this.#bits
    this.#bits = new Uint8Array(Math.max(bytes, outgrown.length * 2))
    this.#bits.set(outgrown)
  }
}
