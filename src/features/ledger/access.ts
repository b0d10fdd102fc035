import { LogError, RowliftError, UsageError } from '../../model/errors.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import type { StorePlace } from '../../run/prepare.ts'
import { required } from '../../run/resolve-options.ts'
import { Database } from './database.ts'
import type { LedgerImport } from './run.ts'
import { updateTables } from './schema.ts'

/** The first lines of a long run may be behind those of many others. */
const timeoutMs = 60_000

/** Opens an import for a command that is no worker. Throws a UsageError if there is none, or a LogError. */
export async function withImport<T>(
  place: StorePlace,
  { clock }: Pick<ProcessInfo, 'clock'>,
  work: (imported: LedgerImport) => Promise<T>,
): Promise<T> {
  const url = required(place.ledger, 'ledger')
  const name = required(place.import, 'import')
  const options = { clock, patienceMs: timeoutMs, timeoutMs }
  await using database = await Database.open(url, options, updateTables)
  try {
    return await work(await findImport(database, name))
  } catch (error) {
    if (error instanceof RowliftError || !('code' in (error as object))) throw error
    throw new LogError('ledger_away', { ledger: database.name, reason: (error as Error).message })
  }
}

async function findImport(database: Database, name: string): Promise<LedgerImport> {
  const tables = await database.query(
    `SELECT FROM pg_tables WHERE schemaname = 'rowlift' AND tablename = 'run'`,
  )
  const find = `SELECT i.id, r.opening FROM rowlift.import i JOIN rowlift.run r ON r.import = i.id
    WHERE i.name = $1 ORDER BY r.id DESC LIMIT 1`
  const [last] =
    tables.length === 0 ? [] : await database.query<{ id: number; opening: string }>(find, [name])
  if (last === undefined)
    throw new UsageError('ledger_without_import', { ledger: database.name, import: name })
  return { database, importId: last.id, name, opening: JSON.parse(last.opening) }
}
