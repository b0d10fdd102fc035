// What happens in the folders of pages besides their commands, see page-scenes.ts.
import { join } from 'node:path'
import { atEnd } from './cleanup.ts'
import { created, fillImport, makeTables } from './ledger-tables.ts'
import type { Shell } from './page-commands.ts'
import { fourContacts } from './page-files.ts'
import { blocksIn, textOf } from './pages.ts'
import { type TestDatabase, testDatabase } from './postgres.ts'
import { startProxy } from './proxy.ts'
import { outcomesIn } from './rowlift.ts'
import { startService } from './service.ts'
import { trust } from './trust.ts'

export const importContacts = 'rowlift import contacts.csv --config contacts.settings.yaml'

/** Imports contacts, so that there is a log, and gives a meaning to the id of a run that the pages show. */
export async function withLog(shell: Shell): Promise<void> {
  await shell.must(importContacts)
  await knowRun(shell, 'contacts.results.ndjson')
}

export async function knowRun(shell: Shell, log: string): Promise<void> {
  const [line] = await outcomesIn(join(shell.cwd, log))
  shell.meanings.set('01JD8', line.run)
}

/** Imports tasks, of which two are in doubt: their records are made, and their answers are lost. */
export async function withDoubts(shell: Shell): Promise<() => Promise<void>> {
  await shell.must('rowlift import tasks.csv -m tasks.yaml --config service.yaml')
  const log = await shell.read('tasks.results.ndjson')
  return () => shell.write('tasks.results.ndjson', log)
}

interface Exported {
  readonly id: string
  readonly name: string
  readonly due: string
  readonly email: string
}

/** What the service has under such names, as it would export it. */
export const recordsOf = ({ service: { made, calls } }: Shell, names: RegExp): Exported[] =>
  made
    .filter(({ name }) => names.test(name))
    .map(({ name, recordId }) => {
      // biome-ignore lint/suspicious/noExplicitAny: bodies as they arrived
      const body: any = calls.find(call => call.body.name === name)?.body
      return { id: recordId, name, due: body.date_info?.due_date ?? '', email: body.emails?.[0]?.email ?? '' }
    })

export const exportOf = (records: readonly Exported[], idColumn = 'Record Id'): string =>
  [
    `${idColumn},Name,Due,Email`,
    ...records.map(({ id, name, due, email }) => [id, name, due, email].join(',')),
    '',
  ].join('\n')

/** A database for the ledger of a page. */
export async function ledger(): Promise<TestDatabase> {
  const database = await testDatabase()
  atEnd(() => database.close())
  return database
}

export async function writeAll(
  shell: Shell,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) await shell.write(name, content)
}

/** Shows a ledger on which three workers are at work, of which one is gone. */
export async function showWorkers(shell: Shell): Promise<void> {
  const database = await ledger()
  await makeTables(database)
  const rows = [created(1), created(2), created(3), created(4)]
  const id = await fillImport(database, 'contacts', [{ run: '01M82JWZCPZM7B6G02GP7G7JM1', rows, of: 10 }])
  await database.query(`INSERT INTO rowlift.worker (import, id, name, since, seen, lease_s, rows, commits, statement_ms)
    SELECT ${id}, name, name, clock_timestamp() - interval '20 seconds', clock_timestamp() - ago, 30, rows, 5 * rows / 4.0, 38 * rows / 4.0
      FROM (VALUES ('node2-412', interval '0', 2), ('node3-87', interval '0', 1), ('node1-955', interval '60 seconds', 1)) AS w (name, ago, rows)`)
  await database.query(`UPDATE rowlift.run SET registered = clock_timestamp() - interval '2 minutes'`)
  await database.query(
    `UPDATE rowlift.chunk SET worker = 'node2-412', lease = clock_timestamp() + interval '30 seconds'`,
  )
  await shell.must(`rowlift workers --import contacts --ledger ${database.url}`)
}

/** Lets the doctor look at a service that is reached by TLS through a proxy, and at a token that others can read. */
export async function examineMachine(shell: Shell): Promise<void> {
  const [key = '', cert = ''] = ['key.pem', 'cert.pem'].map(name => textOf(`test/support/tls/${name}`))
  trust(cert)
  const { port } = await startService({ tls: { key, cert } })
  const proxy = await startProxy({ port })
  await shell.writeToken('/etc/rowlift/token', 0o644)
  shell.meanings.set('api.example.com', 'service.test')
  const [header] = fourContacts.split('\n')
  await shell.write('contacts.csv', `${header}\n${'Al,Berg,al@example.com,,\n'.repeat(120_000)}`)
  await shell.must(`export HTTPS_PROXY=${proxy.url}`)
  await shell.must(
    'rowlift doctor contacts.csv -m contacts.yaml --base-url https://service.test --organization-id 42 --token-file /etc/rowlift/token',
  )
  await shell.must('export HTTPS_PROXY=')
  await shell.write('contacts.csv', fourContacts)
}

export const withoutMappings = async (shell: Shell) => {
  for (const name of ['contacts.yaml', 'tasks.yaml']) await shell.remove(name)
}

/** Lets a dry run print each row of a file whole. */
export async function printRows(shell: Shell, file: string, text: string): Promise<void> {
  await shell.write(file, text)
  await shell.write('whole.yaml', "record: task\nbody: { name: { expr: '$string($)' } }\n")
  await shell.must(`rowlift import ${file} -m whole.yaml --dry-run --preview whole.ndjson`)
  shell.outputs.push(JSON.parse(await shell.read('whole.ndjson')).body.name)
}

/** The plan that a page shows. */
export const planIn = (page: string): string =>
  blocksIn(page, 'yaml').find(text => /^steps:/m.test(text)) ?? ''

/** Takes the end off a log, as a disk may. */
export async function damage(shell: Shell): Promise<void> {
  const log = await shell.read('contacts.results.ndjson')
  await shell.write('contacts.results.ndjson', log.slice(0, -30))
}
