import { UsageError } from '../../model/errors.ts'
import type { Opening } from '../lines.ts'
import type { Database } from './database.ts'
import { migrate } from './server.ts'

/** An import that is in the ledger, for commands that are no workers. */
export interface FoundImport {
  readonly database: Database
  readonly id: number
  readonly name: string
  /** Of its last run. */
  readonly opening: Opening
}

/** Throws a UsageError where there is none. */
export async function findImport(database: Database, name: string): Promise<FoundImport> {
  const [tables] = await database.query<{ run: unknown }>(`SELECT to_regclass('rowlift.run') AS run`)
  if (tables?.run) {
    await migrate(database)
    const [found] = await database.query<{ id: number; opening: string }>(
      `SELECT i.id, r.opening FROM rowlift.import i JOIN rowlift.run r ON r.import = i.id
        WHERE i.name = $1 ORDER BY r.id DESC LIMIT 1`,
      [name],
    )
    if (found !== undefined) return { database, id: found.id, name, opening: JSON.parse(found.opening) }
  }
  throw new UsageError('ledger_without_import', { ledger: database.name, import: name })
}
