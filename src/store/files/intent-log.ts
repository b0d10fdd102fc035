import { rmSync } from 'node:fs'
import { cannotWrite } from '../../model/errors.ts'
import type { Call } from '../../model/row.ts'
import { whenFree } from '../../platform/busy-files.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { chainedFile, type SyncPoints } from './chained-file.ts'
import { Chain, unseal } from './checksum.ts'
import { type Appendable, durableFile, groupCommit } from './durable-file.ts'
import { intentLine, type Opening, type OrphanedCall, removedLine, type SyncPoint } from './lines.ts'
import type { Lock } from './lock.ts'
import { intentLogPath, isThere, LineCheck, type Log, readWholeLines } from './whole-lines.ts'

/** What an intent log shows of the run that wrote it. */
export interface IntentsLeft {
  readonly opening: Opening
  /** Calls that had not ended, by their keys. */
  readonly calls: Map<string, OrphanedCall>
  /** The checksums of all lines, in their order. */
  readonly crcs: readonly number[]
  /** The checksum of the line of the result log that the opening follows; undefined before 0.5. */
  readonly chain: number | undefined
  /** How far the result log was when the last group was written. */
  readonly log: SyncPoint | undefined
}

/** Reads the intent log beside a result log that is a file, if there is one. A line at its end that was not synced is of a call that never went out. Throws a UsageError. */
export async function readIntents(results: Log): Promise<IntentsLeft | undefined> {
  if (typeof results !== 'string') return undefined
  const path = intentLogPath(results)
  const calls = new Map<string, OrphanedCall>()
  const crcs: number[] = []
  let opening: Opening | undefined
  let [chain, log]: [number | undefined, SyncPoint | undefined] = [undefined, undefined]
  if (!(await isThere(path))) return undefined
  for await (const lines of readWholeLines(path, new LineCheck({ path, log: results })))
    for (const { line, bytes, crc } of lines) {
      crcs.push(crc)
      log = line.log ?? log
      const call = line as OrphanedCall & { readonly over?: boolean }
      if (line.rowlift !== undefined) [opening, chain] = [line as Opening, unseal(bytes)?.chain]
      else if (call.over) calls.delete(call.key)
      else calls.set(call.key, call)
    }
  return opening && { opening, calls, crcs, chain, log }
}

/** The file is rewritten once it has grown by so many characters. */
const mostGrowth = 4_000_000

export type IntentLog = Awaited<ReturnType<typeof openIntentLog>>

interface IntentLogOptions {
  readonly opening: Opening
  /** The calls of earlier runs that the result log does not have yet. */
  readonly orphans: readonly OrphanedCall[]
  /** The checksum of the last line of the result log. */
  readonly crc: number
  readonly points: SyncPoints
  readonly now: () => Date
}

/**
 * Keeps each call on disk before it goes out. A file that has grown is replaced by one with the calls in flight; at first that of an
 * earlier run is. Throws a LogError or a LockError.
 */
export async function openIntentLog(results: string, lock: Lock, options: IntentLogOptions) {
  const { opening, orphans, crc, points, now } = options
  const path = intentLogPath(results)
  const { run } = opening
  const failed = (error: unknown) => cannotWrite(path, error)
  const inFlight = new Map(orphans.map(call => [call.key, JSON.stringify(call)]))
  let generation = 0
  let room = 0
  /** Replaces the file by one with the calls in flight. Under the lock no other unfinished one is in use. */
  const replaced = async () => {
    generation += 1
    const chain = new Chain(crc)
    const first = JSON.stringify({ ...opening, generation, log: points.log })
    const lines = [first, ...inFlight.values()].map(line => chain.add(line))
    room = mostGrowth + lines.join('').length
    const replacement = { id: run, check: () => lock.check(), longestPauseMs: 0, busyMs: lock.busyMs }
    const file = await durableFile(await replaceFile(path, lines, replacement), path)
    points.intents = [generation, chain.lines, chain.crc]
    return chainedFile(file, 'intents', chain, points, generation)
  }
  let file = await replaced().catch(error => Promise.reject(failed(error)))
  const growing: Appendable = {
    async appendFile(lines) {
      room -= lines.reduce((sum, { length }) => sum + length, 0)
      if (room >= 0) return file.appendFile(lines)
      await file.close() // Windows replaces no file that is open
      file = await replaced() // the lines are of calls in flight, or obsolete
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
    /** Checks that the result log has the outcome of each call. Throws a LockError. */
    isOver() {
      lock.check()
      return inFlight.size === 0
    },
    /** Closes the file, and removes it if the run has its closing line. Throws a LogError, or a LockError and leaves the file alone. */
    async close(isClosed: boolean): Promise<void> {
      await lines.close()
      if (isClosed) await removeIntentLog(path, lock)
    },
  }
}

/** Removes an intent log whose calls are all in the result log. Throws a LogError, or a LockError if it is another run's. */
export async function removeIntentLog(path: string, lock: Lock): Promise<void> {
  const remove = () => {
    lock.check()
    rmSync(path, { force: true })
  }
  await whenFree(remove, lock).catch(error => Promise.reject(cannotWrite(path, error)))
}
