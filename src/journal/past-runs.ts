import { fingerprint, KeyTable } from '../model/key-table.ts'
import type { Doubt, Opening, ResultLine } from './outcome.ts'

/** What earlier runs made of a key. */
export interface Past {
  readonly is: 'settled' | 'in_doubt' | 'refused'
  /** Whether the row read then as it reads now. */
  readonly sameHash: boolean
}

/** A torn last line is cut off, a whole one gets the line end that it lacks. */
export type Mend = { readonly cutTo: number } | { readonly addLineEnd: true }

/** What a result log tells of the runs before this one: 22 to 32 bytes a row, however long its line is. */
export class PastRuns {
  readonly #rows = new KeyTable()
  readonly #toldDuplicates = new KeyTable()
  readonly #records = new KeyTable()
  readonly #keepsRecords: boolean
  /** The opening line of the last run. */
  opening: Opening | undefined
  /** Rows that are in doubt now. */
  inDoubt = 0
  /** Rows that were refused or in doubt and have their record now. */
  mended = 0
  /** What the end of the log needs before a line is added. */
  mend: Mend | undefined
  /** Calls that were under way when a run ended, and of which the log knows nothing yet. */
  abandoned: readonly Doubt[] = []

  /** Record ids are kept only where the service may give one twice. */
  constructor(keepsRecords = false) {
    this.#keepsRecords = keepsRecords
  }

  of(key: string, hash: string): Past | undefined {
    const packed = this.#rows.get(fingerprint(key)) ?? open
    const is = names[packed % states]
    return is && { is, sameHash: Math.floor(packed / states) === shortened(hash) }
  }

  /** Whether an earlier run told of this duplicate; of several alike, each is told once. */
  tellsDuplicate(key: string, hash: string): boolean {
    const print = fingerprint(`${key}\n${hash}`)
    const untaken = this.#toldDuplicates.get(print) ?? 0
    if (untaken > 0) this.#toldDuplicates.set(print, untaken - 1)
    return untaken > 0
  }

  /** The line of the log in which an earlier run got this record from the service. */
  recordLine(recordId: string): number | undefined {
    return this.#records.get(recordPrint(recordId))
  }

  /** Takes one line of the log, and its number from 1; says whether it has the last word on its row so far. */
  take(line: ResultLine, number: number): boolean {
    const { status, key = '', hash = '' } = line
    switch (status) {
      case undefined:
        this.opening = line as unknown as Opening
        return false
      case 'created':
      case 'existing':
        if (this.#keepsRecords && line.record_id) this.#records.set(recordPrint(line.record_id), number)
        return this.#note(key, hash, settled)
      case 'in_doubt':
        return this.#note(key, hash, doubtful)
      case 'failed':
        return this.#note(key, hash, refused, line.by_hand)
      case 'invalid':
        return this.#note(key, hash, refused)
      case 'duplicate': {
        const print = fingerprint(`${key}\n${hash}`)
        this.#toldDuplicates.set(print, (this.#toldDuplicates.get(print) ?? 0) + 1)
        return false
      }
      default:
        return false
    }
  }

  /** Takes the calls that a run left under way: each row may have its record or not. */
  takeAbandoned(doubts: readonly Doubt[]): void {
    this.abandoned = doubts
    for (const { key, hash } of doubts) this.#note(key, hash, doubtful)
  }

  /** A row that has its record keeps it, and a doubt is settled only by a record or a person, whatever comes later. */
  #note(key: string, hash: string, state: number, byHand = false): boolean {
    const print = fingerprint(key)
    const before = (this.#rows.get(print) ?? open) % states
    if (before === settled || (before === doubtful && state === refused && !byHand)) return false
    this.inDoubt += Number(state === doubtful) - Number(before === doubtful)
    if (state === settled && before !== open) this.mended += 1
    this.#rows.set(print, shortened(hash) * states + state)
    return true
  }
}

const open = 0
const settled = 1
const doubtful = 2
const refused = 3
const names = [undefined, 'settled', 'in_doubt', 'refused'] as const
const states = names.length

/** A UUID is the same in capitals. */
export const recordPrint = (recordId: string) => fingerprint(recordId.toLowerCase())

/** 29 bits of a row's hash, to stand beside its state in one number. */
const shortened = (hash: string) => Number.parseInt(hash.slice(0, 8) || '0', 16) >>> 3
