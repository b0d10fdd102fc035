import { recordPrint } from '../../journal/checkpoint.ts'
import { NumberSet } from '../../journal/latest-lines.ts'
import { givesRecord, type ResultLine } from '../../journal/lines.ts'
import type { NumberedLine } from '../../journal/result-log.ts'
import { fingerprint, KeyTable, NumberList } from '../../model/key-table.ts'
import type { RowIdentity } from '../../model/row.ts'
import type { ExportRow } from './export-rows.ts'
import type { TakeAgain } from './import-again.ts'
import type { Matcher } from './matcher.ts'

/** Values of so many records that differ are kept. */
const mostKept = 1_000

/** Stands for the record of a row that was sent under the last mapping and is in doubt: a person settles it, perhaps under another. */
const unsettled = 2 ** 32 - 2

/** Compares records: first all lines of a log are added, then all rows of an export, then rows that are imported again. */
export class Comparison {
  readonly #matcher: Matcher
  /** Of all records, those of the log first. */
  readonly #numbers = new KeyTable()
  #logged = 0
  /** The records that rows made under the last mapping, by their keys. */
  #made = new KeyTable()
  #mapping: string | undefined
  /** A call in flight is put in doubt by the next run, under the name of its own. */
  #runs = new Set<string>()
  readonly #seen = new NumberSet()
  readonly #judged = new NumberSet()
  /** Of what the export has of the records of the log. */
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
    if (outcome.status !== 'done' || !this.#seen.has(number) || !this.#judged.add(number)) return
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

  /** Returns what is told of a line of the log whose record is missing, once for each record. */
  missing() {
    const told = new NumberSet()
    return ({ line: { record_id, key, source, row, line } }: NumberedLine) => {
      const number = this.#numberOf(record_id)
      const isMissing = number !== undefined && !this.#seen.has(number)
      return isMissing && told.add(number) ? [{ record_id, key, source, row, line }] : []
    }
  }

  /** The same of a row of the export that no row of the log made. */
  unknown() {
    const told = new NumberSet()
    return ({ id: record_id, line }: ExportRow) => {
      const number = this.#numberOf(record_id) ?? -1
      return number >= this.#logged && told.add(number) ? [{ record_id, line }] : []
    }
  }

  /** The same of one with other values than were sent, once for each value. */
  different() {
    const told = new NumberSet()
    return ({ id: record_id, values }: ExportRow) => {
      const number = this.#numberOf(record_id) ?? -1
      const { key, source, row, sent } = this.#differing.get(number) ?? {}
      if (sent === undefined || !told.add(number)) return []
      return this.#matcher.differing(sent, values).map(of => ({ record_id, key, source, row, ...of }))
    }
  }
}
