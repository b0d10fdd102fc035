import type { FileHandle } from 'node:fs/promises'

/** What the appender needs of a file. */
export type Appendable = Pick<FileHandle, 'appendFile' | 'datasync' | 'close'>

/**
 * Appends lines to a file so that each is on disk before its promise resolves. Syncs are grouped: all that arrive
 * while one is under way share the next, so the cost is per group and not per line.
 */
export class GroupedAppender {
  readonly #file: Appendable
  #gathering: string[] = []
  /** Resolves when what is gathered now is on disk. */
  #nextGroup: Promise<void> | undefined
  #underWay: Promise<void> = Promise.resolve()

  constructor(file: Appendable) {
    this.#file = file
  }

  /** Resolves once the line is on disk; rejects, as every later call does, when the file cannot be written. */
  append(line: string): Promise<void> {
    this.#gathering.push(line)
    this.#nextGroup ??= this.#writeAfter(this.#underWay)
    return this.#nextGroup
  }

  async close(): Promise<void> {
    await (this.#nextGroup ?? this.#underWay).catch(() => {})
    await this.#file.close()
  }

  async #writeAfter(previous: Promise<void>): Promise<void> {
    await previous
    const lines = this.#gathering
    this.#gathering = []
    const written = this.#write(lines)
    this.#underWay = written
    this.#nextGroup = undefined
    await written
  }

  async #write(lines: readonly string[]): Promise<void> {
    await this.#file.appendFile(`${lines.join('\n')}\n`)
    await this.#file.datasync()
  }
}
