import { isOver, type RowsOrShare } from '../../model/expectations.ts'
import { fingerprint, recordFingerprint } from '../../model/fingerprint.ts'
import { KeyTable, NumberList } from '../../model/key-table.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { RowIdentity } from '../../model/row.ts'
import { recognizableFields } from '../../result/short-texts.ts'
import { givesRecord, type ResultLine } from '../../store/files/lines.ts'
import type { WholeLine } from '../../store/files/whole-lines.ts'
import type { ExportRow } from './export-rows.ts'
import type { Matcher } from './matcher.ts'

const mostKept = 1_000

/** The number for the record of a row in doubt that was sent under the last mapping: a person settles it, perhaps under another. */
const unsettled = 2 ** 32 - 2

/** In the place of the number of a record that is gone; one that is there nevertheless is one that no row made. */
const gone = 2 ** 32 - 3

/** States of a record of the log in the export, in the place of a digest. One without values has nothing to compare. */
const notThere = 0
const compared = 1

/** Rows that were made since a run last came to its end: numbers of their records, and how many come again as they were. */
const noRows = (first = 0) => ({ first, last: -1, made: 0, again: 0, hasEnded: false })

/** Compares records: first all lines of a log are added, then all rows of an export, then rows that are imported again. */
export class Comparison {
  readonly #matcher: Matcher
  /** Numbers of the records of the log; all others have the next one. */
  readonly #numbers = new KeyTable()
  /** Digests of what the export has of each record of the log. */
  readonly #digests = new NumberList()
  /** The records that rows made under the last mapping, by their keys. */
  #made = new KeyTable()
  #mapping: string | undefined
  /** The runs under the last mapping. The next run puts a call in flight in doubt, under the name of its own run. */
  #runs = new Set<string>()
  readonly #differing = new Map<number, RowIdentity & { readonly sent: readonly unknown[] }>()
  readonly #counts = { records: 0, found: 0, unknown: 0, same: 0, different: 0, changed: 0, without_id: 0 }
  #own = noRows()
  /** The keys of rows that were sent again after an unclear answer. */
  readonly #sentAgain = new KeyTable()
  /** Their records, by number, and the numbers by the values that the export or the row has of them. */
  readonly #doubled = new Map<number, object>()
  readonly #doubledValues = new KeyTable()

  /** Names for people, of the first rows by their keys, and of the first records that no row made by their ids. */
  readonly names = { rows: new Map<string, string>(), records: new Map<string, string>() }

  constructor(matcher: Matcher) {
    this.#matcher = matcher
  }

