// `npm run demo`: an import into the sandbox that is interrupted and goes on. It ends by itself, with 1 if it was not as it says.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startSandbox } from '../dist/features/sandbox/server.js'

const latencyMs = Number(process.argv[2] ?? 250)
const cli = fileURLToPath(new URL('../dist/bin/rowlift.cjs', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'rowlift-demo-'))
const sandbox = await startSandbox({ latencyMs })

const firstNames =
  'Ada Ben Cleo Dora Emil Finn Gwen Hugo Ines Jan Kira Leo Mia Noor Otto Pia Quin Rosa Sami Tess'.split(' ')
const lastNames = 'Brandt Costa Dahl Egger Falk Green Holm Ito Jansen Keller Lopez Meier'.split(' ')
const people = firstNames.flatMap(first =>
  lastNames.map(last => `${first},${last},${first}.${last}@example.com`.toLowerCase()),
)
const rows = [...people, 'ned,noakes,not an address', people[7]]
const settings = {
  ...{ 'base-url': sandbox.url, 'organization-id': 1, concurrency: 4 },
  ...{ mapping: 'people.yaml', results: 'people.results.ndjson', report: 'people.html' },
}
const files = {
  'people.csv': ['First,Last,Email', ...rows].join('\n'),
  'people.yaml': `record: contact
key: Email
body:
  name: { join: [First, Last], with: " ", required: true }
  emails: [{ email: { from: Email, as: email, required: true } }]
`,
  'settings.json': JSON.stringify(settings, null, 2),
}
for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)

const command = ['import', 'people.csv', '--config', 'settings.json']
const say = (...lines) => process.stdout.write(`${lines.join('\n')}\n`)
const indented = text =>
  text
    .trim()
    .replaceAll(/\n{2,}/g, '\n')
    .replaceAll(/^/gm, '   | ')
const linesIn = text => Array.from(text.match(/.+/g) ?? [], line => JSON.parse(line))
const recordsNow = async () => linesIn(await fetch(`${sandbox.url}/sandbox/records`).then(got => got.text()))
const idsInLog = async () => {
  const log = linesIn(await readFile(join(folder, settings.results), 'utf8'))
  return new Set(log.flatMap(line => (line.status === 'created' ? [line.record_id] : []))).size
}

/** Runs the command as a person does, until it ends or `isEnough` says so; then it gets the signal of Ctrl-C. */
async function rowlift(isEnough = () => false) {
  // --quiet leaves out the progress lines that the command prints where it has no terminal
  const child = spawn(process.execPath, [cli, ...command, '--quiet', '--log-format', 'pretty'], {
    cwd: folder,
    env: { ...process.env, ROWLIFT_TOKEN: 'sandbox', NO_COLOR: '1' },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  let isOver = false
  const ended = once(child, 'close').finally(() => {
    isOver = true
  })
  while (!isOver) {
    const { length } = await recordsNow()
    if (process.stdout.isTTY) process.stdout.write(`\r   … ${length} records in the service\x1b[K`)
    if (isEnough(length)) {
      child.kill('SIGINT')
      break
    }
    await delay(50)
  }
  const [exitCode] = await ended
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K')
  return { exitCode, said: indented(said.replaceAll(' --quiet --log-format pretty', '')) }
}

say(
  `${rows.length} rows of people go into a service that makes a record for each call: a call too many is a person twice.`,
  '',
  '1. Import them, and press Ctrl-C in the middle.',
  `   $ rowlift ${command.join(' ')}`,
)
const stopped = await rowlift(made => made >= 100)
const [before, known] = [(await recordsNow()).length, await idsInLog()]
say(
  stopped.said,
  '   The calls under way were answered and written down first:',
  `   ${before} records in the service, ${known} ids in the log.`,
  '',
  '2. Run the same command again.',
  `   $ rowlift ${command.join(' ')}`,
)
const resumed = await rowlift()
const names = (await recordsNow()).map(({ record }) => record.name)
const counts = [people.length, names.length, new Set(names).size, await idsInLog()]
await sandbox.close()
say(
  resumed.said,
  '',
  '3. Count.',
  `   ${counts[0]} good rows, ${counts[1]} records in the service, ${counts[2]} different names, ${counts[3]} ids in the log:`,
  '   nobody is there twice, nobody is missing, and the bad row says why.',
  '',
  '4. Look at the page: what became of the rows, why, and what to do.',
  `   ${pathToFileURL(join(folder, settings.report))}`,
  '   The log, the mapping and the rest are beside it; remove the folder when you have seen enough.',
)
const isTrue =
  before === known && stopped.exitCode === 130 && resumed.exitCode === 1 && new Set(counts).size === 1
process.exitCode = isTrue ? 0 : 1
