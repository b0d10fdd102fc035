import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, startPostgres, type TestDatabase } from './postgres.ts'
import { randomFor } from './random.ts'
import { folderWith, start } from './rowlift.ts'
import type { Ended, Running } from './running.ts'
import { type ArrivedCall, type Reaction, type Service, startService } from './service.ts'
import { heading, lineOf, type Night, workerCount } from './soak-table.ts'

// An import that runs night after night on one ledger, with three workers of which some are killed.

export interface SoakEnd {
  readonly nights: readonly Night[]
  /** What broke the promise, in words. */
  readonly wrong: readonly string[]
}

const newRows = 100
/** Older rows are no longer in the export: so each night takes as long as the last one. */
const rowsInExport = 3_000
const callsBetweenKills = 60
const longestNightMs = 240_000
const mapping = `record: contact
key: Id
use_created: true
body:
  name: { from: Name, required: true }
  emails: [{ email: { from: Email, as: email } }]
`

const emailIn = ({ body }: ArrivedCall) => (body as { emails: { email: string }[] }).emails[0]?.email ?? ''
const nameOf = (row: number) => `Person ${row}`

function csvUpTo(last: number): string {
  const first = Math.max(1, last - rowsInExport + 1)
  const lines = Array.from({ length: last - first + 1 }, (_, at) => {
    const row = first + at
    return `${row},${nameOf(row)},row${row}@example.com`
  })
  return ['Id,Name,Email', ...lines, ''].join('\n')
}

/** Runs nights until the time is over, and a last one in which nothing goes wrong. Each night is a line of `report`. */
export async function soak(hours: number, report: string, say: (text: string) => void): Promise<SoakEnd> {
  const random = randomFor('soak')
  let isCalm = false
  const faults: readonly Reaction[] = [{ answer: 503 }, { cut: 'after creating' }, { cut: 'in the answer' }]
  const service = await startService({
    latencyMs: () => 60 * random(),
    similar: emailIn,
    react: () => (!isCalm && random() < 0.06 && faults[Math.floor(faults.length * random())]) || 'create',
  })
  const server = await startPostgres({ onDisk: true })
  const database = clientOf(server.url)
  const cwd = await folderWith({ 'map.yaml': mapping })
  await mkdir(join(report, '..'), { recursive: true })
  await writeFile(report, '')
  const beganMs = performance.now()
  const nights: Night[] = []
  const wrong: string[] = []
  const play = async () => {
    const night = nights.length + 1
    await writeFile(join(cwd, 'people.csv'), csvUpTo(night * newRows))
    const startedMs = performance.now()
    const played = await playNight({ cwd, ledger: server.url, service, database, kills: !isCalm, random })
    wrong.push(...played.wrong.map(what => `night ${night}: ${what}`))
    const done: Night = {
      ...{ night, minutes: (performance.now() - beganMs) / 60_000 },
      ...{ seconds: (performance.now() - startedMs) / 1_000, records: service.made.length },
      ...played.facts,
      ...(await readLedger(database)),
    }
    if (done.runs <= (nights.at(-1)?.runs ?? 0)) wrong.push(`night ${night}: no run came to its end`)
    nights.push(done)
    await appendFile(report, `${JSON.stringify(done)}\n`)
    say(lineOf(done))
  }
  say(heading)
  while (performance.now() - beganMs < hours * 3_600_000 && wrong.length === 0) await play()
  isCalm = true
  await play()
  await database.close()
  wrong.push(...wrongRecords(service, nights.length * newRows))
  if (nights.at(-1)?.inDoubt !== 0) wrong.push('rows are left in doubt')
  return { nights, wrong }
}

/** Every row has its record, and one. */
function wrongRecords({ made }: Service, rows: number): string[] {
  const times = new Map<string, number>()
  for (const { name } of made) times.set(name, (times.get(name) ?? 0) + 1)
  const twice = [...times].filter(([, count]) => count > 1).map(([name]) => `${name} was made twice`)
  const names = Array.from({ length: rows }, (_, at) => nameOf(at + 1))
  const lost = names.filter(name => !times.has(name)).map(name => `${name} is lost`)
  return [...twice, ...lost].slice(0, 20)
}

