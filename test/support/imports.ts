import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { pollOptions } from './polling.ts'
import { folderWith, into, outcomesIn, start } from './rowlift.ts'
import { type ServiceOptions, startService } from './service.ts'

export const contacts =
  'Name,Email\nAda,ada@example.com\nBob,nope\nCy,cy@example.com\nAda L,ada@example.com\n'
export const mapping = `
record: contact
key: Email
body:
  name: "{{Name}}"
  emails: [{ email: { from: Email, as: email, required: true } }]
`
export const taskMapping = 'record: task\nkey: Id\nbody: { name: "{{Name}}" }\n'
/** A source of so many tasks. */
export const tasks = (count: number) =>
  `Id,Name\n${Array.from({ length: count }, (_, at) => `${at + 1},Task ${at + 1}\n`).join('')}`

/** The names of their records, sorted. */
export const taskNames = (count: number) => Array.from({ length: count }, (_, at) => `Task ${at + 1}`).sort()

/** A folder with contacts, tasks and a mapping for each. */
export const files = (changes: Record<string, string | Buffer> = {}) =>
  folderWith({
    'contacts.csv': contacts,
    'map.yaml': mapping,
    'tasks.csv': tasks(5),
    'task.yaml': taskMapping,
    ...changes,
  })

/** The words of an import of a source by a mapping into a service. */
export const importOf = (source: string, map: string, url: string, ...more: string[]) => [
  'import',
  source,
  '-m',
  map,
  ...into(url),
  ...more,
]

/** So many tasks in a folder, a service for them, and the words that import them. */
export async function importing(count: number, options: ServiceOptions = {}, ...more: string[]) {
  const service = await startService(options)
  const cwd = await files({ 'tasks.csv': tasks(count) })
  const args = importOf('tasks.csv', 'task.yaml', service.url, ...more)
  return { service, cwd, args, log: join(cwd, 'results.ndjson') }
}

/** A process that imports two tasks, both calls of which hang; it holds its log. */
export async function startHanging() {
  const { service, cwd, args } = await importing(2, { react: () => ({ hang: true }) }, '--lock-timeout', '1')
  const running = start(args, { cwd, stdin: '' })
  await expect.poll(() => service.calls.length, pollOptions).toBe(2)
  return { ...running, cwd }
}

/** What became of each row, by its number. */
export const statusesIn = async (log: string) =>
  (await outcomesIn(log)).map(({ row, status }) => `${row} ${status}`)

/** The files that a run keeps next to its log. */
export const filesBesideLog = async (cwd: string) =>
  (await readdir(cwd)).filter(name => name.startsWith('results.ndjson.')).sort()
