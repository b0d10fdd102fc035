import type { Shell } from './page-commands.ts'
import { card, fourContacts, planFiles, todo } from './page-files.ts'
import {
  damage,
  examineMachine,
  exportOf,
  importContacts,
  knowRun,
  ledger,
  planIn,
  printRows,
  recordsOf,
  showWorkers,
  withDoubts,
  withLog,
  withoutMappings,
  writeAll,
} from './page-scene-steps.ts'
import { blocksIn, mappingsIn } from './pages.ts'

/**
 * What happens in the folder of a page besides its commands, by the beginning of the command or shown output before which it happens;
 * at the start, where that is empty.
 */
export type Scene = Readonly<Record<string, (shell: Shell) => Promise<unknown>>>

let putBack = async () => {}

export const scenes: Readonly<Record<string, Scene>> = {
  'README.md': { '': withoutMappings },

  'docs/how-to-make-a-row-twice.md': {
    async ''(shell) {
      await withLog(shell)
      await damage(shell)
    },
  },

  'docs/usage/certainty.md': {
    ''(shell) {
      shell.meanings.set('/srv/rowlift', shell.cwd)
      return shell.write('contacts.csv', fourContacts)
    },
    async 'npx rowlift import contacts.csv --config contacts.settings.yaml --existing export.csv'(shell) {
      const there = [...fourContacts.matchAll(/[^,\s]+@[^,\s]+/g)].map(([email], at) => ({
        ...{ id: `00000000-0000-4000-8000-00000000000${at}`, name: '', due: '' },
        email,
      }))
      await shell.write('export.csv', exportOf(there))
    },
    'npx rowlift import contacts.csv --config contacts.settings.yaml --dry-run --approval': shell =>
      shell.must('rm contacts.results.ndjson'),
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
      await shell.write('export.csv', exportOf(recordsOf(shell, /Call|Measure|Order/)))
    },
    'npx rowlift resolve tasks.results.ndjson --from export.csv --id "Record Id" --match Name=name --complete':
      () => putBack(),
    async 'npx rowlift resolve tasks.results.ndjson --from export.csv --id "Record Id" --match Name=name --complete --known-gone gone.csv --dry-run'(
      shell,
    ) {
      await putBack()
      await shell.write('export.csv', exportOf(recordsOf(shell, /Call Ada|Order it/)))
      await shell.write('gone.csv', `record_id\n${recordsOf(shell, /Measure it/)[0]?.id}\n`)
    },
    async 'npx rowlift resolve --import tasks'(shell) {
      const { url } = await ledger()
      await shell.must(`export ROWLIFT_LEDGER=${url}`)
      await shell.run('rowlift import tasks.csv -m tasks.yaml --config service.yaml --import tasks')
      await shell.write('export.csv', exportOf(recordsOf(shell, /Call|Measure|Order/)))
    },
    async 'npx rowlift verify contacts'(shell) {
      delete shell.env.ROWLIFT_LEDGER
      const records = recordsOf(shell, /Ada Lovelace|Cy Stone|Ed Hart/) // without Di Wood
      const foreign = { id: '00000000-0000-4000-8000-000000000000', name: 'Zoe Zorn', due: '', email: '' }
      await shell.write('export.csv', exportOf([...records, foreign]).replace('Cy Stone', 'Cyrus Stone'))
      await shell.write('contacts.csv', fourContacts.replace('Ed,Hart', 'Edward,Hart'))
    },
    async 'export.csv: '(shell) {
      await shell.write('calls.csv', 'Task ID,Name,Due\n1,Call Noor,\n2,Call Owen,\n')
      await shell.must(
        'rowlift import calls.csv -m tasks.yaml --config service.yaml -o calls.results.ndjson --delivery at-least-once',
      )
      await shell.write('export.csv', exportOf(recordsOf(shell, /Noor|Owen/)))
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
      const changed = mapping.replace('as: email, required: true', 'as: email, otherwise: omit')
      await shell.showChange(running, 'contacts.yaml', changed, 'bodies changed')
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
    '{"uid"': shell => printRows(shell, 'task.ics', todo),
  },

  'docs/usage/interruptions.md': {
    async ''(shell) {
      putBack = await withDoubts(shell)
      shell.meanings.set('9d2f…', recordsOf(shell, /Call Ada/)[0]?.id ?? '')
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
      await shell.write('there.csv', exportOf(recordsOf(shell, /Cy Stone/), 'Id'))
    },
    'npx rowlift log contacts.results.ndjson --repair': damage,
    async 'npx rowlift workers'(shell) {
      await shell.remove('contacts.results.ndjson')
      await shell.must('rowlift import contacts.csv -m contacts.yaml --config service.yaml --import contacts')
    },
  },

  'docs/usage/troubleshooting.md': { '': withLog },

  'docs/usage/worksheets.md': {
    async ''(shell) {
      await shell.write('tasks.yaml', mappingsIn('docs/usage/worksheets.md')[0] ?? '')
      await shell.write(
        'tasks.csv',
        'Title,Status,Who,Parent\nHouse,Offen,Bob,\nPaint,Erledigt,Ada Stone,Huose\n',
      )
    },
  },
}
