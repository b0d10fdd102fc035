import { fdatasyncSync, fstatSync, renameSync, statSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { cannotWrite, LogError } from '../../model/errors.ts'
import { ownerOnly, syncFolderOf } from '../../platform/replace-file.ts'

/** A sync that takes no longer is done on this thread: to wake another one and wait for it takes longer. */
const longestOwnSyncMs = 0.5
/** Most syncs that are left to another thread before this one tries again. */
const mostInThreadPool = 256

/** A file whose sync fails with a LogError once it was removed, renamed, truncated or linked to: the next run would not see it. */
export class DurableFile {
  readonly #file: FileHandle
  #path: string
  #bytes: number
  /** The number of the next syncs that another thread does, while this one goes on. */
  #inThreadPool = 0
  /** Their number after the next slow sync on this thread: twice as many each time. */
  #backOff = 1

  private constructor(file: FileHandle, path: string, bytes: number) {
    this.#file = file
    this.#path = path
    this.#bytes = bytes
  }

  /** Opens a file for appending (`a`), or one that must not exist yet (`wx`). The file and its name are synced: later runs may rely on both. */
  static async open(path: string, flags: 'a' | 'wx'): Promise<DurableFile> {
    const file = await open(path, flags, ownerOnly)
    try {
      await file.datasync()
      await syncFolderOf(path)
      return await DurableFile.of(file, path)
    } catch (error) {
      await file.close().catch(() => {})
      throw error
    }
  }

  /** Continues a file that is open, and synced with its name. */
  static async of(file: FileHandle, path: string): Promise<DurableFile> {
    const { size } = await file.stat()
    return new DurableFile(file, path, size)
  }

  async appendFile(text: string | Uint8Array): Promise<void> {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    this.#bytes += bytes.length
    if (this.#inThreadPool > 0) return this.#file.appendFile(bytes)
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file.fd, bytes, written)
  }

  /** Resolves at the end of a turn of the event loop if it was called at one. */
  async datasync(): Promise<void> {
    if (this.#inThreadPool > 0) {
      this.#inThreadPool -= 1
      await this.#file.datasync()
      await endOfTurn()
    } else {
      const startedMs = performance.now()
      fdatasyncSync(this.#file.fd)
      const isSlow = performance.now() - startedMs > longestOwnSyncMs
      if (isSlow) this.#inThreadPool = this.#backOff
      this.#backOff = isSlow ? Math.min(2 * this.#backOff, mostInThreadPool) : 1
    }
    const open = fstatSync(this.#file.fd) // cached by the system: cheaper than the asynchronous calls
    const named = statSync(this.#path, { throwIfNoEntry: false })
    const isNamed = open.ino === named?.ino && open.dev === named.dev
    if (!isNamed || (open.isFile() && (open.size < this.#bytes || open.nlink > 1)))
      throw new LogError('log_moved', { path: this.#path })
  }

  /** Renames the file in one atomic step and syncs the folder. */
  async renameTo(path: string): Promise<void> {
    renameSync(this.#path, path)
    this.#path = path
    await syncFolderOf(path)
  }

  /** Throws a LogError. */
  close(): Promise<void> {
    this.#inThreadPool = Number.POSITIVE_INFINITY // what is added later is refused as the system does it
    return this.#file.close().catch(error => Promise.reject(cannotWrite(this.#path, error)))
  }
}

export interface Appendable extends Pick<DurableFile, 'datasync' | 'close'> {
  appendFile(text: string): Promise<void>
}

/** Appends lines, each of which is on disk before its promise resolves. Lines of one turn, or that arrive during a sync, share the next sync. */
export class GroupCommit {
  readonly #file: Appendable
  readonly #failed: (error: unknown) => unknown
  #pending = ''
  /** Resolves when the pending lines are on disk. */
  #nextGroup: Promise<void> | undefined
  #currentGroup: Promise<void> = Promise.resolve()

  /** `failed` turns an error of the file into what its lines, and all later ones, reject with. */
  constructor(file: Appendable, failed = (error: unknown): unknown => error) {
    this.#file = file
    this.#failed = failed
  }

  /** Resolves once the line is on disk. Rejects, as every later call does, when the file cannot be written. */
  append(line: string): Promise<void> {
    this.#pending += `${line}\n`
    this.#nextGroup ??= this.#writeAfter(this.#currentGroup)
    return this.#nextGroup
  }

  async close(): Promise<void> {
    await (this.#nextGroup ?? this.#currentGroup).catch(() => {})
    await this.#file.close()
  }

  async #writeAfter(previous: Promise<void>): Promise<void> {
    await previous
    await endOfTurn() // answers that came together share a group
    const text = this.#pending
    this.#pending = ''
    this.#currentGroup = this.#write(text)
    this.#nextGroup = undefined
    await this.#currentGroup
  }

  async #write(text: string): Promise<void> {
    try {
      await this.#file.appendFile(text)
      await this.#file.datasync()
    } catch (error) {
      throw this.#failed(error)
    }
  }
}
