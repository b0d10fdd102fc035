import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { CliContext } from '../../cli/context.ts'
import type { LogPart } from '../../result/facts.ts'
import { watchingOf } from '../../run/logs.ts'
import { logPart } from '../../run/page.ts'
import { lockTimeout } from '../../settings/options.ts'
import type { FileState } from './api.ts'
import { rowsIn } from './corrections.ts'

/** A longer log is read in the background, and its last facts are shown until then. */
const longBytes = 5_000_000

interface Kept {
  readonly stamp: string
  readonly reading: Promise<unknown>
  /** Facts of an earlier stamp while it is read. */
  value: unknown
}

/** Facts of files that the page shows all the time, read again only if a file has changed. */
export class FileFacts {
  readonly #context: CliContext
  readonly #kept = new Map<string, Kept>()

  constructor(context: CliContext) {
    this.#context = context
  }

  /** Facts of a log; undefined if there is none, or it cannot be read. The log of a run that is under way is not read. */
  log(path: string, isRunning = false): Promise<LogPart | undefined> {
    const watching = watchingOf(this.#context, lockTimeout.default)
    return this.#factsOf(path, () => logPart(path, basename(path), watching), isRunning)
  }

  async #factsOf<T>(path: string, read: () => Promise<T>, isRunning = false): Promise<T | undefined> {
    const before = this.#kept.get(path)
    if (isRunning && before !== undefined) return before.value as T | undefined
    const file = await stat(path).catch(() => undefined)
    if (file === undefined) {
      this.#kept.delete(path)
      return undefined
    }
    const stamp = `${file.size} ${file.mtimeMs} ${file.ino}`
    if (before?.stamp !== stamp) {
      const kept: Kept = { stamp, value: before?.value, reading: Promise.resolve() }
      const reading = read()
        .catch(() => undefined)
        .then(value => {
          kept.value = value
        })
      this.#kept.set(path, Object.assign(kept, { reading }))
    }
    const kept = this.#kept.get(path)
    if (file.size < longBytes) await kept?.reading
    return kept?.value as T | undefined
  }

  rows = (path: string): Promise<number | undefined> => this.#factsOf(path, () => rowsIn(path))

  async logState(path: string, isRunning: boolean): Promise<FileState['log']> {
    const part = await this.log(path, isRunning)
    if (part === undefined) return null
    const { created, existing, merged, invalid, failed, in_doubt: inDoubt } = part.counts
    return { name: basename(path), records: created + existing + merged, invalid, failed, inDoubt }
  }

  async corrected(path: string): Promise<FileState['corrected']> {
    const rows = await this.rows(path)
    return rows ? { name: basename(path), rows } : null
  }
}
