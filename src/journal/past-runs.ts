import { fingerprint, KeyTable, keyOfContent } from '../model/key-table.ts'
import type { Doubt, Opening, ResultLine } from './outcome.ts'
import { Repairs, unknownHash } from './repairs.ts'

/** What earlier runs made of a key. */
export interface Past {
  readonly is: 'settled' | 'in_doubt' | 'refused'
  /** Whether the row read then as it reads now. */
  readonly sameHash: boolean
  /** Whether the row that has its record came back repaired with another key, so that this one may be another row's. */
  readonly isRenamed?: true | undefined
}

/** A torn last line is cut off, a whole one gets the line end that it lacks. */
export type Mend = { readonly cutTo: number } | { readonly addLineEnd: true }

/** What a result log tells of the runs before this one: 22 to 32 bytes a row, however long its line is. */
export class PastRuns {
  readonly #rows = new KeyTable()
  readonly #toldDuplicates = new KeyTable()
  readonly #records = new KeyTable()
  readonly #repairs = new Repairs()
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
    const print = fingerprint(key)
    const packed = this.#rows.get(print) ?? open
    const is =
      this.#repairs.isInDoubt(print) && packed % states !== settled ? 'in_doubt' : names[packed % states]
    const sameHash = Math.floor(packed / states) === shortened(hash)
    return is && { is, sameHash, isRenamed: this.#repairs.isRenamed(print) || undefined }
  }

  /**
   * Whether a row that reads so was refused, came back repaired, and has its record since. One that came back under a key made of
   * its content is known by that, whatever its columns name it; a row that comes back itself is not, for it may have been mended to
   * read as another.
   */
  isRepaired(key: string, hash: string, comesBack = false): boolean {
    if (!this.#repairs.isAny) return false
    const isSettled = (named: string) => (this.#rows.get(fingerprint(named)) ?? open) % states === settled
    if (key.startsWith(keyOfContent(hash))) return isSettled(key)
    if (isSettled(key) && this.#repairs.was(fingerprint(key), shortened(hash))) return true
    return !comesBack && this.#repairs.cameBack(fingerprint(keyOfContent(hash, 1)))
  }

  /** Whether a row that is refused keeps its key when it comes back: it may be another row's, and then its content names it. */
  keepsKey(key: string, hash: string): boolean {
    const known = this.of(key, hash)
    return known?.is !== 'settled' && (known?.sameHash === true || !this.#repairs.isShared(fingerprint(key)))
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
    const { status, key = '' } = line
    switch (status) {
      case undefined:
        this.opening = line as unknown as Opening
        return false
      case 'created':
      case 'existing':
        if (this.#keepsRecords && line.record_id) this.#records.set(recordPrint(line.record_id), number)
        return this.#note(line, settled)
      case 'in_doubt':
        return this.#note(line, doubtful)
      case 'failed':
      case 'invalid':
        return this.#note(line, refused)
      case 'duplicate': {
        const print = fingerprint(`${key}\n${line.hash ?? ''}`)
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
    for (const doubt of doubts) this.#note(doubt, doubtful)
  }

  /** A row that has its record keeps it, and a doubt is settled only by a record or a person, whatever comes later. */
  #note(line: ResultLine, state: number): boolean {
    const { key = '', alias, status, by_hand } = line
    const byHand = by_hand && status === 'failed' // nobody makes a row invalid by hand
    const print = fingerprint(key)
    const packed = this.#rows.get(print) ?? open
    const before = packed % states
    if (before === settled || (before === doubtful && state === refused && !byHand)) return false
    this.inDoubt += Number(state === doubtful) - Number(before === doubtful)
    if (state === settled && before !== open) this.mended += 1
    this.#rows.set(print, this.#hashNow(line, state, packed) * states + state)
    if (alias === undefined) return true
    this.#repairs.noteDoubt(alias, state === doubtful)
    if (state !== settled) return true
    this.#repairs.noteRenamed(print, true)
    this.#repairs.noteRenamed(fingerprint(alias), false)
    this.#note({ ...line, key: alias, alias: undefined, repaired: false }, settled)
    return true
  }

  /**
   * The hash to remember beside a state: of rows that are refused that of the one which has the key, and of one that came back and
   * has no record yet, the one that it was refused with.
   */
  #hashNow({ run, key = '', hash = '', repaired }: ResultLine, state: number, packed: number): number {
    const print = fingerprint(key)
    const now = shortened(hash)
    const before = packed === open ? undefined : Math.floor(packed / states)
    if (repaired && state === settled) this.#repairs.takeSettled(print, before ?? unknownHash)
    if (repaired) return state === settled || before === undefined ? now : before
    return state === refused ? this.#repairs.takeRefused(run, print, now, before) : now
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
