import { hashesOf, rejectedName, replacedName } from '../../model/content-key.ts'
import {
  type Fingerprint,
  fingerprint,
  firstWord,
  recordFingerprint,
  spelledFingerprint,
} from '../../model/fingerprint.ts'
import { KeyTable, NumberList, RowNumbers } from '../../model/key-table.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { RowIdentity, RowPlace } from '../../model/row.ts'
import { atPath } from '../../model/values.ts'
import { readIntents } from './intent-log.ts'
import {
  type Doubt,
  endsCall,
  isDamaged,
  measuredRows,
  type Opening,
  openingAfter,
  orphanDoubt,
  type ResultLine,
} from './lines.ts'
import { readResultLines } from './result-log.ts'
import {
  next,
  noteIn,
  ownedMark,
  type RowState,
  refusedState,
  type StateChange,
  setState,
  shortened,
  stateIn,
} from './row-state.ts'
import { spellingsOf } from './spellings.ts'
import { type Log, type LogEnd, noEnd, type WholeLine } from './whole-lines.ts'

// The state of every row by a result log, for later runs: `Checkpoint` keeps the states, `replay` reads a log.

/** Facts to keep besides the rows. */
interface CheckpointOptions {
  /** The first row of each record, which no other row may have. In 13 to 14 bytes a row. */
  readonly records?: boolean
  /** The content of rows, if a source may hold rows from a rejects file. In 17 to 19 bytes a row. */
  readonly content?: boolean
  /** How rows were written, in 4 to 5 bytes a row: the same one may come under another name. */
  readonly spellings?: boolean
}

/** Keeps the states of rows after the runs of a result log, in 17 to 19 bytes a row. */
export class Checkpoint {
  readonly #rows: KeyTable
  /** The last refusals of rows that read alike; several may share a key. */
  readonly #refusals = new KeyTable()
  readonly #loggedDuplicates = new KeyTable()
  readonly #records = new KeyTable({ isShort: true })
  readonly #recordRows = new RowNumbers()
  readonly #options: CheckpointOptions
  /** States of rows under their own keys, by their names in rejects files. */
  readonly #originals = new KeyTable()
  /** Bodies of earlier lines, which the states of rows have no more; later all but those of rows that came and read the same. */
  readonly #olderBodies = new NumberList()
  /** How rows were written; empty unless it is kept. */
  readonly spellings = spellingsOf(
    key => this.#rows.size > 0 && this.#rows.hasFirst(spelledFingerprint(key)[0]),
    () => {
      this.#rows.each((packed, body) => packed < ownedMark && this.#keepBody(body))
      return this.#olderBodies
    },
  )
  /** A row from a rejects file has its record, or may have it. */
  hasReplaced = false
  /** The opening of the last run; its sheets are those of the last run that read some. */
  opening: Opening | undefined
  /** The rows of the last whole run that met its expectations, without those from a rejects file. */
  lastRows: number | undefined
  /** The mean duration of the last calls, in milliseconds; undefined if the log has none. */
  callMs: number | undefined
  #timed = 0
  /** The keys of rows whose lines were damaged, by their hashes: of each row, one of both may be wrong. */
  readonly #damagedKeys = new Map<string, string>()
  inDoubt = 0
  /** Rows that have their record. */
  settled = 0
  /** Rows that were refused or in doubt and have their record now. */
  recovered = 0
  /** Where the next run goes on in the log. */
  end = noEnd
  /** Lines are missing. What was refused before a repair said so may have its record. */
  lacksLines = false
  /** Calls that were in flight when a run ended, and that the log does not have yet. */
  orphans: readonly Doubt[] = []

  constructor(options: CheckpointOptions = {}) {
    this.#options = options
    this.#rows = new KeyTable({ values: options.spellings ? 2 : 1 })
  }

