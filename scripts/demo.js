// `npm run demo`: starts the sandbox on a free port, imports the samples into it and says where the result logs are.
import { spawn } from 'node:child_process'
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startSandbox } from '../dist/sandbox/server.js'

const cli = fileURLToPath(new URL('../dist/bin/rowlift.cjs', import.meta.url))
const samples = 'samples'
const token = 'sandbox'

const imports = [
  {
    of: 'contacts in the shape of a Google export',
    folder: 'contacts-google',
    source: 'contacts.csv',
    mapping: 'mapping.yaml',
  },
  {
    of: 'organizations of a plain directory',
    folder: 'people-and-organizations',
    source: 'directory.csv',
    mapping: 'organizations.yaml',
  },
  {
    of: 'people of the same directory',
    folder: 'people-and-organizations',
    source: 'directory.csv',
    mapping: 'people.yaml',
  },
  {
    of: 'tasks in the shape of an Asana export',
    folder: 'tasks-asana',
    source: 'tasks.csv',
    mapping: 'mapping.yaml',
  },
  { of: 'tasks as NDJSON', folder: 'tasks-ndjson', source: 'tasks.ndjson', mapping: 'mapping.yaml' },
]

/** Runs the built command with this terminal, and gives its exit code. */
const rowlift = args =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { ...process.env, ROWLIFT_TOKEN: token },
      stdio: 'inherit',
    })
    child.once('error', reject).once('exit', resolve)
  })

const say = text => process.stderr.write(`${text}\n`)

const sandbox = await startSandbox({ token, latencyMs: 150 })
const folder = await mkdtemp(join(tmpdir(), 'rowlift-demo-'))
const logs = []
let worst = 0

/** Runs an import with the options that all have here. */
async function runImport(of, ...args) {
  say(`\n── ${of} ${'─'.repeat(60 - of.length)}`)
  const exitCode = await rowlift([
    ...['import', ...args],
    ...['--base-url', sandbox.url],
    ...['--organization-id', '1'],
    ...['--concurrency', '2'],
    ...['--log-format', 'pretty'],
  ])
  worst = Math.max(worst, exitCode ?? 70)
}

say(`The sandbox listens on ${sandbox.url}.`)
for (const { of, folder: sample, source, mapping } of imports) {
  const results = join(folder, `${sample}-${mapping.replace(/\.yaml$/, '')}.results.ndjson`)
  await runImport(
    of,
    join(samples, sample, source),
    ...['--mapping', join(samples, sample, mapping)],
    ...['--results', results],
  )
  logs.push(results)
}
// a plan keeps its result logs beside itself
const together = join(folder, 'migration')
await cp(fileURLToPath(new URL('../samples/migration', import.meta.url)), together, { recursive: true })
await runImport('a migration: organizations, people and tasks', '--plan', join(together, 'plan.yaml'))
logs.push(...['organizations', 'people', 'tasks'].map(step => join(together, `${step}.results.ndjson`)))
const stats = await fetch(`${sandbox.url}/sandbox/stats`).then(answer => answer.json())
await sandbox.close()

say(
  `\nThe sandbox made ${stats.created} records. Some rows of the samples are bad on purpose: the summaries say which and why.`,
)
say(`The result logs, one line a row:\n${logs.map(log => `  ${log}`).join('\n')}`)
process.exitCode = worst > 1 ? worst : 0
