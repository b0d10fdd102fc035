// The tables of a ledger, and the demands on its server. Workers begin with `openDatabase`, other commands with `withImport`; the
// tables are at the end.
import { LogError, RowliftError, UsageError } from '../../model/errors.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import type { StorePlace } from '../../run/prepared-import.ts'
import { required } from '../../run/resolve-options.ts'
import { connect, type Database, type DatabaseOptions } from './database.ts'
import type { Query } from './query.ts'
import type { LedgerImport } from './run.ts'

/** Connects, and makes the tables ready. Throws a UsageError or a LogError. */
export const openDatabase = (url: string, options: DatabaseOptions): Promise<Database> =>
  connect(url, options, async database => {
    await checkServer(database)
    await migrate(database)
  })

/** The first lines of a long run may have to wait for those of many others. */
const timeoutMs = 60_000

/** Opens an import for a command that is no worker. Throws a UsageError if there is none, or a LogError. */
export const withImport = <T>(
  place: StorePlace,
  info: Pick<ProcessInfo, 'clock'>,
  work: (imported: LedgerImport) => Promise<T>,
): Promise<T> =>
  withLedger(place, info, async database => {
    const name = required(place.import, 'import')
    const found = (await hasTables(database)) ? await findImport(database, name) : undefined
    if (found === undefined)
      throw new UsageError('ledger_without_import', { ledger: database.name, import: name })
    return work(found)
  })

/** Finds an import that has a run. */
export async function findImport(database: Database, name: string): Promise<LedgerImport | undefined> {
  const [last] = await database.query<{ id: number; opening: string }>(
    `SELECT i.id, r.opening FROM rowlift.import i JOIN rowlift.run r ON r.import = i.id
      WHERE i.name = $1 ORDER BY r.id DESC LIMIT 1`,
    [name],
  )
  return last && { database, importId: last.id, name, opening: JSON.parse(last.opening) }
}

/** Opens a ledger for a command that is no worker. Throws a UsageError or a LogError. */
export async function withLedger<T>(
  place: StorePlace,
  { clock }: Pick<ProcessInfo, 'clock'>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const url = required(place.ledger, 'ledger')
  const options = { clock, patienceMs: timeoutMs, timeoutMs }
  await using database = await connect(url, options, async database => {
    if (await hasTables(database)) await migrate(database)
  })
  try {
    return await work(database)
  } catch (error) {
    if (error instanceof RowliftError || !('code' in (error as object))) throw error
    throw new LogError('ledger_away', { ledger: database.name, reason: (error as Error).message })
  }
}

/** Settings that a commit needs to be on disk; anything else is refused. */
const safe: Readonly<Record<string, readonly string[]>> = {
  fsync: ['on'],
  full_page_writes: ['on'],
  synchronous_commit: ['on', 'local', 'remote_write', 'remote_apply'],
  server_encoding: ['UTF8'],
  transaction_read_only: ['off'],
}

const oldestVersion = 130_000

/** Throws a UsageError if the server may forget commits, or is too old. */
async function checkServer({ query, name }: Database): Promise<void> {
  const columns = ['server_version_num', ...Object.keys(safe)].map(
    each => `current_setting('${each}') AS ${each}`,
  )
  const [settings = {}] = await query<Record<string, string>>(`SELECT ${columns.join(', ')}`)
  const version = String(settings.server_version_num)
  if (Number(version) < oldestVersion) throw new UsageError('ledger_too_old', { ledger: name, version })
  for (const [setting, values] of Object.entries(safe))
    if (!values.includes(settings[setting] ?? ''))
      throw new UsageError('ledger_unsafe', { ledger: name, setting, value: String(settings[setting]) })
}

/** Any number, the same for all workers. */
const migrationLock = 7_246_151

/** An index on ten million entries. */
const migrationMs = 600_000

