import { rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LockError } from '../../model/errors.ts'
import { whenFree } from '../../platform/busy-files.ts'
import { unseal, withChecksum } from '../../store/files/checksum.ts'
import { groupCommit, openDurableFile } from '../../store/files/durable-file.ts'
import { type Lock, lockLog } from '../../store/files/lock.ts'
import type { PendingOutcome } from './outcomes.ts'
import type { LedgerSettings } from './run.ts'

type SpoolSettings = Pick<LedgerSettings, 'clock' | 'spoolFolder' | 'name' | 'id' | 'lock'>

const ending = '.spool'

const startOf = (name: string) => `${name.replaceAll(/[^\w.-]/g, '_')}.`

/** A synced file for the outcomes of calls while the database is away. It is there only then. */
export function spoolFor({ spoolFolder, name, id, lock, clock }: SpoolSettings) {
  const lockOf = (path: string) => lockLog(path, { ...lock, clock, onWait() {}, onLost() {} })
  const path = join(spoolFolder, `${startOf(name)}${id}${ending}`)
  let file: ReturnType<typeof open> | undefined
  let closed = Promise.resolve()

  async function open() {
    await closed.catch(() => {}) // its file may be there still, and is added to
    const lock = await lockOf(path)
    const file = await openDurableFile(path, 'a')
    const appendFile = (lines: readonly string[]) =>
      file.appendFile(lines.map(line => `${withChecksum(line)}\n`).join(''))
    return { lock, lines: groupCommit({ ...file, appendFile }) }
  }

  return {
    /** Resolves once the outcome is on disk. */
    async add(pending: PendingOutcome): Promise<void> {
      file ??= open().catch(error => {
        file = undefined // the next outcome may find room
        throw error
      })
      const { lines } = await file
      await lines.append(JSON.stringify(pending))
    },
    /** `isEmpty`: the ledger has all of it. Otherwise the file stays for the next worker in this folder. */
    close(isEmpty: boolean): Promise<void> {
      const opening = file
      file = undefined
      if (opening !== undefined)
        closed = opening.then(
          async ({ lines, lock }) => {
            await lines.close()
            if (isEmpty) await remove(path, lock)
            await lock.release()
          },
          () => {},
        )
      return closed
    },
    /**
     * Hands over what dead workers of the import left in this folder; their files go once the ledger has it. Names of imports may begin
     * alike, and other ledgers may have the same: `isOfImport` knows an outcome by its run.
     */
    async adopt(
      isOfImport: (pending: PendingOutcome) => boolean,
      upload: (pending: PendingOutcome) => Promise<unknown>,
    ): Promise<void> {
      const names = await readdir(spoolFolder).catch(() => [])
      const spools = new Set(names.map(each => each.replace(/\.lock$/, ''))) // a worker may be killed before or after its spool
      for (const file of [...spools].filter(
        each => each.startsWith(startOf(name)) && each.endsWith(ending),
      )) {
        const path = join(spoolFolder, file)
        const lock = await lockOf(path).catch(error => {
          if (error instanceof LockError) return undefined // its worker lives
          throw error
        })
        if (lock === undefined) continue
        try {
          const all = await readSpool(path)
          if (!all.every(isOfImport)) continue
          await Promise.all(all.map(upload))
          await remove(path, lock)
        } finally {
          await lock.release()
        }
      }
    },
  }
}

const remove = (path: string, lock: Lock) => whenFree(() => rmSync(path, { force: true }), lock)

/** A line that is not whole was never synced: its outcome did not count. One that is there twice waited while the database went away again. */
async function readSpool(path: string): Promise<PendingOutcome[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return [...new Set(text.split('\n'))].flatMap(line =>
    unseal(Buffer.from(line)) ? (JSON.parse(line) as PendingOutcome) : [],
  )
}
