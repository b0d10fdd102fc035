import { join } from 'node:path'
import { atEnd } from './cleanup.ts'
import { created, fillImport, makeTables } from './ledger-tables.ts'
import type { Shell } from './page-commands.ts'
import { planFiles } from './page-files.ts'
import { blocksIn, mappingsIn, textOf } from './pages.ts'
import { type TestDatabase, testDatabase } from './postgres.ts'
import { startProxy } from './proxy.ts'
import { outcomesIn } from './rowlift.ts'
import { startService } from './service.ts'
import { trust } from './trust.ts'

/**
 * What happens in the folder of a page besides its commands, by the beginning of the command or shown output before which it happens;
 * at the start, where that is empty.
 */
export type Scene = Readonly<Record<string, (shell: Shell) => Promise<unknown>>>

const importContacts = 'rowlift import contacts.csv --config contacts.settings.yaml'

/** Imports contacts, so that there is a log, and gives a meaning to the id of a run that the pages show. */
async function withLog(shell: Shell): Promise<void> {
  await shell.must(importContacts)
  await knowRun(shell, 'contacts.results.ndjson')
}

async function knowRun(shell: Shell, log: string): Promise<void> {
  const [line] = await outcomesIn(join(shell.cwd, log))
  shell.meanings.set('01JD8', line.run)
}

/** Imports tasks, of which two are in doubt: their records are made, and their answers are lost. */
async function withDoubts(shell: Shell): Promise<() => Promise<void>> {
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

/** What the service has, as it would export it. */
const recordsOf = ({ service: { made, calls } }: Shell): Exported[] =>
  made.map(({ name, recordId }) => {
    // biome-ignore lint/suspicious/noExplicitAny: bodies as they arrived
    const body: any = calls.find(call => call.body.name === name)?.body
    return { id: recordId, name, due: body.date_info?.due_date ?? '', email: body.emails?.[0]?.email ?? '' }
  })

const exportOf = (records: readonly Exported[], idColumn = 'Record Id'): string =>
  [
    `${idColumn},Name,Due,Email`,
    ...records.map(({ id, name, due, email }) => [id, name, due, email].join(',')),
    '',
  ].join('\n')

/** A database for the ledger of a page. */
async function ledger(): Promise<TestDatabase> {
  const database = await testDatabase()
  atEnd(() => database.close())
  return database
}

async function writeAll(shell: Shell, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) await shell.write(name, content)
}

/** Shows a ledger on which three workers are at work, of which one is gone. */
async function showWorkers(shell: Shell): Promise<void> {
  const database = await ledger()
  await makeTables(database)
  const rows = [created(1), created(2), created(3), created(4)]
  const id = await fillImport(database, 'contacts', [{ run: '01M82JWZCPZM7B6G02GP7G7JM1', rows, of: 10 }])
  await database.query(`INSERT INTO rowlift.worker (import, id, name, since, seen, lease_s, rows)
    SELECT ${id}, name, name, clock_timestamp() - interval '20 seconds', clock_timestamp() - ago, 30, rows
      FROM (VALUES ('node2-412', interval '0', 2), ('node3-87', interval '0', 1), ('node1-955', interval '60 seconds', 1)) AS w (name, ago, rows)`)
  await database.query(`UPDATE rowlift.run SET registered = clock_timestamp() - interval '2 minutes'`)
  await database.query(
    `UPDATE rowlift.chunk SET worker = 'node2-412', lease = clock_timestamp() + interval '30 seconds'`,
  )
  await shell.must(`rowlift workers --import contacts --ledger ${database.url}`)
}