  /** `alike` are the hashes of the row over the columns of earlier runs. */
  get(key: string, hash: string, alike: readonly string[] = []) {
    if (this.#rows.size === 0) return undefined
    const damagedKey = this.#damagedKeys.get(hash)
    const state = this.#stateOf(key) ?? (damagedKey === undefined ? undefined : this.#stateOf(damagedKey))
    const isSame = (each: string) => state?.hash === shortened(each)
    const { status, body } = state ?? {}
    return status && { status, body, sameHash: isSame(hash) || alike.some(isSame) }
  }

  /** Its number takes the place of the body, which nothing asks for any more. */
  setKeyOwner(key: string, hash: string, number: number): boolean {
    const name = spelledFingerprint(key)
    const { status, hash: known } = stateIn(this.#rows, name) ?? {}
    if (!this.#options.spellings || status !== 'settled' || known !== shortened(hash)) return false
    this.#rows.set(name, ownedMark + known * 4, number)
    return true
  }

  keyOwnerOf(key: string): number | undefined {
    const name = spelledFingerprint(key)
    return (this.#rows.get(name) ?? 0) >= ownedMark ? this.#rows.second(name) : undefined
  }

  /** If lines are missing, an earlier refusal says nothing: a later line may have been about a record. */
  #stateOf(key: string): RowState | undefined {
    const name = spelledFingerprint(key)
    const isStale = this.lacksLines && (this.#rows.get(name) ?? 0) % 4 === refusedState
    return isStale ? undefined : stateIn(this.#rows, name)
  }

  /** Checks for an earlier refusal of the row, by the mapping or the service: an outage never counts. */
  hasRefusal(outcome: Outcome): boolean {
    if (outcome.status !== 'invalid' && outcome.status !== 'failed') return false
    if (outcome.status === 'failed' && outcome.fault !== 'refused') return false
    const http_status = outcome.status === 'failed' ? outcome.httpStatus : undefined
    return (
      this.#refusals.get(contentFingerprint(outcome.identity)) === packedRefusal({ ...outcome, http_status })
    )
  }

  /** A log can have the row without its refusal: a rejects file may be of another run. */
  replacementOf(row: Pick<RowIdentity, 'key' | 'hash' | 'alike' | 'replaces'>) {
    const isReplacement = row.replaces !== undefined
    if (!this.hasReplaced && !isReplacement) return undefined
    for (const hash of hashesOf(row)) {
      const name = spelledFingerprint(replacedName({ ...row, hash }))
      for (const states of isReplacement ? [this.#rows, this.#originals] : [this.#rows]) {
        const status = stateIn(states, name)?.status
        if (status === 'settled' || status === 'in_doubt') return status
      }
    }
    return undefined
  }

  hasRefused(row: Pick<RowIdentity, 'key' | 'hash' | 'replaces'>): boolean {
    const name = spelledFingerprint(replacedName(row))
    return [this.#rows, this.#originals].some(states => states.get(name) !== undefined)
  }

  takeLoggedDuplicate(key: string, hash: string): boolean {
    const rowFingerprint = contentFingerprint({ key, hash })
    const left = this.#loggedDuplicates.get(rowFingerprint) ?? 0
    if (left > 0) this.#loggedDuplicates.set(rowFingerprint, left - 1)
    return left > 0
  }

  /** Gives a record to a row, or returns the other row that has it. */
  claimRecord = (recordId: string, { source = '', row = 0 }: Partial<RowPlace>): RowPlace | undefined => {
    const record = recordFingerprint(recordId)
    const owner = this.#ownerOf(record)
    if (owner === undefined) this.#records.set(record, this.#recordRows.of({ source, row }))
    return owner
  }

  ownerOf = (recordId: string): RowPlace | undefined => this.#ownerOf(recordFingerprint(recordId))

  #ownerOf(record: Fingerprint): RowPlace | undefined {
    const number = this.#records.get(record)
    return number === undefined || number === noOwner ? undefined : this.#recordRows.placeOf(number)
  }

  /** Adds a line of the log. Returns whether it changed the state of its row. */
  add(line: ResultLine): boolean {
    const { status, record_id: recordId = '' } = line
    if (status === undefined) {
      if (!line.ended) this.opening = openingAfter(this.opening, line as Opening)
      else if ((line.command ?? line.unmet ?? line.stopped) === undefined)
        this.lastRows = measuredRows(line.ended) ?? this.lastRows
      return false
    }
    if (this.#options.spellings && status !== 'duplicate') this.spellings.note(line)
    switch (status) {
      case 'created':
      case 'existing':
      case 'merged':
        if (this.#options.records) this.claimRecord(recordId, line)
        if (line.attempts === 1) this.#noteDuration(line)
        return this.#note(line, 'settled')
      case 'forgotten':
        if (this.ownerOf(recordId) !== undefined) this.#records.set(recordFingerprint(recordId), noOwner)
        this.#refusals.set(contentFingerprint(line), noRefusal)
        return this.#note(line, status)
      case 'in_doubt':
        if (isDamaged(line)) this.#damagedKeys.set(line.hash ?? '', line.key ?? '')
        this.#refusals.set(contentFingerprint(line), noRefusal)
        return this.#note(line, status)
      case 'failed':
      case 'invalid':
        this.#refusals.set(contentFingerprint(line), line.by_hand ? noRefusal : packedRefusal(line))
        return this.#note(line, 'refused')
      case 'duplicate': {
        const rowFingerprint = contentFingerprint(line)
        this.#loggedDuplicates.set(rowFingerprint, (this.#loggedDuplicates.get(rowFingerprint) ?? 0) + 1)
        return false
      }
    }
  }

  /** A moving mean: what the calls of long ago took counts no more. */
  #noteDuration({ duration_ms: ms = 0 }: ResultLine): void {
    this.#timed = Math.min(500, this.#timed + 1)
    this.callMs = (this.callMs ?? 0) + (ms - (this.callMs ?? 0)) / this.#timed
  }

  #note(line: ResultLine, status: StateChange['status']): boolean {
    const { key = '', hash = '', replaces } = line
    const damagedKey = this.#damagedKeys.get(hash)
    if (damagedKey !== undefined && damagedKey !== key) this.#note({ ...line, key: damagedKey }, status)
    const byHand = line.by_hand === true && line.status === 'failed' // nobody makes a row invalid by hand
    const body = line.body_hash === undefined ? 0 : firstWord(line.body_hash)
    const change: StateChange = { status, hash: shortened(hash), body, byHand }
    const isReplacement = replaces !== undefined
    const keyFingerprint = spelledFingerprint(key)
    const before = stateIn(this.#rows, keyFingerprint)
    const after = next(before, change)
    if (before !== undefined) this.#keepBody(after === before ? body : before.body)
    if (isReplacement || before !== undefined)
      this.#keepBody(noteIn(this.#rows, replacedName({ key, hash, replaces }), change))
    if (isReplacement && status !== 'refused') this.hasReplaced = true
    const name = rejectedName({ key, hash })
    // a row that is sent under its own key may be in the rejects file of another run
    if (this.#options.content && !isReplacement && name !== key) noteIn(this.#originals, name, change)
    if (after === before) return false
    this.inDoubt += Number(status === 'in_doubt') - Number(before?.status === 'in_doubt')
    const isMade = status === 'settled' && line.respells === undefined // a new name is no new record
    this.settled += Number(isMade) - Number(before?.status === 'settled')
    if (status === 'settled' && (before !== undefined || isReplacement)) this.recovered += 1
    setState(this.#rows, keyFingerprint, after, this.lacksLines)
    return true
  }

  #keepBody(body = 0): void {
    if (body !== 0 && this.#options.spellings) this.#olderBodies.push(body)
  }
}

const contentFingerprint = ({ key = '', hash = '' }: Pick<ResultLine, 'key' | 'hash'>) =>
  fingerprint(`${key}\n${hash}`)

const noOwner = 2 ** 32 - 2 // no row has this number
const noRefusal = 2 ** 31 // no packed refusal has this value

/** 31 bits of the status, the errors and the answer. */
function packedRefusal(line: Pick<ResultLine, 'status' | 'errors' | 'http_status'>) {
  const reasons = [line.errors].flat().map(error => [atPath(error, 'path'), atPath(error, 'code')])
  const [word] = fingerprint(JSON.stringify([line.status, line.http_status, reasons]))
  return word >>> 1
}

/**
 * Reads a result log and the intent log that a run left, as streams. `onLine` is called with each line, and whether it changed
 * the state of its row. `isOver` is false if a live run holds the log: its calls are no orphans. Throws a UsageError when
 * a log is something else, is damaged in its middle or cannot be read; one that does not exist is empty.
 */
export async function replay(
  path: Log,
  options: CheckpointOptions,
  onLine: (line: WholeLine, isNews: boolean) => void = () => {},
  isOver = true,
): Promise<Checkpoint> {
  const checkpoint = new Checkpoint(options)
  // before the log, which has all outcomes once a run removes its intent log
  const intents = isOver ? await readIntents(path) : undefined
  const onEnd = (end: LogEnd) => {
    checkpoint.end = end
  }
  const onLost = () => {
    checkpoint.lacksLines = true
  }
  for await (const lines of readResultLines(path, { intents, isLive: !isOver, onEnd, onLost }))
    for (const each of lines) {
      onLine(each, checkpoint.add(each.line))
      const { run, key = '' } = each.line
      if (endsCall(each.line) && intents?.calls.get(key)?.run === run) intents.calls.delete(key)
    }
  if (intents === undefined) return checkpoint
  const { opening, calls } = intents
  checkpoint.orphans = [...calls.values()].map(call => orphanDoubt(call, opening.record))
  for (const doubt of checkpoint.orphans) checkpoint.add(doubt)
  return checkpoint
}
