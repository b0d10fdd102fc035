import { fdatasyncSync, fstatSync, renameSync, statSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { cannotWrite, LogError } from '../../model/errors.ts'
import { whenFree } from '../../platform/busy-files.ts'
import { isSameFile } from '../../platform/file-identity.ts'
import { ownerOnly, syncFolderOf } from '../../platform/replace-file.ts'

/** A sync that takes no longer is done on this thread: to wake another one and wait for it takes longer. */
const longestOwnSyncMs = 0.5
/** Most syncs that are left to another thread before this one tries again. */
const mostInThreadPool = 256

export type DurableFile = Awaited<ReturnType<typeof durableFile>>

/** Opens a file for appending (`a`), or one that must not exist yet (`wx`). The file and its name are synced: later runs may rely on both. */
export async function openDurableFile(path: string, flags: 'a' | 'wx'): Promise<DurableFile> {
  const file = await open(path, flags, ownerOnly)
  try {
    await file.datasync()
    await syncFolderOf(path)
    return await durableFile(file, path)
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
}

/**
 * Continues a file that is open, and synced with its name. Its sync fails with a LogError once it was removed, renamed, truncated or
 * linked to: the next run would not see it.
 */
export async function durableFile(file: FileHandle, path: string) {
  let named = path
  let { size } = await file.stat()
  /** The number of the next syncs that another thread does, while this one goes on. */
  let inThreadPool = 0
  /** Their number after the next slow sync on this thread: twice as many each time. */
  let backOff = 1
  const checkName = () => {
    const now = fstatSync(file.fd, { bigint: true }) // cached by the system: cheaper than the asynchronous calls
    const atName = statSync(named, { bigint: true, throwIfNoEntry: false })
    const isNamed = atName !== undefined && isSameFile(now, atName)
    if (!isNamed || (now.isFile() && (now.size < size || now.nlink > 1)))
      throw new LogError('log_moved', { path: named })
  }
  return {
    async appendFile(text: string | Uint8Array): Promise<void> {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text
      size += bytes.length
      if (inThreadPool > 0) return file.appendFile(bytes)
      for (let written = 0; written < bytes.length; ) written += writeSync(file.fd, bytes, written)
    },

    /** Resolves at the end of a turn of the event loop if it was called at one. */
    async datasync(): Promise<void> {
      if (inThreadPool > 0) {
        inThreadPool -= 1
        await file.datasync()
        await endOfTurn()
      } else {
        const startedMs = performance.now()
        fdatasyncSync(file.fd)
        const isSlow = performance.now() - startedMs > longestOwnSyncMs
        if (isSlow) inThreadPool = backOff
        backOff = isSlow ? Math.min(2 * backOff, mostInThreadPool) : 1
      }
      checkName()
    },

    /** Renames the file, if it still has its name, in one atomic step and syncs the folder. */
    async renameTo(newName: string): Promise<void> {
      await whenFree(() => {
        checkName()
        renameSync(named, newName)
      })
      named = newName
      await syncFolderOf(newName)
    },

    /** Throws a LogError. */
    close(): Promise<void> {
      inThreadPool = Number.POSITIVE_INFINITY // what is added later is refused as the system does it
      return file.close().catch(error => Promise.reject(cannotWrite(named, error)))
    },
  }
}

/** A file that takes groups of lines without their line ends. */
export interface Appendable extends Pick<DurableFile, 'datasync' | 'close'> {
  appendFile(lines: readonly string[]): Promise<void>
}

/**
 * Appends lines, each of which is on disk before its promise resolves. Lines of one turn, or that arrive during a sync, share the next
 * sync. `failed` turns an error of the file into what its lines, and all later ones, reject with.
 */
export function groupCommit(file: Appendable, failed = (error: unknown): unknown => error) {
  let pending: string[] = []
  /** Resolves when the pending lines are on disk. */
  let nextGroup: Promise<void> | undefined
  let currentGroup: Promise<void> = Promise.resolve()

  async function writeAfter(previous: Promise<void>): Promise<void> {
    await previous
    await endOfTurn() // answers that came together share a group
    const lines = pending
    pending = []
    currentGroup = write(lines)
    nextGroup = undefined
    await currentGroup
  }

  async function write(lines: readonly string[]): Promise<void> {
    try {
      await file.appendFile(lines)
      await file.datasync()
    } catch (error) {
      throw failed(error)
    }
  }

  return {
    /** Resolves once the line is on disk. Rejects, as every later call does, when the file cannot be written. */
    append(line: string): Promise<void> {
      pending.push(line)
      nextGroup ??= writeAfter(currentGroup)
      return nextGroup
    },

    async close(): Promise<void> {
      await (nextGroup ?? currentGroup).catch(() => {})
      await file.close()
    },
  }
}
