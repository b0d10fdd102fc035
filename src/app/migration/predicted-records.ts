import { isThere } from '../../journal/log-lines.ts'
import { LookupTable } from '../../mapping/lookups/table.ts'
import type { Outcome } from '../../model/row.ts'
import { RowNumbers } from '../../model/row-numbers.ts'
import { type LookupReading, readResults, unescapedKey } from '../lookups.ts'
import type { OutcomeSink } from '../outcome-sink.ts'
import type { Step } from './step.ts'

/**
 * The records that a step has by its result log, and those that it would get as its dry run predicts: at some 150 bytes a row.
 */
export class PredictedRecords implements OutcomeSink {
  readonly #log: string
  readonly #isOneColumn: boolean
  readonly #rows = new RowNumbers()
  readonly #table: LookupTable
  #hasLog = false

  constructor({ name, results, mapping }: Step) {
    this.#log = results
    this.#isOneColumn = mapping.keyColumns.length === 1
    this.#table = new LookupTable(`the step ${name}`, place => this.#wordsOf(place))
  }

  readonly keep = ({ origin, end }: Outcome): undefined => {
    const key = this.#isOneColumn ? unescapedKey(origin.key) : origin.key
    const place = placeOfRow(this.#rows.of(origin))
    if (end.status === 'valid') this.#table.addPlanned(key, place)
    if (end.status === 'invalid') this.#table.add(key, undefined, place)
  }

  async close(): Promise<void> {}

  /** All of them, once the dry run is over. Throws a UsageError. */
  async table(lookup: string, service: LookupReading['service']): Promise<LookupTable> {
    const isToRead = !this.#hasLog && (await isThere(this.#log))
    this.#hasLog = true
    const add = (key: string, recordId: unknown, line: number) =>
      this.#table.add(key, recordId, placeOfLine(line))
    if (isToRead) await readResults(this.#log, lookup, service, { add })
    return this.#table
  }

  #wordsOf(place: number): string {
    const number = Math.floor(place / 2)
    if (place === placeOfLine(number)) return `${this.#log}:${number}`
    const { source, row } = this.#rows.placeOf(number)
    return `${source} row ${row}`
  }
}

/** One number stands for a row of the sources or for a line of the log. */
const placeOfRow = (row: number) => 2 * row
const placeOfLine = (line: number) => 2 * line + 1
