import { rmSync } from 'node:fs'
import { cannotWrite } from '../../model/errors.ts'
import type { Call } from '../../model/row.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { type Appendable, durableFile, groupCommit } from './durable-file.ts'
import { intentLine, type Opening, type OrphanedCall, openingLine, removedLine } from './lines.ts'
import type { Lock } from './lock.ts'
import { isThere } from './result-log.ts'
import { intentLogPath, readWholeLines } from './whole-lines.ts'

/**
 * Reads the intent log of a run: its opening, and the calls that had not ended, by their keys. A line that a power cut took was not
 * synced, so its call never went out. Throws a UsageError.
 */
export async function readOrphans(results: string) {
  let orphans: { readonly opening: Opening; readonly calls: Map<string, OrphanedCall> } | undefined
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

export type IntentLog = Awaited<ReturnType<typeof openIntentLog>>

/**
 * Keeps each call on disk before it goes out. A file that has grown is replaced by one with the calls in flight; at first that of an
 * earlier run is, whose calls must be in the result log by now. Throws a LogError.
 */
export async function openIntentLog(results: string, opening: Opening, lock: Lock, now: () => Date) {
  const path = intentLogPath(results)
  const { run } = opening
  const failed = (error: unknown) => cannotWrite(path, error)
  /** Replaces the file. Under the lock no other unfinished one is in use. */
  const replaced = async (lines: readonly string[]) => {
    const replacement = { id: run, check: () => lock.check(), longestPauseMs: 0 }
    return durableFile(await replaceFile(path, lines, replacement), path)
  }
  const inFlight = new Map<string, string>()
  let file = await replaced([`${openingLine(opening)}\n`]).catch(error => Promise.reject(failed(error)))
  let room = mostGrowth
  const growing: Appendable = {
    async appendFile(text) {
      room -= text.length
      if (room >= 0) return file.appendFile(text)
      const kept = [openingLine(opening), ...inFlight.values()].map(line => `${line}\n`) // those of the text are among them, or obsolete
      const outgrown = file
      file = await replaced(kept)
      room = mostGrowth + kept.reduce((sum, line) => sum + line.length, 0)
      await outgrown.close()
    },
    /** Checks the lock after the sync: a call may go out only if a run that takes the lock from now on reads its line. */
    datasync: () => file.datasync().finally(() => lock.check()), // a lost lock is the cause of whatever else failed
    close: () => file.close(),
  }
  const lines = groupCommit(growing, failed)
  return {
    /** Resolves once the call is on disk and may go out. Rejects with a LogError or LockError: then it must not. */
    async add(call: Call): Promise<undefined> {
      const { key } = call.identity
      const line = intentLine(run, now(), call)
      const isRepeated = inFlight.has(key)
      inFlight.set(key, line)
      await lines.append(line).catch(error => {
        if (!isRepeated) inFlight.delete(key) // it never went out
        throw error
      })
    },
    /** Takes back a call that ended and cannot have made a record. If that line is lost, the row is in doubt for nothing. */
    remove(key: string): void {
      inFlight.delete(key)
      lines.append(removedLine(run, key)).catch(() => {})
    },
    /** Forgets a call whose outcome is in the result log. */
    forget(key: string): void {
      inFlight.delete(key)
    },
    /** Keeps the file if the log lacks the outcome of a call, or is torn. Throws a LogError, or a LockError and leaves the file alone. */
    async close(isTorn = false): Promise<void> {
      await lines.close()
      if (inFlight.size === 0 && !isTorn) removeIntentLog(path, lock)
    },
  }
}

/** Removes an intent log whose calls are all in the result log. Throws a LogError, or a LockError if it is another run's. */
export function removeIntentLog(path: string, lock: Lock): void {
  try {
    lock.check()
    rmSync(path, { force: true })
  } catch (error) {
    throw cannotWrite(path, error)
  }
}