  addLine(line: ResultLine): void {
    const { status, key = '', record_id: id, mapping_sha256: mapping = this.#mapping } = line
    if (mapping !== this.#mapping) [this.#made, this.#runs, this.#own] = [new KeyTable(), new Set(), noRows()]
    this.#mapping = mapping
    if (line.ended && !line.command) this.#own.hasEnded = true
    if (line.unclear_attempts) this.#sentAgain.set(fingerprint(key), 0)
    if (status === undefined) this.#runs.add(line.run)
    if (status === 'in_doubt' && this.#runs.has(line.run)) this.#made.set(fingerprint(key), unsettled)
    if (status === 'forgotten' && id !== undefined && this.#numberOf(id) !== undefined) {
      this.#numbers.set(recordFingerprint(id), gone)
      this.#counts.records -= 1
    }
    const before = line.respells && this.#made.get(fingerprint(line.respells))
    if (before !== undefined) this.#made.set(fingerprint(key), Number(before)) // the same row under another name
    if (!givesRecord(line) || id === undefined || this.#numberOf(id) !== undefined) return
    const number = this.#digests.length
    const isSent = !line.by_hand || this.#made.get(fingerprint(key)) !== undefined
    if (status === 'created' && isSent) this.#made.set(fingerprint(key), number)
    this.#numbers.set(recordFingerprint(id), number)
    this.#digests.push(notThere)
    if (this.#sentAgain.get(fingerprint(key)) !== undefined)
      this.#doubled.set(number, { same_as: id, key, source: line.source, row: line.row })
    this.#counts.records += 1
    if (status !== 'created' || line.by_hand) return
    if (this.#own.hasEnded) this.#own = noRows(number)
    this.#own.last = number
    this.#own.made += 1
  }

  addRow({ id, values, name }: ExportRow): void {
    if (id === undefined) this.#counts.without_id += 1
    else if (this.#isMissing(id)) {
      const number = this.#numberOf(id) ?? 0
      this.#digests.set(number, values.length > 0 ? this.#digestOf(values) : compared)
      this.#noteDoubled(number, values)
      this.#counts.found += 1
    } else if (this.#numberOf(id) === undefined) {
      this.#numbers.set(recordFingerprint(id), this.#digests.length)
      this.#counts.unknown += 1
      if (this.names.records.size < mostKept) this.names.records.set(id, name())
    }
  }

  /** Adds the state of a row, and the body that the mapping makes of it, if it makes one. Each record counts once. */
  addAgain = ({ identity, ...outcome }: Outcome, bodyOf: () => unknown): void => {
    const number = this.#made.get(fingerprint(identity.key)) ?? unsettled
    const digest = this.#digests.at(number)
    if (outcome.status !== 'done') return
    if (!outcome.changed && number >= this.#own.first && number <= this.#own.last) this.#own.again += 1
    if (!outcome.changed && this.#doubled.has(number)) this.#noteDoubled(number, this.#matcher.sent(bodyOf()))
    if (digest === notThere) this.#noteName(identity, bodyOf)
    if (digest === notThere || digest === compared) return
    this.#digests.set(number, compared)
    const body = outcome.changed ? undefined : bodyOf()
    const sent = this.#matcher.sent(body)
    const isSame = this.#digestOf(sent) === digest
    this.#counts[body === undefined ? 'changed' : isSame ? 'same' : 'different'] += 1
    if (body === undefined || isSame || this.#differing.size >= mostKept) return
    this.#differing.set(number, { ...identity, sent })
    this.#noteName(identity, () => body)
  }

  #noteName({ key }: RowIdentity, bodyOf: () => unknown): void {
    if (this.names.rows.size >= 2 * mostKept) return // as many that differ as are missing
    const { name, emails } = recognizableFields(bodyOf())
    this.names.rows.set(key, name ?? emails[0] ?? '')
  }

  counts() {
    const { records, found, unknown, ...compared } = this.#counts
    const [missing, not_compared] = [records - found, found - compared.same - compared.different]
    return { records, exported: found + unknown, found, missing, unknown, not_compared, ...compared }
  }

  /** Describes a line of the log whose record is missing. */
  missing = ({ line: { record_id = '', key, source, row, line } }: WholeLine) =>
    this.#isMissing(record_id) ? [{ record_id, key, source, row, line }] : []

  /** Checks whether more than a share of the rows that the last runs made do not come again as they were. */
  isMoved = (share: RowsOrShare) => isOver(this.#own.made - this.#own.again, share, this.#own.made)

  /** Returns a line of the log whose record is missing or differs. */
  faulty = ({ line: { record_id = '', ...line } }: WholeLine) => {
    const isDifferent = this.#differing.has(this.#numberOf(record_id) ?? unsettled)
    return isDifferent || this.#isMissing(record_id) ? [{ record_id, ...line }] : []
  }

  /** Describes a row of the export that no row of the log made. */
  unknown = ({ id: record_id = '', line }: ExportRow) =>
    (this.#numberOf(record_id) ?? 0) >= this.#digests.length ? [{ record_id, line }] : []

  /** The number of rows that were sent again after an unclear answer. */
  get sentAgain(): number {
    return this.#sentAgain.size
  }

  /** Describes a row of the export that no row of the log made, and that has the values of one that was sent again. */
  spare = (exported: ExportRow) =>
    this.unknown(exported).flatMap(found => {
      const text = this.#matcher.textOf(exported.values)
      const number = text === '' ? undefined : this.#doubledValues.get(fingerprint(text))
      const own = this.#doubled.get(number ?? unsettled)
      return own === undefined ? [] : [{ ...found, ...own }]
    })

  /** Describes each value of a row of the export that differs from what was sent. */
  different = ({ id: record_id = '', values }: ExportRow) => {
    const { key, source, row, sent } = this.#differing.get(this.#numberOf(record_id) ?? unsettled) ?? {}
    if (sent === undefined) return []
    return this.#matcher.differing(sent, values).map(each => ({ record_id, key, source, row, ...each }))
  }

  #numberOf(id: string): number | undefined {
    const number = this.#numbers.get(recordFingerprint(id))
    return number === gone ? undefined : number
  }

  #isMissing(id: string): boolean {
    const number = this.#numberOf(id) ?? this.#digests.length
    return number < this.#digests.length && this.#digests.at(number) === notThere
  }

  #noteDoubled(number: number, values: readonly unknown[]): void {
    if (!this.#doubled.has(number)) return
    this.#doubledValues.set(fingerprint(this.#matcher.textOf(values)), number)
  }

  /** Returns a digest that is none of the states. */
  #digestOf = (values: readonly unknown[]) => (fingerprint(this.#matcher.textOf(values))[0] | 2) >>> 0
}

/** The entries of a list that a person looks at. */
export const mostListed = 20

/** Yields the entries of each record once. */
export async function* listed<T, E extends { readonly record_id: string }>(
  batches: AsyncIterable<readonly T[]>,
  entriesOf: (item: T) => readonly E[],
) {
  const once = new KeyTable()
  for await (const batch of batches)
    for (const entries of batch.map(entriesOf)) {
      const [first] = entries
      if (first === undefined || once.get(recordFingerprint(first.record_id)) !== undefined) continue
      once.set(recordFingerprint(first.record_id), 0)
      yield* entries
    }
}
