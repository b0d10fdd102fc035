import type { Checkpoint } from '../../../src/store/files/checkpoint.ts'
import type { Process } from './machine.ts'

/** What contradicts the promise. */
export class Broken extends Error {}

export type Mode = 'at-most-once' | 'at-least-once'

/** What the service and the journal have said of one row. */
interface Account {
  /** The service made the record. */
  isMade: boolean
  /** The files cannot tell of the calls so far: a row that is forgotten then may be sent again. */
  isForgotten: boolean
  /** The record is in the service, forgotten or not. */
  isThere: boolean
  /** Calls of which nobody has heard whether they made the record. */
  unheard: number
  /** Calls that a process has under way, in its memory. */
  readonly underWay: Set<Process>
  /** A call went out and was not taken back. */
  wasSent: boolean
  /** What the journal has said is on disk. */
  readonly promised: Set<'outcome' | 'record' | 'no doubt'>
}

/** Files that the world changed. */
interface ChangedFiles {
  /** Checks whether nobody can see in them that something is missing. */
  mayForget(): boolean
  /** Called once a run has read them, with the number of rows that are forgotten. */
  onRead(forgotten: number): void
}

/** Checks whether a row is held: lines of the log are lost, and it does not know the row. */
export const isHeld = (checkpoint: Checkpoint, key: string): boolean =>
  checkpoint.lacksLines && checkpoint.get(key, '') === undefined

/** Knows what really happened, and checks what the journal makes of it. */
export class Ledger {
  readonly #mode: Mode
  readonly #accounts = new Map<string, Account>()
  /** The last process that got the lock, and what it read of the log; undefined until then. */
  #holder: Process | undefined
  #known: Checkpoint | undefined
  /** Undefined if a run has read the files since the world changed them. */
  #changed: ChangedFiles | undefined

  constructor(mode: Mode) {
    this.#mode = mode
  }

  of(key: string): Account {
    const account = this.#accounts.get(key) ?? {
      ...{
        isMade: false,
        isForgotten: false,
        isThere: false,
        unheard: 0,
        underWay: new Set(),
        wasSent: false,
        promised: new Set(),
      },
    }
    this.#accounts.set(key, account)
    return account
  }

  mayExist(key: string): boolean {
    const { isMade, unheard } = this.of(key)
    return isMade || unheard > 0
  }

  hold(process: Process): void {
    this.#holder = process
    this.#known = undefined
  }

  /** The process that has the lock. */
  get holder(): Process | undefined {
    return this.#holder
  }

  /** The world changed the files. */
  change(changed: ChangedFiles): void {
    this.#changed = changed
  }

  /** The files are as they were. */
  putBack(): void {
    this.#changed = undefined
  }

  /** After the log was read again. */
  check(process: Process, checkpoint: Checkpoint): void {
    if (process !== this.#holder) return
    this.#known = checkpoint
    this.#admit(checkpoint)
    for (const [key, { isThere, wasSent, promised }] of this.#accounts) {
      const status = checkpoint.get(key, '')?.status
      if (isHeld(checkpoint, key)) continue
      const says = `${key} is ${status ?? 'unknown'}, though`
      if (status === undefined && wasSent) throw new Broken(`${says} a call of it went out`)
      if (status === undefined && promised.size > 0) throw new Broken(`${says} the log had an outcome`)
      if (status !== 'settled' && promised.has('record')) throw new Broken(`${says} the log had its record`)
      if (status === 'refused' && this.mayExist(key)) throw new Broken(`${says} it may have its record`)
      if (status === 'in_doubt' && promised.has('no doubt')) throw new Broken(`${says} a person resolved it`)
      if (status === 'settled' && !isThere) throw new Broken(`${says} no record was made`)
    }
  }

  /** What is gone from changed files was damaged, and its row is in doubt or held now; or nobody can see that it is gone. */
  #admit(checkpoint: Checkpoint): void {
    const changed = this.#changed
    if (changed === undefined) return
    let forgotten = 0
    for (const [key, account] of this.#accounts) {
      const { promised, wasSent } = account
      const status = checkpoint.get(key, '')?.status
      const isGone = status === undefined ? wasSent : status === 'refused' && this.mayExist(key)
      if (isGone && !isHeld(checkpoint, key)) {
        if (!changed.mayForget())
          throw new Broken(`${key} is ${status ?? 'unknown'}, and the files could tell`)
        Object.assign(account, { isMade: false, isForgotten: true, unheard: 0, wasSent: false })
        forgotten += 1
      }
      if (status === undefined) promised.clear()
      if (status !== 'settled') promised.delete('record')
      if (status === 'in_doubt') promised.delete('no doubt')
      if (status === 'settled') account.isMade = account.isThere
    }
    changed.onRead(forgotten)
    this.#changed = undefined
  }

  /** A call is about to be written to the intent log. */
  begin(process: Process, key: string): void {
    const { underWay, promised } = this.of(key)
    underWay.add(process)
    promised.delete('no doubt')
  }

  /** A call goes out. */
  send(process: Process, key: string): void {
    const account = this.of(key)
    const isLate = process !== this.#holder
    if (this.#mode === 'at-most-once' && this.mayExist(key) && !(isLate && account.isForgotten))
      throw new Broken(`${key} is sent again`)
    if (!isLate && account.promised.has('record'))
      throw new Broken(`${key} is sent again, though the log has its record`)
    const isKnown = !this.#known || this.#known.get(key, '') !== undefined || isHeld(this.#known, key)
    if (isLate && !isKnown && !account.isForgotten)
      throw new Broken(`${key} is sent by a run that lost the log, and the next one does not know of it`)
    account.wasSent = true
    account.unheard += 1
  }

  /** The service makes the record. */
  make(key: string): void {
    Object.assign(this.of(key), { isMade: true, isThere: true })
  }

  hear(key: string): void {
    const account = this.of(key)
    account.unheard = Math.max(0, account.unheard - 1)
  }

  /** The call made no record, and its intent may go. */
  takeBack(key: string): void {
    this.hear(key)
    this.of(key).wasSent = this.mayExist(key)
  }

  /** An outcome is on disk. A run that has lost the log may have written it to a file that the next run replaces. */
  promise(process: Process, key: string, hasRecord: boolean): void {
    if (process === this.#holder) this.of(key).promised.add(hasRecord ? 'record' : 'outcome')
  }

  /** A person has looked: the calls so far made no record. */
  ruleOut(key: string): void {
    this.of(key).unheard = 0
  }
}
