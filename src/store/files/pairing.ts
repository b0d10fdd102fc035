import { existsSync } from 'node:fs'
import { UsageError } from '../../model/errors.ts'
import type { IntentsLeft } from './intent-log.ts'
import type { ResultLine, SyncPoint } from './lines.ts'
import { intentLogPath, type LineCheck, type LogFault } from './whole-lines.ts'

/** Compares a result log with the intent log beside it: each says how far the other one was on disk. */
export class Pairing {
  readonly #intents: IntentsLeft | undefined
  /** The run that wrote the intent log. */
  readonly #run: string | undefined
  #lines = 0
  /** The last point of that run in the result log. */
  #point: SyncPoint | undefined
  /** The result log has the line that the intent log names. */
  #hasLine: boolean

  constructor(intents: IntentsLeft | undefined) {
    this.#intents = intents
    this.#run = intents?.opening.run
    this.#hasLine = intents?.log === undefined
  }

  /** Adds a line of the result log. */
  add(line: ResultLine, crc: number): void {
    if ((line.writer ?? line.run) !== this.#run) return
    this.#lines += 1
    this.#point = line.intents ?? this.#point
    const [lines, last] = this.#intents?.log ?? []
    if (this.#lines === lines && crc === last) this.#hasLine = true
  }

  /**
   * Returns what is missing at the end of the log, or the fault of its last text, unless that was not synced: a run was writing it, and, before 0.5, it is
   * a torn line.
   */
  faultOf(path: string, { newest, linesOf, mayFollow }: LineCheck, fault: LogFault | undefined) {
    const inFlight = intentLogPath(path)
    const logCut = fault?.error ?? new UsageError('log_cut', { path, inFlight })
    const intentsMissing = new UsageError('intents_missing', { path, inFlight })
    const last = linesOf(newest)
    const isUnclosed = last?.isChained && !last.isClosed
    const unlessUnsynced = !last?.isChained && !fault?.isTorn ? fault?.error : undefined
    const intents = this.#intents
    if (intents === undefined) {
      if (isUnclosed) return intentsMissing
      const wasWritten = existsSync(inFlight) || (last?.isChained === false && !fault?.namesRow)
      return wasWritten ? unlessUnsynced : fault?.error
    }
    const written = linesOf(this.#run)
    if (written === undefined) {
      const isNext = intents.log === undefined && mayFollow(intents.chain ?? 0)
      return isNext || intents.chain === undefined ? unlessUnsynced : logCut
    }
    if (this.#run !== newest) return isUnclosed ? intentsMissing : fault?.error
    if (written.isClosed) return fault?.error
    if (!this.#hasLine) return logCut
    return this.#hasIntents() ? unlessUnsynced : intentsMissing
  }

  /** Checks that the intent log is as long as the result log says. */
  #hasIntents(): boolean {
    const { opening, crcs = [] } = this.#intents ?? {}
    const [generation = 0, lines = 0, crc] = this.#point ?? []
    const current = opening?.generation ?? 0
    return generation < current || (generation === current && (lines === 0 || crcs[lines - 1] === crc))
  }
}
