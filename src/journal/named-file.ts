import { fstatSync, renameSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { LogError } from '../model/errors.ts'
import type { Appendable } from './grouped-appender.ts'

/** Files that the job writes are for their owner alone: they hold personal data. */
export const ownerOnly = 0o600

/**
 * A file that is appended to and must keep its name and all that was written: the next run would miss what stands in a
 * file that was removed, renamed or cut short, so syncing such a file fails with a LogError.
 */
export class NamedFile implements Appendable {
  readonly #file: FileHandle
  #path: string
  #bytes: number

  private constructor(file: FileHandle, path: string, bytes: number) {
    this.#file = file
    this.#path = path
    this.#bytes = bytes
  }

  /** Opens a file for appending (`a`), anew (`w`), or one that is not there yet (`wx`); a new one's folder is synced, so that it survives a lost power supply. */
  static async open(path: string, flags: 'a' | 'w' | 'wx'): Promise<NamedFile> {
    const file = await open(path, flags, ownerOnly)
    const { size } = await file.stat()
    if (size === 0) await syncFolderOf(path)
    return new NamedFile(file, path, size)
  }

  appendFile(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    this.#bytes += bytes.length
    return this.#file.appendFile(bytes)
  }

  async datasync(): Promise<void> {
    await this.#file.datasync()
    const here = fstatSync(this.#file.fd) // kept by the system, so that asking it costs less than asking in the background
    const named = statSync(this.#path, { throwIfNoEntry: false })
    const isThere = here.ino === named?.ino && here.dev === named.dev
    if (!isThere || (here.isFile() && here.size < this.#bytes))
      throw new LogError('log_moved', { path: this.#path })
  }

  /** Gives the file another name at once, in one step that is all or nothing. */
  async renameTo(path: string): Promise<void> {
    renameSync(this.#path, path)
    this.#path = path
    await syncFolderOf(path)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** Lets the names in a folder survive a lost power supply. */
async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}
