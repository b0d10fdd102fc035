import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importOf } from './imports.ts'
import { startCheckingService } from './references.ts'
import { folderWith, linesOf, rowlift } from './rowlift.ts'
import type { ServiceOptions } from './service.ts'

/** A mapping of tasks whose parents are rows of the same source. */
export const treeMapping = `
record: task
key: Id
lookups: { parents: { self: true, by: Id } }
body:
  name: { from: Name, required: true }
  parent: { record_id: { from: Parent, lookup: parents } }
`

/** Sets up an import of rows that refer to each other; the service refuses references to unknown records. */
export async function importTree(csv: string, options: ServiceOptions = {}, mapping = treeMapping) {
  const service = await startCheckingService(options)
  const cwd = await folderWith({ 'rows.csv': csv, 'm.yaml': mapping })
  const log = join(cwd, 'results.ndjson')
  const args = importOf('rows.csv', 'm.yaml', service.url)
  const run = (...more: string[]) => rowlift([...args, ...more], { cwd })
  const write = (text: string, file = 'rows.csv') => writeFile(join(cwd, file), text)
  return { service, cwd, log, args, run, write }
}

/** The final status of each key in the log. */
export async function finalStatuses(log: string): Promise<Record<string, string>> {
  const lines = linesOf(await readFile(log, 'utf8'))
  const ends = lines.filter(({ status }) => status !== undefined && status !== 'duplicate')
  return Object.fromEntries(ends.map(({ key, status }) => [key, status]))
}
