// How commands other than import find an import in a ledger, and what reads its log.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { Database } from '../journal/ledger/database.ts'
import { logTexts } from '../journal/ledger/export.ts'
import { type FoundImport, findImport } from '../journal/ledger/found-import.ts'
import { replaceFile } from '../journal/replace-file.ts'
import { cannotWrite, LogError, RowliftError, UsageError } from '../model/errors.ts'
import type { ProcessInfo } from './ports.ts'
import { required } from './resolve-options.ts'
import type { ImportSettings } from './settings.ts'

type LedgerPlace = Pick<ImportSettings, 'ledger' | 'import'>

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
  const unlocked = { check() {} }
  try {
    await (await replaceFile(path, ulid(), logTexts(found), unlocked)).close()
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** Does something with the log of an import, which is a file meanwhile; undefined where the ledger has none. Throws a UsageError or a LogError. */
export const withExport = <T>(
  place: LedgerPlace,
  info: ProcessInfo,
  work: (log: string) => Promise<T>,
): Promise<T | undefined> =>
  withImport(place, info, async found => {
    const folder = await mkdtemp(join(tmpdir(), 'rowlift-'))
    try {
      const log = join(folder, 'log.ndjson')
      await exportTo(log, found)
      return await work(log)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }).catch(error => {
    if (error instanceof UsageError && error.code === 'ledger_without_import') return undefined
    throw error
  })
