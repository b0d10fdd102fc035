// What commands other than import do with an import in a ledger: they export it, settle its doubts, and look at its workers.
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { DurableFile } from '../journal/durable-file.ts'
import { Database } from '../journal/ledger/database.ts'
import { logTexts } from '../journal/ledger/export.ts'
import { type FoundImport, findImport } from '../journal/ledger/found-import.ts'
import { type DoubtFacts, doubtFacts, settleDoubts } from '../journal/ledger/resolve.ts'
import type { Resolution } from '../journal/resolve.ts'
import { sleep } from '../model/clock.ts'
import { cannotWrite, LogError, RowliftError, UsageError } from '../model/errors.ts'
import { describeProblem } from '../report/words.ts'
import type { ProcessInfo } from './ports.ts'
import { required } from './resolve-options.ts'

export interface LedgerPlace {
  readonly ledger: string | undefined
  readonly import: string | undefined
}

/** The first lines of a long run may be behind those of many others. */
const timeoutMs = 60_000

/** Throws a UsageError or a LogError. */
export async function withImport<T>(
  place: LedgerPlace,
  { clock }: Pick<ProcessInfo, 'clock'>,
  work: (found: FoundImport) => Promise<T>,
): Promise<T> {
  const url = required(place.ledger, 'ledger')
  const name = required(place.import, 'import')
  const database = await Database.open(url, { clock, patienceMs: timeoutMs, timeoutMs })
  try {
    return await work(await findImport(database, name))
  } catch (error) {
    if (error instanceof RowliftError || !('code' in (error as object))) throw error
    throw new LogError('ledger_away', { ledger: database.name, reason: (error as Error).message })
  } finally {
    await database.close()
  }
}

/** Writes the log of an import in one step; no file is overwritten. Throws a UsageError or a LogError. */
export async function exportTo(path: string, found: FoundImport): Promise<void> {
  if (existsSync(path)) throw new UsageError('output_exists', { path })
  const unfinished = `${path}.${ulid()}.new`
  try {
    const file = await DurableFile.open(unfinished, 'wx')
    for await (const text of logTexts(found)) await file.appendFile(text)
    await file.datasync()
    await file.renameTo(path)
    await file.close()
  } catch (error) {
    throw cannotWrite(path, error)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** Does something with the log of an import, which is a file meanwhile. Throws a UsageError or a LogError. */
export const withExport = <T>(
  place: LedgerPlace,
  info: ProcessInfo,
  work: (log: string) => Promise<T>,
): Promise<T> =>
  withImport(place, info, async found => {
    const folder = await mkdtemp(join(tmpdir(), 'rowlift-'))
    try {
      const log = join(folder, 'log.ndjson')
      await exportTo(log, found)
      return await work(log)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

/** The same, for a dry run before the first import: undefined where the ledger does not have it. */
export const withExportIfThere = <T>(
  ...[place, info, work]: Parameters<typeof withExport<T>>
): Promise<T | undefined> =>
  withExport(place, info, work).catch(error => {
    if (error instanceof UsageError && error.code === 'ledger_without_import') return undefined
    throw error
  })

/** Settles rows in doubt, those without a record once no worker can hold their calls any more. Throws a UsageError. */
export async function settleIn(
  found: FoundImport,
  settlement: Resolution,
  { upTo, heldMs }: DoubtFacts,
  { clock, onWait }: Pick<ProcessInfo, 'clock'> & { readonly onWait: (until: Date) => void },
): Promise<{ settled: number; left: number }> {
  if (settlement.recordId === undefined && heldMs > 0) {
    onWait(new Date(clock.now().getTime() + heldMs))
    await sleep(clock, heldMs)
  }
  const context = { run: ulid(), now: clock.now, describe: describeProblem }
  const settled = await settleDoubts(found, upTo, settlement, context)
  return { settled, left: (await doubtFacts(found)).count }
}
