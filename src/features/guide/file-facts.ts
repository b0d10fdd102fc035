import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { CliContext } from '../../cli/context.ts'
import type { LogPart } from '../../result/facts.ts'
import { watchingOf } from '../../run/logs.ts'
import { logPart } from '../../run/page.ts'
import { lockTimeout } from '../../settings/options.ts'
import { rowsOf } from './corrections.ts'

/** A longer file is read in the background, and its last facts are shown until then. */
const longBytes = 5_000_000

interface Kept {
  readonly stamp: string
  value: unknown
  reading?: Promise<void>
}

/** Facts of files that the page shows all the time, read again only if a file has changed. */
export class FileFacts {
  readonly #context: CliContext
  readonly #kept = new Map<string, Kept>()

  constructor(context: CliContext) {
    this.#context = context
  }

  /** Facts of a log; undefined if there is none, or it cannot be read. The log of a run that is under way is not read. */
  log(path: string, isUnderWay = false): Promise<LogPart | undefined> {
    const watching = watchingOf(this.#context, lockTimeout.default)
    return this.#factsOf(path, isUnderWay, () => logPart(path, basename(path), watching))
  }

  /** The rows of a file of rejected or corrected rows; undefined if there is none. */
  rows = (path: string): Promise<number | undefined> =>
    this.#factsOf(path, false, async () => (await rowsOf(path)).length)

  async #factsOf<T>(path: string, isUnderWay: boolean, read: () => Promise<T>): Promise<T | undefined> {
    const before = this.#kept.get(path)
    const file = await stat(path).catch(() => undefined)
    if (file === undefined) return undefined
    const stamp = `${file.size} ${file.mtimeMs} ${file.ino}`
    const isKnown = before !== undefined && (isUnderWay || before.stamp === stamp)
    const kept: Kept = isKnown ? before : { stamp, value: before?.value }
    const take = (value?: T) => {
      kept.value = value
    }
    kept.reading ??= read().then(take, () => take())
    this.#kept.set(path, kept)
    if (file.size < longBytes) await kept.reading
    return kept.value as T | undefined
  }
}
