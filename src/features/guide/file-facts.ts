import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { CliContext } from '../../cli/context.ts'
import type { LogPart } from '../../result/facts.ts'
import { watchingOf } from '../../run/logs.ts'
import { logPart } from '../../run/page.ts'
import { lockTimeout } from '../../settings/options.ts'
import { rowsOf } from './corrections.ts'
import { stampOf } from './mappings.ts'
import { keeping } from './sources.ts'

/** A longer file is read in the background, and its last facts are shown until then. */
const longBytes = 5_000_000

/** Facts of files that the page shows all the time, read again only if a file has changed. */
export class FileFacts {
  readonly #context: CliContext
  readonly #readings = keeping<void>()
  readonly #last = new Map<string, unknown>()

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
    const stamp = await stampOf(path)
    if (stamp === undefined) return undefined
    const take = (value?: T) => void this.#last.set(path, value)
    const begin = () => read().then(take, () => take())
    const isKnown = isUnderWay && this.#last.has(path)
    const reading = isKnown ? undefined : this.#readings(`${path} ${stamp}`, begin)
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (size < longBytes) await reading
    return this.#last.get(path) as T | undefined
  }
}
