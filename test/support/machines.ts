import type { TestDatabase } from './postgres.ts'
import { folderWith } from './rowlift.ts'
import type { Service } from './service.ts'

/** The words of an import that several machines share. */
export const sharing = (service: Pick<Service, 'url'>, ledger: string, name: string, ...more: string[]) => [
  ...['import', 'tasks.csv', '-m', 'task.yaml', '--base-url', service.url, '--organization-id', '7'],
  ...['--ledger', ledger, '--import', name, ...more],
]

/** A folder as each machine has it: its own copy of the source and the mapping. */
export const machine = (source: string, mapping: string) =>
  folderWith({ 'tasks.csv': source, 'task.yaml': mapping })

/** Counts the lines of each status that the ledger has of an import. */
export const statusesOf = async (database: TestDatabase, name: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await database.query(
        `SELECT l.status, count(*)::int AS count FROM rowlift.line l JOIN rowlift.run r ON r.id = l.run
           JOIN rowlift.import i ON i.id = r.import WHERE i.name = $1 GROUP BY l.status`,
        [name],
      )
    ).map(({ status, count }) => [status, count]),
  )
