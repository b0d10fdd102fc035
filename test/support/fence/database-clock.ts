import type { TestDatabase } from '../postgres.ts'

/** The clock of a database that only the test moves, forwards and backwards. */
export interface DatabaseClock {
  advance(seconds: number): Promise<void>
}

/**
 * Shadows PostgreSQL's clock in a database, for connections that are opened afterwards. Its schema comes before `pg_catalog`, so that
 * statements find the function as they are.
 */
export async function ownClock({ query }: TestDatabase): Promise<DatabaseClock> {
  await query(`
    CREATE SCHEMA hands;
    CREATE TABLE hands.clock AS SELECT timestamptz '2026-11-21 08:00:00Z' AS at;
    CREATE FUNCTION hands.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT at FROM hands.clock';
    DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET search_path = hands, pg_catalog, public', current_database());
    END $$`)
  return {
    async advance(seconds) {
      await query('UPDATE hands.clock SET at = at + make_interval(secs => $1)', [seconds])
    },
  }
}
