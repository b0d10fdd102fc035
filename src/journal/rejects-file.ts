import { rmSync } from 'node:fs'
import { cannotWrite, LogError } from '../model/errors.ts'
import { NamedFile } from './named-file.ts'

/** What a file of rejected rows is called as long as it is not whole. */
export const unfinishedName = (path: string): string => `${path}.part`

/** So much is gathered before it is written. */
const roomChars = 65_536

/**
 * A file that is written beside its name and gets it when it is whole, so that what stood under the name is there until then, and
 * nothing half-written ever is. It is for its owner alone.
 */
export class RejectsFile {
  readonly #path: string
  readonly #file: NamedFile
  #gathered = ''
  /** Resolves when all that was handed on is written; rejects for good once something could not be. */
  #written: Promise<void> = Promise.resolve()
  /** Resolves when what is gathered now is written. */
  #next: Promise<void> | undefined
  /** Whether another run's file stands in its place by now. */
  #isTaken = false

  private constructor(path: string, file: NamedFile) {
    this.#path = path
    this.#file = file
  }

  /**
   * Begins a file with its first text. What a run that was killed left is in its way no more; a run that is writing there
   * notices. Throws what the system says where it cannot be written.
   */
  static async open(path: string, head: string): Promise<RejectsFile> {
    const unfinished = unfinishedName(path)
    rmSync(unfinished, { force: true })
    const file = await NamedFile.open(unfinished, 'wx')
    try {
      await file.appendFile(head)
      return new RejectsFile(path, file)
    } catch (error) {
      await file.close()
      rmSync(unfinished, { force: true })
      throw error
    }
  }

  /** Takes a text; gives what to wait for where the disk is behind. Rejects with a LogError. */
  add(text: string): Promise<void> | undefined {
    this.#gathered += text
    return this.#gathered.length < roomChars ? undefined : this.#write()
  }

  /** Gives the file its name, unless a part of it could not be written. Throws a LogError. */
  async close(): Promise<void> {
    try {
      await this.#write()
      await this.#file.datasync().catch(error => this.#tellTaken(error))
      await this.#file.renameTo(this.#path)
    } catch (error) {
      await this.discard()
      throw cannotWrite(this.#path, error)
    }
    await this.#file.close()
  }

  /** Leaves what stands under the name. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {})
    if (!this.#isTaken) rmSync(unfinishedName(this.#path), { force: true })
  }

  #tellTaken(error: unknown): never {
    this.#isTaken = error instanceof LogError
    throw this.#isTaken ? new LogError('rejects_moved', { path: unfinishedName(this.#path) }) : error
  }

  #write(): Promise<void> {
    this.#next ??= this.#writeAfter(this.#written)
    return this.#next
  }

  async #writeAfter(previous: Promise<void>): Promise<void> {
    await previous
    const text = this.#gathered
    this.#gathered = ''
    this.#written = this.#file.appendFile(text).catch(error => {
      throw cannotWrite(this.#path, error)
    })
    this.#next = undefined
    await this.#written
  }
}
