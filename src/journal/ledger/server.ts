import { UsageError } from '../../model/errors.ts'
import type { Database, Query } from './database.ts'
import { migrations } from './schema.ts'

/** What a commit needs to be on disk; anything else is refused. */
const safe: Readonly<Record<string, readonly string[]>> = {
  fsync: ['on'],
  full_page_writes: ['on'],
  synchronous_commit: ['on', 'local', 'remote_write', 'remote_apply'],
  server_encoding: ['UTF8'],
  transaction_read_only: ['off'],
}

const oldestVersion = 130_000

/** Throws a UsageError where the server may forget commits, or is too old. */
export async function checkServer({ query, name }: Database): Promise<void> {
  const settings = ['server_version_num', ...Object.keys(safe)]
  const [found = {}] = await query<Record<string, string>>(
    `SELECT ${settings.map(setting => `current_setting('${setting}') AS ${setting}`).join(', ')}`,
  )
  if (Number(found.server_version_num) < oldestVersion)
    throw new UsageError('ledger_too_old', { ledger: name, version: String(found.server_version_num) })
  for (const [setting, values] of Object.entries(safe))
    if (!values.includes(found[setting] ?? ''))
      throw new UsageError('ledger_unsafe', { ledger: name, setting, value: String(found[setting]) })
}

/** Any number, the same for all workers. */
const migrationLock = 7_246_151

/** Brings the tables to this version, one worker at a time. Throws a UsageError. */
export async function migrate(database: Database): Promise<void> {
  try {
    if ((await versionOf(database.query)) === migrations.length) return
    await database.transaction(async query => {
      await query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
      const version = await versionOf(query)
      if (version > migrations.length)
        throw new UsageError('ledger_newer', { ledger: database.name, version })
      if (version === 0)
        await query('CREATE SCHEMA IF NOT EXISTS rowlift').then(() =>
          query('CREATE TABLE rowlift.version AS SELECT 0 AS version'),
        )
      for (const migration of migrations.slice(version)) await query(migration)
      await query('UPDATE rowlift.version SET version = $1', [migrations.length])
    })
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error
    throw new UsageError('ledger_refused', { ledger: database.name, reason: (error as Error).message })
  }
}

/** 0 where there are no tables yet. */
async function versionOf(query: Query): Promise<number> {
  // to_regclass may not see what another worker has just made
  const [there] = await query(
    `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'rowlift' AND c.relname = 'version'`,
  )
  if (there === undefined) return 0
  const [row] = await query<{ version: number }>('SELECT version FROM rowlift.version')
  return row?.version ?? 0
}
