import { KeyTable } from '../model/key-table.ts'
import { kinds } from '../records/kinds.ts'
import type { Opening, ResultLine } from './outcome.ts'
import { recordPrint } from './past-runs.ts'

/** Two lines with one record, by their numbers: the service took their rows for one contact. */
export interface MergedPair {
  readonly recordId: string
  readonly first: number
  readonly second: number
}

const mostPairs = 200

/** Which lines of a log have the record of an earlier one; 22 to 32 bytes a record. */
export class MergedLines {
  readonly #records = new KeyTable()
  /** Whether the service may give a record twice; of other kinds nothing is remembered. */
  #findsSimilar: boolean | undefined
  /** The first of them. */
  readonly pairs: MergedPair[] = []
  count = 0

  /** Takes one line of the log, and its number from 1. */
  take(line: ResultLine, number: number): void {
    const { status, record_id: recordId } = line
    if (status === undefined) this.#findsSimilar = kinds[(line as unknown as Opening).record]?.findsSimilar
    if (recordId === undefined || !this.#findsSimilar) return
    if (status !== 'created' && status !== 'existing') return
    const print = recordPrint(recordId)
    const first = this.#records.get(print)
    if (first === undefined) this.#records.set(print, number)
    else if (status === 'existing') this.#add({ recordId, first, second: number })
  }

  #add(pair: MergedPair): void {
    this.count += 1
    if (this.pairs.length < mostPairs) this.pairs.push(pair)
  }
}
