import { rmSync } from 'node:fs'
import { cannotWrite, LogError } from '../model/errors.ts'
import { DurableFile, GroupCommit } from './durable-file.ts'

export const unfinishedName = (path: string): string => `${path}.part`

/** Gets its name only when it is complete: until then an older file keeps the name. It is for its owner alone. */
export class RejectsFile {
  readonly #path: string
  readonly #file: DurableFile
  readonly #lines: GroupCommit
  /** Rejects once a line could not be written. */
  #written: Promise<void> = Promise.resolve()
  /** Whether another run's file has the unfinished name by now. */
  #isTaken = false

  private constructor(path: string, file: DurableFile) {
    this.#path = path
    this.#file = file
    this.#lines = new GroupCommit(
      {
        appendFile: text => file.appendFile(text),
        datasync: async () => {}, // the whole file is synced before it gets its name
        close: async () => {},
      },
      error => cannotWrite(path, error),
    )
  }

  /** Removes what a killed run left; another run that is still writing there notices. Throws the system's error. */
  static async open(path: string, head: string): Promise<RejectsFile> {
    rmSync(unfinishedName(path), { force: true })
    const rejects = new RejectsFile(path, await DurableFile.open(unfinishedName(path), 'wx'))
    try {
      await rejects.#file.appendFile(head)
      return rejects
    } catch (error) {
      await rejects.discard()
      throw error
    }
  }

  /** Adds a line, without its line end. Resolves when it is written; rejects with a LogError. */
  add(line: string): Promise<void> {
    this.#written = this.#lines.append(line)
    return this.#written
  }

  /** Gives the file its name, unless a part of it could not be written. Throws a LogError. */
  async close(): Promise<void> {
    try {
      await this.#written
      await this.#file.datasync().catch(error => this.#rethrow(error))
      await this.#file.renameTo(this.#path)
    } catch (error) {
      await this.discard()
      throw cannotWrite(this.#path, error)
    }
    await this.#file.close()
  }

  async discard(): Promise<void> {
    await this.#file.close().catch(() => {})
    if (!this.#isTaken) rmSync(unfinishedName(this.#path), { force: true })
  }

  #rethrow(error: unknown): never {
    this.#isTaken = error instanceof LogError
    throw this.#isTaken ? new LogError('rejects_moved', { path: unfinishedName(this.#path) }) : error
  }
}
