// `npm run demo:machines`: three workers share an import through PostgreSQL, and one of them is killed. It ends by itself, with 1 if it
// was not as it says. `-- ROWS LATENCY_MS` makes it shorter.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startSandbox } from '../dist/features/sandbox/server.js'
import { startPostgres } from './postgres.js'

const [rowCount, latencyMs] = [Number(process.argv[2] ?? 2_000), Number(process.argv[3] ?? 60)]
const cli = fileURLToPath(new URL('../dist/bin/rowlift.cjs', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'rowlift-demo-'))
const [sandbox, postgres] = await Promise.all([startSandbox({ latencyMs }), startPostgres()])
const leaseS = 3

/** Each name once, and at the end a bad row and one whose key was there before. */
const people = Array.from(
  { length: rowCount - 2 },
  (_, at) => `Person ${at + 1},person.${at + 1}@example.com`,
)
const settings = {
  ...{ 'base-url': sandbox.url, 'organization-id': 1, mapping: 'people.yaml', concurrency: 4 },
  ...{ import: 'people', lease: leaseS },
}
const files = {
  'people.csv': ['Name,Email', ...people, 'Nobody,not an address', people[6]].join('\n'),
  'people.yaml': `record: contact
key: Email
body:
  name: { from: Name, required: true }
  emails: [{ email: { from: Email, as: email, required: true } }]
`,
  'settings.json': JSON.stringify(settings, null, 2),
}
const command = ['import', 'people.csv', '--config', 'settings.json']
const statuses = ['created', 'invalid', 'failed', 'duplicate', 'in_doubt']
const say = (...lines) => process.stdout.write(`${lines.join('\n')}\n`)
const linesIn = text => Array.from(text.match(/.+/g) ?? [], line => JSON.parse(line))
const countBy = (items, of) => {
  const counts = new Map()
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1)
  return counts
}
const children = new Set()

/** Runs rowlift in a folder; `said` is what it wrote to a person. */
function rowlift(args, cwd = folder) {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: { ...process.env, ROWLIFT_TOKEN: 'sandbox', ROWLIFT_LEDGER: postgres.url, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said += text
    })
  children.add(child)
  const ended = once(child, 'close').then(([exitCode, signal]) => {
    children.delete(child)
    return { exitCode, signal, said: said.trim() }
  })
  return { child, ended }
}

/** A worker is the same command with files of its own, as on a machine of its own. */
async function startWorker(name) {
  const cwd = join(folder, name)
  await mkdir(cwd)
  for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text)
  return { name, ...rowlift([...command, '--quiet'], cwd) }
}

const recordsNow = async () => linesIn(await fetch(`${sandbox.url}/sandbox/records`).then(got => got.text()))

async function untilRecords(count) {
  while ((await recordsNow()).length < count && children.size > 0) await delay(200)
}

const ask = async (...args) => (await rowlift([...args, '--import', 'people']).ended).said
const showWorkers = async () => say((await ask('workers')).replaceAll(/^/gm, '   | '), '')

/** A worker that has rows, so that its end is felt. */
async function busyOne(workers) {
  const busy = JSON.parse(await ask('workers', '--json')).workers.find(({ chunks }) => chunks > 0)
  return workers.find(({ child }) => busy?.name.endsWith(`-${child.pid}`)) ?? workers[0]
}

/** The last line of each row counts. */
async function readLog() {
  await ask('export', '-o', 'people.results.ndjson')
  const lines = linesIn(await readFile(join(folder, 'people.results.ndjson'), 'utf8'))
  return new Map(lines.filter(({ row }) => row !== undefined).map(line => [line.row, line]))
}

async function play() {
  say(
    `${rowCount} rows of people, three machines, one PostgreSQL. The service makes a record for each call.`,
    '',
    '1. Start the same command on each machine.',
    `   $ rowlift ${command.join(' ')}      # ROWLIFT_LEDGER=postgres://…`,
  )
  const workers = []
  for (const name of ['one', 'two', 'three']) workers.push(await startWorker(name))
  await untilRecords(rowCount * 0.3)
  await showWorkers()
  const killed = await busyOne(workers)
  const others = workers.filter(worker => worker !== killed)
  killed.child.kill('SIGKILL')
  const { signal } = await killed.ended
  say(
    `2. Kill one in the middle (SIGKILL). Its rows are free after ${leaseS} s without a sign of life.`,
    `   $ kill -9 ${killed.child.pid}`,
  )
  await delay(leaseS * 1000 + 500)
  await showWorkers()
  say('3. Wait for the two others.')
  const ends = await Promise.all(others.map(({ ended }) => ended))
  await showWorkers()

  const log = await readLog()
  const byKey = countBy(await recordsNow(), ({ record }) => record.emails[0].email)
  const byStatus = countBy([...log.values()], ({ status }) => status)
  const doubts = [...log.values()].filter(({ status }) => status === 'in_doubt')
  const twice = [...byKey.values()].filter(count => count > 1).length
  const created = new Set([...log.values()].flatMap(({ status, key }) => (status === 'created' ? [key] : [])))
  const unknown = [...byKey.keys()].filter(key => !created.has(key) && !doubts.some(line => line.key === key))
  say(
    '4. Count.',
    '   $ rowlift export --import people -o people.results.ndjson',
    ...statuses.map(
      status => `   ${status.padEnd(10)} ${String(byStatus.get(status) ?? 0).padStart(6)} rows`,
    ),
    `   ${'together'.padEnd(10)} ${String(log.size).padStart(6)} of ${rowCount}`,
    '',
    `   ${byKey.size} people in the service, ${twice} of them twice, ${unknown.length} that the log does not know.`,
    ...doubts.map(
      ({ row, key }) =>
        `   row ${row} was under way in the killed worker: ${key} is ${byKey.has(key) ? '' : 'not '}there`,
    ),
    ...(doubts.length > 0
      ? ['   Nobody can know that of such a call, so nobody sends it again unasked: rowlift resolve.']
      : []),
  )
  const isTrue =
    signal === 'SIGKILL' &&
    ends.every(({ exitCode }) => exitCode === 1) &&
    [twice, unknown.length].every(count => count === 0) &&
    [...created].every(key => byKey.has(key)) &&
    log.size === rowCount &&
    byStatus.get('invalid') === 1 &&
    byStatus.get('duplicate') === 1 &&
    created.size + doubts.length === people.length
  if (!isTrue)
    say('', 'It was not as it should be:', ...ends.map(({ exitCode, said }) => `${exitCode} ${said}`))
  return isTrue
}

try {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  process.exitCode = (await play()) ? 0 : 1
} finally {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all([sandbox.close(), postgres.close()])
  await rm(folder, { recursive: true, force: true })
}