/** Migrates the tables to this version, one worker at a time. Throws a UsageError. */
async function migrate(database: Database): Promise<void> {
  if ((await versionOf(database)) === migrations.length) return
  await database.transaction(async query => {
    await query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
    const version = await versionOf({ query, name: database.name })
    if (version > migrations.length) throw new UsageError('ledger_newer', { ledger: database.name, version })
    if (version === 0) await query('CREATE SCHEMA IF NOT EXISTS rowlift')
    if (version === 0) await query('CREATE TABLE rowlift.version AS SELECT 0 AS version')
    for (const migration of migrations.slice(version)) await query(migration, [], migrationMs)
    await query('UPDATE rowlift.version SET version = $1', [migrations.length])
  })
}

export const hasTables = async (database: Database) => (await versionOf(database)) > 0

/** Returns 0 if there are no tables yet: to_regclass may not see what another worker has just made. Throws a UsageError if others are there. */
async function versionOf({ query, name }: { query: Query; name: string }): Promise<number> {
  const rows = await query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'rowlift' ORDER BY 1`,
  )
  const tables = rows.map(row => row.name)
  if (tables.length === 0) return 0
  if (!firstTables.every(table => tables.includes(table)))
    throw new UsageError('ledger_of_another', { ledger: name, tables })
  const [row] = await query<{ version: number }>('SELECT version FROM rowlift.version')
  return row?.version ?? 0
}

/**
 * The tables, in the schema `rowlift`: each step takes the schema from the version before it; the first makes everything. Never change one
 * that was released. Digests are the first 16 bytes of a SHA-256: keys may be long, or hold what PostgreSQL does not take. Texts are
 * JSON, which escapes such signs.
 */
export const migrations: readonly string[] = [
  `
CREATE TABLE rowlift.import (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);
-- One run reads its sources to their end once. Workers join the last one of the import until it has ended.
CREATE TABLE rowlift.run (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  import int NOT NULL REFERENCES rowlift.import ON DELETE CASCADE,
  run text NOT NULL,                -- the id in the lines of the log
  opening text NOT NULL,            -- the opening line of the log
  sources jsonb NOT NULL,           -- [{ name, size, sha256, rows, reading }]
  rows bigint NOT NULL,
  wave int NOT NULL DEFAULT 0,
  is_last_wave boolean NOT NULL DEFAULT false,
  rows_left bigint,                 -- that the waves before this one left
  registered timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended timestamptz,
  closing text                      -- the closing line; none if the run was given up for a new one
);
CREATE UNIQUE INDEX run_open ON rowlift.run (import) WHERE ended IS NULL;
CREATE TABLE rowlift.chunk (
  run int NOT NULL REFERENCES rowlift.run ON DELETE CASCADE,
  no int NOT NULL,
  source int NOT NULL,
  at bigint NOT NULL,               -- bytes into the text of the source
  first_row int NOT NULL,
  first_line int NOT NULL,
  rows int NOT NULL,
  wave int NOT NULL DEFAULT 0,
  is_done boolean NOT NULL DEFAULT false,
  rows_left int NOT NULL DEFAULT 0, -- that its last pass left for the next wave
  unlogged jsonb,                   -- rows of its last pass that have no line, by what became of them
  epoch int NOT NULL DEFAULT 0,
  lease timestamptz,                -- until when; none while it is free
  worker text,
  attempt_s real,                   -- how long a call of that worker may take
  PRIMARY KEY (run, no)
) WITH (fillfactor = 50);
-- What is known of a key, and its intent. One row per key: only who inserts or takes it over may send.
CREATE TABLE rowlift.entry (
  import int NOT NULL,
  name bytea NOT NULL,              -- the digest of the key
  state "char" NOT NULL,            -- f free, o open intent, d in doubt, r refused, s settled
  run int,                          -- whose row sent it last, and which row that is
  chunk int,
  epoch int,
  source int,
  row int,
  line bigint,                      -- its last line
  held_until timestamptz,           -- of a doubt: until then a worker may still hold its call
  intent text,                      -- of an open intent: the line of the intent log
  PRIMARY KEY (import, name)
) WITH (fillfactor = 80);
CREATE INDEX entry_open ON rowlift.entry (run, chunk) WHERE state = 'o';
CREATE INDEX entry_doubt ON rowlift.entry (import) WHERE state = 'd';
-- The lines of the result log, as an export has them.
CREATE TABLE rowlift.line (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run int NOT NULL,
  chunk int,                        -- none in lines by hand
  row int,
  status text NOT NULL,
  line text NOT NULL
);
CREATE INDEX line_chunk ON rowlift.line (run, chunk);
-- Which row has a record: no two have the same.
CREATE TABLE rowlift.record (
  import int NOT NULL,
  id bytea NOT NULL,                -- the digest of its id
  name bytea NOT NULL,              -- of the entry
  source int NOT NULL,
  row int NOT NULL,
  run int NOT NULL,
  PRIMARY KEY (import, id)
);
-- The names by which rows refer to each other.
CREATE TABLE rowlift.reference (
  import int NOT NULL,
  col text NOT NULL,
  value bytea NOT NULL,             -- the digest of the name without case and outer blanks
  exact bytea NOT NULL,             -- the digest of the name
  name bytea NOT NULL,              -- of the entry
  run int NOT NULL,
  source int NOT NULL,
  row int NOT NULL,
  PRIMARY KEY (import, col, value, name)
);
CREATE TABLE rowlift.pace (
  import int PRIMARY KEY REFERENCES rowlift.import ON DELETE CASCADE,
  next_start timestamptz NOT NULL DEFAULT clock_timestamp(), -- when the next block of starts begins
  held_until timestamptz,           -- no call starts before
  cuts bigint NOT NULL DEFAULT 0    -- how often a worker was throttled
);
CREATE TABLE rowlift.worker (
  import int NOT NULL REFERENCES rowlift.import ON DELETE CASCADE,
  id text NOT NULL,
  name text NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen timestamptz NOT NULL DEFAULT clock_timestamp(),
  lease_s real NOT NULL,
  rows bigint NOT NULL DEFAULT 0,   -- that it settled
  PRIMARY KEY (import, id)
);
CREATE FUNCTION rowlift.drop_import(dropped text) RETURNS void LANGUAGE sql AS $$
  DELETE FROM rowlift.entry WHERE import = (SELECT id FROM rowlift.import WHERE name = dropped);
  DELETE FROM rowlift.record WHERE import = (SELECT id FROM rowlift.import WHERE name = dropped);
  DELETE FROM rowlift.reference WHERE import = (SELECT id FROM rowlift.import WHERE name = dropped);
  DELETE FROM rowlift.line WHERE run IN
    (SELECT id FROM rowlift.run WHERE import = (SELECT id FROM rowlift.import WHERE name = dropped));
  DELETE FROM rowlift.import WHERE name = dropped;
$$;
`,
  `
-- No index asks for the state of an entry: as long as nothing that is indexed changes, an outcome takes the place of its intent on the
-- same page, and no index is written. What was never in doubt was never held.
DROP INDEX rowlift.entry_open, rowlift.entry_doubt;
CREATE INDEX entry_chunk ON rowlift.entry (run, chunk);
UPDATE rowlift.entry SET held_until = clock_timestamp() WHERE state = 'd' AND held_until IS NULL;
CREATE INDEX entry_doubt ON rowlift.entry (import) WHERE held_until IS NOT NULL;
ALTER TABLE rowlift.worker
  ADD commits bigint NOT NULL DEFAULT 0,
  ADD statement_ms bigint NOT NULL DEFAULT 0; -- how long its statements took, as it sees it
ALTER TABLE rowlift.pace ADD level float8 NOT NULL DEFAULT 1; -- the share of --concurrency that is enough for the service
`,
]

const firstTables = [
  'version',
  ...[...String(migrations[0]).matchAll(/CREATE TABLE rowlift\.(\w+)/g)].map(([, name = '']) => name),
]
