import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LockError } from '../../model/errors.ts'
import { isIntact, withChecksum } from '../../store/files/checksum.ts'
import { DurableFile, GroupCommit } from '../../store/files/durable-file.ts'
import { type Lock, type LockOptions, lockLog } from '../../store/files/lock.ts'
import type { PendingOutcome } from './outcomes.ts'

export interface SpoolSettings {
  readonly spoolFolder: string
  /** The name of the import; it need not be a file name. */
  readonly name: string
  /** The id of this worker. */
  readonly id: string
  /** How a spool is locked. */
  readonly lock: LockOptions
}

interface OpenFile {
  readonly lines: GroupCommit
  readonly lock: Lock
}

const ending = '.spool'

const startOf = (name: string) => `${name.replaceAll(/[^\w.-]/g, '_')}.`

/** A synced file for the outcomes of calls while the database is away. It is there only then. */
export class Spool {
  readonly path: string
  readonly #lockOptions: LockOptions
  #open: Promise<OpenFile> | undefined
  #closed: Promise<void> = Promise.resolve()

  constructor({ spoolFolder, name, id, lock }: SpoolSettings) {
    this.path = join(spoolFolder, `${startOf(name)}${id}${ending}`)
    this.#lockOptions = lock
  }

  get isInUse(): boolean {
    return this.#open !== undefined
  }

  /** Resolves once the outcome is on disk. */
  async add(pending: PendingOutcome): Promise<void> {
    this.#open ??= this.#begin().catch(error => {
      this.#open = undefined // the next outcome may find room
      throw error
    })
    const { lines } = await this.#open
    await lines.append(withChecksum(JSON.stringify(pending)))
  }

  async #begin() {
    await this.#closed.catch(() => {}) // its file may be there still, and is added to
    const lock = await lockLog(this.path, this.#lockOptions)
    return { lock, lines: new GroupCommit(await DurableFile.open(this.path, 'a')) }
  }

  /** `isEmpty`: the ledger has all of it. Otherwise the file stays for the next worker in this folder. */
  close(isEmpty: boolean): Promise<void> {
    const open = this.#open
    this.#open = undefined
    if (open !== undefined) this.#closed = this.#end(open, isEmpty)
    return this.#closed
  }

  async #end(opening: Promise<OpenFile>, isEmpty: boolean): Promise<void> {
    const open = await opening.catch(() => undefined)
    await open?.lines.close()
    if (isEmpty && open !== undefined) await rm(this.path, { force: true })
    await open?.lock.release()
  }
}

interface Adoption {
  readonly isOurs: (pending: PendingOutcome) => boolean
  readonly upload: (pending: PendingOutcome) => Promise<unknown>
}

/**
 * Hands over what dead workers of the import left in this folder; their files go once the ledger has it. Names of imports may begin
 * alike, and other ledgers may have the same: `isOurs` knows an outcome by its run.
 */
export async function adoptSpools(
  { spoolFolder, name, lock: lockOptions }: SpoolSettings,
  { isOurs, upload }: Adoption,
): Promise<void> {
  const names = await readdir(spoolFolder).catch(() => [])
  const spools = new Set(names.map(each => each.replace(/\.lock$/, ''))) // a worker may be killed before or after its spool
  for (const file of [...spools].filter(each => each.startsWith(startOf(name)) && each.endsWith(ending))) {
    const path = join(spoolFolder, file)
    const lock = await lockLog(path, lockOptions).catch(error => {
      if (error instanceof LockError) return undefined // its worker lives
      throw error
    })
    if (lock === undefined) continue
    try {
      const all = await readSpool(path)
      if (!all.every(isOurs)) continue
      await Promise.all(all.map(upload))
      await rm(path, { force: true })
    } finally {
      await lock.release()
    }
  }
}

/** A line that is not whole was never synced: its outcome did not count. One that stands there twice waited while the database went away again. */
async function readSpool(path: string): Promise<PendingOutcome[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return [...new Set(text.split('\n'))].flatMap(line =>
    isIntact(Buffer.from(line)) ? (JSON.parse(line) as PendingOutcome) : [],
  )
}
