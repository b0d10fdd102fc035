import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Appendable } from './grouped-appender.ts'

/** Files that the job writes are for their owner alone: they hold personal data. */
export const ownerOnly = 0o600

/**
 * A file that is appended to and must keep its name: what is written to a file that was removed or renamed would be
 * missed by the next run, so syncing it fails.
 */
export class NamedFile implements Appendable {
  readonly #file: FileHandle
  #path: string

  private constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  /** Opens a file for appending (`a`) or anew (`w`); a new one's folder is synced, so that it survives a lost power supply. */
  static async open(path: string, flags: 'a' | 'w'): Promise<NamedFile> {
    const file = await open(path, flags, ownerOnly)
    if ((await file.stat()).size === 0) await syncFolderOf(path)
    return new NamedFile(file, path)
  }

  appendFile(text: string): Promise<void> {
    return this.#file.appendFile(text)
  }

  async datasync(): Promise<void> {
    await this.#file.datasync()
    const [here, named] = await Promise.all([this.#file.stat(), stat(this.#path).catch(() => undefined)])
    if (here.ino !== named?.ino || here.dev !== named.dev)
      throw new Error('it was removed or renamed meanwhile')
  }

  /** Gives the file another name, in one step that is all or nothing. */
  async renameTo(path: string): Promise<void> {
    await rename(this.#path, path)
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
