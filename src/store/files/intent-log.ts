import { rmSync } from 'node:fs'
import { cannotWrite } from '../../model/errors.ts'
import type { Call } from '../../model/row.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { DurableFile, GroupCommit } from './durable-file.ts'
import { intentLine, type Opening, type OrphanedCall, openingLine, removedLine } from './lines.ts'
import type { Lock } from './lock.ts'
import { isThere } from './result-log.ts'
import { intentLogPath, readWholeLines } from './whole-lines.ts'

/** Calls of a run that had not ended, by their keys. */
interface Orphans {
  readonly opening: Opening
  readonly calls: Map<string, OrphanedCall>
}

/** Reads the intent log of a run. A line that a power cut took was not synced, so its call never went out. Throws a UsageError. */
export async function readOrphans(results: string): Promise<Orphans | undefined> {
  let orphans: Orphans | undefined
  const path = intentLogPath(results)
  if (await isThere(path))
    for await (const lines of readWholeLines({ path, log: results }))
      for (const { line } of lines) {
        orphans ??= { opening: line as Opening, calls: new Map() }
        const call = line as OrphanedCall & { readonly over?: boolean }
        if (call.over) orphans.calls.delete(call.key)
        else if (line.rowlift === undefined) orphans.calls.set(call.key, call)
      }
  return orphans
}

/** The file is rewritten once it has grown by so many characters. */
const mostGrowth = 4_000_000

/** Keeps each call on disk before it goes out. A file that has grown is replaced by one with the calls in flight. */
export class IntentLog {
  readonly #path: string
  readonly #opening: Opening
  readonly #now: () => Date
  readonly #lock: Lock
  readonly #inFlight = new Map<string, string>()
  readonly #lines: GroupCommit
  #file: DurableFile
  #room = mostGrowth

  private constructor(path: string, file: DurableFile, opening: Opening, lock: Lock, now: () => Date) {
    this.#path = path
    this.#file = file
    this.#opening = opening
    this.#lock = lock
    this.#now = now
    this.#lines = new GroupCommit(
      {
        appendFile: text => this.#append(text),
        datasync: () => this.#sync(),
        close: () => this.#file.close(),
      },
      error => cannotWrite(path, error),
    )
  }

  /** Replaces the intent log of an earlier run, whose calls must be in the result log by now. Throws a LogError. */
  static async open(results: string, opening: Opening, lock: Lock, now: () => Date): Promise<IntentLog> {
    const path = intentLogPath(results)
    try {
      const file = await replaced(path, [`${openingLine(opening)}\n`], opening.run, lock)
      return new IntentLog(path, file, opening, lock, now)
    } catch (error) {
      throw cannotWrite(path, error)
    }
  }

  /** Resolves once the call is on disk and may go out. Rejects with a LogError or LockError: then it must not. */
  async add(call: Call): Promise<undefined> {
    const { key } = call.identity
    const line = intentLine(this.#opening.run, this.#now(), call)
    const isRepeated = this.#inFlight.has(key)
    this.#inFlight.set(key, line)
    await this.#lines.append(line).catch(error => {
      if (!isRepeated) this.#inFlight.delete(key) // it never went out
      throw error
    })
  }

  /** Takes back a call that ended and cannot have made a record. If that line is lost, the row is in doubt for nothing. */
  remove(key: string): void {
    this.#inFlight.delete(key)
    this.#lines.append(removedLine(this.#opening.run, key)).catch(() => {})
  }

  /** Forgets a call whose outcome is in the result log. */
  forget(key: string): void {
    this.#inFlight.delete(key)
  }

  /** Keeps the file if the log lacks the outcome of a call, or is torn. Throws a LogError, or a LockError and leaves the file alone. */
  async close(isTorn = false): Promise<void> {
    await this.#lines.close()
    if (this.#inFlight.size === 0 && !isTorn) removeIntentLog(this.#path, this.#lock)
  }

  async #append(text: string): Promise<void> {
    this.#room -= text.length
    if (this.#room >= 0) return this.#file.appendFile(text)
    const lines = [openingLine(this.#opening), ...this.#inFlight.values()].map(line => `${line}\n`) // those of the text are among them, or obsolete
    const outgrown = this.#file
    this.#file = await replaced(this.#path, lines, this.#opening.run, this.#lock)
    this.#room = mostGrowth + lines.reduce((sum, line) => sum + line.length, 0)
    await outgrown.close()
  }

  /** Checks the lock after the sync: a call may go out only if a run that takes the lock from now on reads its line. */
  async #sync(): Promise<void> {
    await this.#file.datasync().finally(() => this.#lock.check()) // a lost lock is the cause of whatever else failed
  }
}

/** Replaces an intent log. Under the lock no other unfinished file is in use. */
const replaced = async (
  path: string,
  lines: readonly string[],
  id: string,
  lock: Lock,
): Promise<DurableFile> =>
  DurableFile.of(await replaceFile(path, lines, { id, check: () => lock.check(), longestPauseMs: 0 }), path)

/** Removes an intent log whose calls are all in the result log. Throws a LogError, or a LockError if it is another run's. */
export function removeIntentLog(path: string, lock: Lock): void {
  try {
    lock.check()
    rmSync(path, { force: true })
  } catch (error) {
    throw cannotWrite(path, error)
  }
}