interface NightSettings {
  readonly cwd: string
  readonly ledger: string
  readonly service: Service
  readonly database: Pick<TestDatabase, 'query'>
  readonly kills: boolean
  readonly random: () => number
}

/** Lets three workers import the export to its end; those that are killed are started again. */
async function playNight({ cwd, ledger, service, database, kills, random }: NightSettings) {
  const wrong: string[] = []
  let [isFinished, killed, peakKb, connections] = [false, 0, 0, 0]
  const args = [
    ...['import', 'people.csv', '-m', 'map.yaml', '--import', 'people', '--lease', '2', '-c', '4', '--quiet'],
    ...[
      '--base-url',
      service.url,
      '--organization-id',
      '7',
      '--expect-merged',
      '100%',
      '--expect-unclear',
      '100%',
    ],
  ]
  const workers = new Set<Running>()
  const begin = () => {
    const worker = start(args, { cwd, stdin: '', env: { ROWLIFT_LEDGER: ledger } })
    workers.add(worker)
    void worker.ended.then(end => {
      workers.delete(worker)
      if (end.exitCode === 0 || end.exitCode === 1) isFinished = true
      else if (end.exitCode !== null) wrong.push(describeEnd(end))
    })
  }
  const watch = async () => {
    for (const { process } of workers) peakKb = Math.max(peakKb, await peakOf(process.pid))
    connections = Math.max(connections, await connectionsOn(database))
  }
  const startedMs = performance.now()
  /** One is killed once so many calls have come: at work, whatever the speed of the machine. */
  let killAt = service.calls.length + 1 + Math.floor(callsBetweenKills * random())
  for (let at = 0; at < workerCount; at += 1) begin()
  while (workers.size > 0 || !isFinished) {
    await sleep(100)
    await watch()
    if (performance.now() - startedMs > longestNightMs)
      throw new Error(`the night does not end: ${wrong.join('; ')}`)
    const worker = [...workers][Math.floor(workers.size * random())]
    if (kills && !isFinished && service.calls.length >= killAt && worker !== undefined) {
      worker.process.kill('SIGKILL')
      await worker.ended
      killed += 1
      killAt = service.calls.length + 10 + Math.floor(callsBetweenKills * random())
    }
    while (!isFinished && workers.size < workerCount && wrong.length < 20) begin()
  }
  const facts = { kills: killed, workerMb: peakKb / 1024, connections }
  return { wrong, facts: { ...facts, connectionsLeft: await leftOn(database) } }
}

const describeEnd = ({ exitCode, stderr }: Ended) => `a worker ended with ${exitCode}: ${stderr.slice(-500)}`

/** The most memory that a process took so far, in kB. */
async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)
}

async function connectionsOn({ query }: Pick<TestDatabase, 'query'>): Promise<number> {
  const [{ count }] = await query(
    "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'rowlift'",
  )
  return count
}

/** Connections of killed workers end a moment after them. */
async function leftOn(database: Pick<TestDatabase, 'query'>): Promise<number> {
  let left = await connectionsOn(database)
  for (let tries = 0; left > 0 && tries < 100; tries += 1) {
    await sleep(100)
    left = await connectionsOn(database)
  }
  return left
}

async function readLedger({
  query,
}: Pick<TestDatabase, 'query'>): Promise<Pick<Night, 'inDoubt' | 'runs' | 'tables'>> {
  const found = await query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'rowlift' ORDER BY 1")
  const tables: Record<string, { bytes: number; rows: number }> = {}
  for (const { name } of found) {
    const [size] = await query(
      `SELECT pg_total_relation_size('rowlift.${name}')::float8 AS bytes, count(*)::int AS rows FROM rowlift.${name}`,
    )
    tables[name] = size
  }
  const [doubts] = await query("SELECT count(*)::int FROM rowlift.entry WHERE state = 'd'")
  const [runs] = await query('SELECT count(*)::int FROM rowlift.run WHERE closing IS NOT NULL')
  return { inDoubt: doubts.count, runs: runs.count, tables }
}