/** Lets the doctor look at a service that is reached by TLS through a proxy, and at a token that others can read. */
async function examineMachine(shell: Shell): Promise<void> {
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

const withoutMappings = async (shell: Shell) => {
  for (const name of ['contacts.yaml', 'tasks.yaml']) await shell.remove(name)
}

const fourContacts = `First Name,Last Name,Email,Job Title,Phones
Ada,Lovelace,ada@example.com,Analyst,020 7946 0199
Bob,Byron,nope,,
Cy,Stone,cy@example.com,,020 7946 0101
Di,Wood,di@example.com,,
Ed,Hart,ed@example.com,,
`

const card = `BEGIN:VCARD
VERSION:3.0
N:Stone;Ada;Grace,Maud;Dr.;
FN:Dr. Ada Grace Maud Stone
ORG:Isis Boatyard;Sails
EMAIL;TYPE=internet,work,pref:ada@example.com
EMAIL:ada@home.example.com
TEL;TYPE=cell:+44 20 7946 0101
ADR;TYPE=work:;;4 Weir Lane;Oxford;;OX1 0ZZ;UK
BDAY:1985-04-12
UID:0a1b2c3d
END:VCARD
`

const task = `BEGIN:VCALENDAR
VERSION:2.0
X-WR-CALNAME:Harbour move
BEGIN:VTODO
UID:5b1c6a52
SUMMARY:Paint the counter
DESCRIPTION:Two coats\\, wait between them.
STATUS:IN-PROCESS
PERCENT-COMPLETE:40
PRIORITY:1
DTSTART;TZID=Europe/Berlin:20261005T090000
DUE;VALUE=DATE:20261009
CATEGORIES:Shop,Blue\\, light
ORGANIZER;CN=Ada Stone:mailto:ada@example.com
ATTENDEE;CN=Noor Haddad:mailto:noor@example.com
RELATED-TO:5b1c6a51
RELATED-TO;RELTYPE=CHILD:5b1c6a53
X-APPLE-SORT-ORDER:7
END:VTODO
END:VCALENDAR
`

/** Lets a dry run print each row of a file whole. */
async function printRows(shell: Shell, file: string, text: string): Promise<void> {
  await shell.write(file, text)
  await shell.write('whole.yaml', "record: task\nbody: { name: { expr: '$string($)' } }\n")
  await shell.must(`rowlift import ${file} -m whole.yaml --dry-run --preview whole.ndjson`)
  shell.outputs.push(JSON.parse(await shell.read('whole.ndjson')).body.name)
}

/** The plan that a page shows. */
const planIn = (page: string): string => blocksIn(page, 'yaml').find(text => /^steps:/m.test(text)) ?? ''

let putBack = async () => {}

export const scenes: Readonly<Record<string, Scene>> = {
  'README.md': { '': withoutMappings },

  'docs/how-to-make-a-row-twice.md': {
    async ''(shell) {
      await withLog(shell)
      await shell.write(
        'contacts.results.ndjson',
        (await shell.read('contacts.results.ndjson')).slice(0, -30),
      )
    },
  },

  'docs/usage/certainty.md': {
    ''(shell) {
      shell.meanings.set('/srv/rowlift', shell.cwd)
      return shell.write('contacts.csv', fourContacts)
    },
    async 'git add'(shell) {
      await shell.write('.gitconfig', '[user]\n  name = Ada\n  email = ada@example.com\n')
      await shell.must('git init --quiet')
    },
    async 'contacts.approval.json: what was approved'(shell) {
      const contacts = await shell.read('contacts.csv')
      await shell.must(`${importContacts} --dry-run --approval contacts.approval.json --limit 5`)
      await shell.write('contacts.csv', `${contacts}Di,Wood,di@example.com,,\n`)
      await shell.run(`${importContacts} --approval contacts.approval.json`)
      await shell.write('contacts.csv', contacts)
      await shell.must(`${importContacts} --dry-run --approval contacts.approval.json`)
    },
    async 'npx rowlift resolve tasks.results.ndjson --from export.csv --id "Record Id" --match Name=name --match Due=date_info.due_date --dry-run'(
      shell,
    ) {
      putBack = await withDoubts(shell)
      await shell.write('export.csv', exportOf(recordsOf(shell)))
    },
    'npx rowlift resolve tasks.results.ndjson --from export.csv --id "Record Id" --match Name=name --complete':
      () => putBack(),
    async 'npx rowlift resolve tasks.results.ndjson --from export.csv --id "Record Id" --match Name=name --complete --known-gone gone.csv --dry-run'(
      shell,
    ) {
      await putBack()
      const [gone, ...others] = recordsOf(shell).filter(({ name }) => name !== 'Call Bob')
      await shell.write('export.csv', exportOf(others))
      await shell.write('gone.csv', `record_id\n${gone?.id}\n`)
    },
    async 'npx rowlift verify'(shell) {
      const [same, different, , unread] = recordsOf(shell).filter(({ email }) => email !== '')
      if (!same || !different || !unread) throw new Error('four contacts are imported')
      const foreign = { ...same, id: '00000000-0000-4000-8000-000000000000', name: 'Zoe Zorn' }
      const renamed = { ...different, name: 'Cyrus Stone' }
      await shell.write('export.csv', exportOf([same, renamed, unread, foreign]))
      await shell.write('contacts.csv', fourContacts.replace('Ed,Hart', 'Edward,Hart'))
    },
    async 'export.csv: '(shell) {
      await shell.write('calls.csv', 'Task ID,Name,Due\n1,Call Noor,\n2,Call Owen,\n')
      await shell.must(
        'rowlift import calls.csv -m tasks.yaml --config service.yaml -o calls.results.ndjson --delivery at-least-once',
      )
      const calls = recordsOf(shell).filter(({ name }) => /Noor|Owen/.test(name))
      await shell.write('export.csv', exportOf(calls))
      await shell.must(
        'rowlift verify calls.results.ndjson --against export.csv --id "Record Id" --match Name=name',
      )
    },
    'npx rowlift log tasks.results.ndjson': shell => knowRun(shell, 'tasks.results.ndjson'),
  },

  'docs/usage/command-line.md': {
    async column(shell) {
      const people = `Name,Email,Assistant Email,Job Title,Role,Company
Ada Lovelace,ada@example.com,bob@example.org,Analyst,Engineer,Acme Ltd
Cy Stone,cy@example.com,di@example.org,Director,Buyer,Isis Boatyard
`
      await shell.write('people.csv', people)
      await shell.must('rowlift init people.csv --explain')
    },
  },

  'docs/usage/errors.md': { '': withLog },

  'docs/usage/first-import.md': {
    '': withoutMappings,
    async 'npx rowlift test'(shell) {
      await shell.write('contacts.yaml', mappingsIn('docs/usage/first-import.md')[1] ?? '')
    },
    async 'contacts.csv:'(shell) {
      const mapping = mappingsIn('README.md')[0] ?? ''
      await shell.write('contacts.yaml', mapping.replace(', as: phone, country: GB', ''))
      const running = await shell.start(
        'rowlift import contacts.csv -m contacts.yaml --dry-run --watch',
        'Watching',
      )
      await shell.write(
        'contacts.yaml',
        mapping.replace('as: email, required: true', 'as: email, otherwise: omit'),
      )
      await new Promise(resolve => running.process.stdout?.once('data', resolve))
      await shell.interrupt(running)
    },
  },

  'docs/usage/identity.md': {
    async ''(shell) {
      await withLog(shell)
      await shell.write(
        'people.yaml',
        'record: contact\nkey: Id\nbody: { name: { from: Name, required: true }, emails: [{ email: { from: Mail, as: email } }] }\n',
      )
      const yesterday = `Id,Name,Mail
17,Ada L,ada@old.example
23,Bob,bob@example.com
40,Cyrus,cy@example.com
41,Di,di@example.com
`
      const settled = yesterday.replace('Cyrus', 'Cy')
      await shell.write('people.csv', yesterday)
      await shell.must('rowlift import people.csv -m people.yaml --config service.yaml')
      await shell.write('people.yesterday.csv', settled)
      await shell.write(
        'people.csv',
        settled.replace('Ada L,ada@old', 'Ada,ada@new').replace('bob@example.com', 'n/a'),
      )
    },
  },

  'docs/usage/inputs.md': {
    '{"version"': shell => printRows(shell, 'card.vcf', card),
    '{"uid"': shell => printRows(shell, 'task.ics', task),
  },

  'docs/usage/interruptions.md': {
    async ''(shell) {
      putBack = await withDoubts(shell)
      shell.meanings.set('9d2f…', recordsOf(shell)[0]?.id ?? '')
      shell.meanings.set('52ab…', '52ab0000-0000-4000-8000-000000000000')
    },
    'npx rowlift resolve tasks.results.ndjson --key 4711 --not-created': () => putBack(),
    'npx rowlift resolve tasks.results.ndjson --all': () => putBack(),
  },

  'docs/usage/machines.md': {
    async ''(shell) {
      await shell.writeToken('/etc/rowlift/contacts.token', 0o600)
      const settings = blocksIn('docs/usage/machines.md', 'yaml').find(text =>
        text.includes('import: contacts'),
      )
      await shell.write('contacts.settings.yaml', settings ?? '')
      const { url } = await ledger()
      shell.meanings.set('postgres://rowlift:PASSWORD@db.example.com/rowlift?sslmode=verify-full', url)
    },
    'contacts: run 1': showWorkers,
    async 'contacts2: '(shell) {
      await shell.run(`${importContacts} --import contacts2`)
      await shell.remove('contacts.results.ndjson') // which the page exports again
    },
  },

  'docs/usage/migrations.md': {
    ''(shell) {
      return writeAll(shell, { ...planFiles, 'plan.yaml': planIn('docs/usage/migrations.md') })
    },
  },

  'docs/usage/nightly.md': {
    async ''(shell) {
      const [settings = ''] = blocksIn('docs/usage/nightly.md', 'yaml')
      await shell.writeToken('/etc/rowlift/contacts.token', 0o600)
      shell.meanings.set('/var/lib/prometheus/node-exporter', shell.cwd)
      shell.meanings.set('/srv/exports/contacts-$(date +%F).csv', 'contacts.csv')
      shell.meanings.set('/srv/rowlift', shell.cwd)
      await shell.write('contacts.settings.yaml', settings)
    },
  },

  'docs/usage/operations.md': { '✓ node': examineMachine, 'npx rowlift log': withLog },

  'docs/usage/pace.md': {
    async '1,204 calls'(shell) {
      await withLog(shell)
      const rows = Array.from({ length: 1_204 }, (_, at) => `Al,Berg ${at},al${at}@example.com,,\n`)
      await shell.write('contacts.csv', `${fourContacts.split('\n')[0]}\n${rows.join('')}`)
      await shell.must(`${importContacts} --dry-run`)
    },
  },

  'docs/usage/presets.md': {
    '': withoutMappings,
    async 'npx rowlift init export.csv'(shell) {
      await shell.write(
        'export.csv',
        Buffer.from('Titel;Fällig am\nTür streichen;24.12.2026\nRegal hobeln;31.12.2026\n', 'latin1'),
      )
    },
  },

  'docs/usage/report.md': {
    async ''(shell) {
      await withLog(shell)
      await writeAll(shell, planFiles)
      await shell.write('plan.yaml', planIn('docs/usage/migrations.md'))
      await shell.must('rowlift import --plan plan.yaml')
    },
  },

  'docs/usage/rejects.md': {
    async 'Near duplicates'(shell) {
      await shell.write(
        'people.csv',
        `Id,Name,Mail,Phone
1,Ann Müller,ann@gmail.com,
2,Bob Stone,bob@example.com,020 7946 0101
3,"MULLER, Ann",Ann@gmail.com,
4,Robert Stone,,020 7946 0101
5,ann muller,ann@gmail.com,
`,
      )
      await shell.write(
        'people.yaml',
        `record: contact
key: Id
body:
  name: { from: Name, required: true }
  emails: [{ email: { from: Mail, as: email } }]
  phones: [{ phone_number: { from: Phone, as: phone, country: GB } }]
`,
      )
      await shell.must('rowlift import people.csv -m people.yaml --dry-run')
    },
  },

  'docs/usage/result-log.md': {
    async ''(shell) {
      await withLog(shell)
      const log = await shell.read('contacts.results.ndjson')
      putBack = () => shell.write('contacts.results.ndjson', log)
      shell.meanings.set('https://new.example.com', 'http://localhost:9')
      const { url } = await ledger()
      shell.meanings.set('postgres://rowlift@db.example.com/rowlift', url)
    },
    async 'npx rowlift log contacts.results.ndjson --forget --keys'(shell) {
      await putBack()
      await shell.write('keys.txt', 'ada@example.com\n')
      await shell.write('there.csv', exportOf(recordsOf(shell).slice(1), 'Id'))
    },
    async 'npx rowlift log contacts.results.ndjson --repair'(shell) {
      await shell.write(
        'contacts.results.ndjson',
        (await shell.read('contacts.results.ndjson')).slice(0, -30),
      )
    },
    async 'npx rowlift workers'(shell) {
      await shell.remove('contacts.results.ndjson')
      await shell.must('rowlift import contacts.csv -m contacts.yaml --config service.yaml --import contacts')
    },
  },

  'docs/usage/troubleshooting.md': { '': withLog },
}
