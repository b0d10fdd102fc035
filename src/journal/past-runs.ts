import { isContentKey, rejectedName, replacedName } from '../model/content-key.ts'
import { type Fingerprint, fingerprint, KeyTable } from '../model/key-table.ts'
import type { RowIdentity } from '../model/row.ts'
import type { Doubt, Opening, ResultLine } from './outcome.ts'

/** What became of a row: it has its record, may have one, or has none. */
type RowStatus = 'settled' | 'in_doubt' | 'refused'

/** What the lines of the log so far make of a name. */
export interface RowState {
  readonly status: RowStatus
  /** Of a settled row the hash with which it was settled; else that with which it was refused or sent first. */
  readonly hash: number
}

/** The hash of rows that were refused under one key and read differently. */
export const unknownHash = 0

/** What a line says of one name. */
interface RowLine extends RowState {
  /** A person settled the row. */
  readonly byHand: boolean
  /** The row came from a file of rejected rows. */
  readonly comesBack: boolean
}

/** The state of a name after one more line: a record is final, and a doubt yields only to a record or a person. */
export function next(before: RowState | undefined, line: RowLine): RowState {
  const { status, hash } = line
  if (before === undefined) return { status, hash }
  if (before.status === 'settled') return before
  if (before.status === 'in_doubt' && status === 'refused' && !line.byHand) return before
  if (status === 'settled') return { status, hash }
  const isSameRow = status === 'in_doubt' || line.comesBack || hash === before.hash
  return { status, hash: isSameRow ? before.hash : unknownHash }
}

/** What earlier runs made of a key. */
export interface Past {
  readonly is: RowStatus
  /** Whether the row read then as it reads now. */
  readonly sameHash: boolean
}

/** A torn last line is cut off, a whole one gets the line end that it lacks. */
export type Mend = { readonly cutTo: number } | { readonly addLineEnd: true }

/** What a result log tells of the runs before this one: 22 to 32 bytes a row, however long its line is. */
export class PastRuns {
  readonly #rows = new RowStates()
  readonly #toldDuplicates = new KeyTable()
  readonly #records = new KeyTable()
  readonly #keepsRecords: boolean
  /** Whether a row came back from a file of rejected rows, and may have its record. */
  #hasReplaced = false
  /** Whether 0.1 wrote of such a row, or the file that it came from. */
  #hasOldNames = false
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
    const state = this.#rows.get(fingerprint(key))
    return state && { is: state.status, sameHash: state.hash === shortened(hash) }
  }

  /**
   * What became of the rejected row that a row is, or comes back as: `settled` when a row that replaces it has its record,
   * `in_doubt` when one may have.
   */
  replacementOf(row: Pick<RowIdentity, 'key' | 'hash' | 'replaces'>): 'settled' | 'in_doubt' | undefined {
    if (!this.#hasReplaced && row.replaces === undefined) return undefined
    const found = this.#statusOf(replacedName(row))
    if (found === 'settled' || !this.#hasOldNames || row.replaces !== undefined) return found
    return this.#statusOf(oldName(row.key, shortened(row.hash))) ?? found
  }

  #statusOf(name: string): 'settled' | 'in_doubt' | undefined {
    const status = this.#rows.get(fingerprint(name))?.status
    return status === 'refused' ? undefined : status
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
        return this.#note(line, 'settled')
      case 'in_doubt':
        return this.#note(line, 'in_doubt')
      case 'failed':
      case 'invalid':
        return this.#note(line, 'refused')
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
    for (const doubt of doubts) this.#note(doubt, 'in_doubt')
  }

  #note(line: ResultLine, status: RowStatus): boolean {
    const said: RowLine = {
      status,
      hash: shortened(line.hash ?? ''),
      byHand: line.by_hand === true && line.status === 'failed', // nobody makes a row invalid by hand
      comesBack: line.repaired === true || line.replaces !== undefined,
    }
    const print = fingerprint(line.key ?? '')
    const before = this.#rows.get(print)
    const after = next(before, said)
    if (said.comesBack || before !== undefined) this.#noteRejected(line, said)
    if (after === before) return false
    this.inDoubt += Number(status === 'in_doubt') - Number(before?.status === 'in_doubt')
    if (status === 'settled' && (before !== undefined || said.comesBack)) this.mended += 1
    this.#rows.set(print, after)
    return true
  }

  /** What a row comes to that was refused before is told of its name in files of rejected rows as well. */
  #noteRejected(line: ResultLine, said: RowLine): void {
    if (said.comesBack && said.status !== 'refused') this.#hasReplaced = true
    for (const name of said.comesBack ? this.#replacedNames(line) : [rejectedNameIn(line)]) {
      const print = fingerprint(name)
      const before = this.#rows.get(print)
      if (before === undefined && said.status === 'refused') continue
      this.#rows.set(print, next(before, said))
    }
  }

  /**
   * The names that a row has beside its key. In 0.1 a repaired row kept the key with which it was refused, its `alias` being the
   * one that its columns gave: it has both. What the refused row read like is known if only one was refused with that key.
   */
  #replacedNames({ key = '', hash = '', replaces, alias }: ResultLine): string[] {
    const name = replaces === undefined ? key : replacedName({ key, hash, replaces })
    const names = [replaces === undefined ? (alias ?? []) : name].flat()
    if (isContentKey(name)) return names
    this.#hasOldNames = true
    const refused = this.#rows.get(fingerprint(name))?.hash ?? unknownHash
    return refused === unknownHash ? names : [...names, oldName(name, refused)]
  }
}

const rejectedNameIn = ({ key = '', hash = '' }: ResultLine) => rejectedName({ key, hash })

/** Names a row that was refused with a key by what is remembered of its hash. */
const oldName = (key: string, hash: number) => `${key}\n${hash}`

const statuses: readonly RowStatus[] = ['settled', 'in_doubt', 'refused']

/** The states of names, each in one number. */
class RowStates {
  readonly #packed = new KeyTable()

  get(print: Fingerprint): RowState | undefined {
    const packed = this.#packed.get(print)
    const status = packed === undefined ? undefined : statuses[packed % 4]
    return status && { status, hash: Math.floor((packed ?? 0) / 4) }
  }

  set(print: Fingerprint, { status, hash }: RowState): void {
    this.#packed.set(print, hash * 4 + statuses.indexOf(status))
  }
}

/** A UUID is the same in capitals. */
export const recordPrint = (recordId: string) => fingerprint(recordId.toLowerCase())

/** 29 bits of a row's hash, to stand beside its status in one number. */
const shortened = (hash: string) => Number.parseInt(hash.slice(0, 8) || '0', 16) >>> 3
