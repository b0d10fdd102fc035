import { execFileSync } from 'node:child_process'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doubtFacts } from '../../../../../src/features/ledger/resolve.ts'
import { withImport } from '../../../../../src/features/ledger/schema.ts'
import { settleInLedger } from '../../../../../src/features/ledger/settle-from.ts'
import { systemClock } from '../../../../../src/model/clock.ts'
import { silentContext } from '../../../../support/context.ts'
import { files, importOf, tasks } from '../../../../support/imports.ts'
import {
  created,
  doubt,
  type FilledRow,
  fillImport,
  makeTables,
  recordId,
} from '../../../../support/ledger-tables.ts'
import { type TestDatabase, testDatabase } from '../../../../support/postgres.ts'
import { folderWith, linesOf, rowlift } from '../../../../support/rowlift.ts'
import { type Reaction, startService } from '../../../../support/service.ts'

let database: TestDatabase
let imports = 0
beforeAll(async () => {
  database = await testDatabase()
  await makeTables(database)
})
afterAll(() => database.close())

const byName = ['--id', 'Id', '--match', 'Name=name']

/** An import of these rows, and an export of records beside it, each with its name. */
async function beside(
  rows: readonly FilledRow[],
  records: readonly (readonly [string, string])[],
  opening = {},
) {
  imports += 1
  const name = `contacts${imports}`
  const id = await fillImport(database, name, [{ run: 'R1', rows, opening }])
  const text = ['Id,Name', ...records.map(record => record.join(','))].join('\n')
  const cwd = await folderWith({ 'there.csv': `${text}\n` })
  const env = { ROWLIFT_LEDGER: database.url, ROWLIFT_IMPORT: name }
  const run = (...words: string[]) => rowlift(words, { cwd, env })
  return {
    ...{ name, cwd, run },
    resolve: (...words: string[]) => run('resolve', '--from', 'there.csv', ...byName, ...words),
    /** The states of rows by their numbers. */
    states: async () => {
      const entries = await database.query('SELECT row, state FROM rowlift.entry WHERE import = $1', [id])
      return Object.fromEntries(entries.map(({ row, state }) => [row, state]))
    },
    lines: async () => linesOf((await run('export')).stdout),
  }
}

describe('rows in doubt in a ledger, and an export of the service', () => {
  it('rows in doubt in a ledger get the record that an export shows, and keep the name of the export', async () => {
    const { resolve, states, lines, name } = await beside(
      [created(1), doubt(2), doubt(3)],
      [
        [recordId(1), 'Name 1'],
        [recordId(2), ' name 2 '.replace('n', 'N')],
      ],
    )
    const { exitCode, stdout, stderr } = await resolve()
    expect(linesOf(stdout)).toMatchObject([
      { key: 'k2', decision: 'created', record_id: recordId(2) },
      { key: 'k3', decision: 'in_doubt', found: 0 },
    ])
    expect(stderr).toContain(
      `${name}: 1 row settled by there.csv: 1 has its record, 0 were not created; 1 row`,
    )
    expect(stderr).toMatch(new RegExp(`rowlift resolve --ledger postgres:\\S+ --import ${name} --key KEY`))
    expect(stderr).not.toContain(new URL(database.url).password)
    expect(exitCode).toBe(1)
    expect(await states()).toEqual({ 1: 's', 2: 's', 3: 'd' })
    expect((await lines()).filter(line => line.by_hand)).toMatchObject([
      { key: 'k2', status: 'created', record_id: recordId(2), export: 'there.csv' },
    ])
  })

  it('rows in doubt in a ledger stay so in a dry run, which says the same', async () => {
    const { resolve, states } = await beside([doubt(2)], [[recordId(2), 'Name 2']])
    const { exitCode, stderr } = await resolve('--dry-run')
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('1 row would be settled by there.csv')])
    expect(await states()).toEqual({ 2: 'd' })
  })

  it('rows in doubt in a ledger stay so if their record may be that of another row, or of a call under way', async () => {
    const sameName = { changes: { ...doubt(2).changes, body: { name: 'Name 9' } } }
    const open = { row: 4, status: 'created', isOpen: true, changes: { body: { name: 'Name 4' } } }
    const ofOpen = doubt(5, { changes: { ...doubt(5).changes, body: { name: 'Name 4' } } })
    const { resolve, states } = await beside(
      [created(1), doubt(2, sameName), doubt(3, sameName), open, ofOpen, doubt(6)],
      [
        [recordId(9), 'Name 9'],
        [recordId(4), 'Name 4'],
        [recordId(6), 'Name 6'],
        [recordId(7), 'Name 6'],
      ],
    )
    const { exitCode, stderr, stdout } = await resolve()
    expect(linesOf(stdout).map(({ decision }) => decision)).toEqual(Array(4).fill('in_doubt'))
    expect(stderr).toContain('1 call under way')
    expect(exitCode).toBe(1)
    expect(await states()).toEqual({ 1: 's', 2: 'd', 3: 'd', 4: 'o', 5: 'd', 6: 'd' })
  })

  it('rows in doubt in a ledger are left alone if a late answer settled them, or another row got their record', async () => {
    const { name, cwd, states } = await beside(
      [doubt(2), doubt(3), doubt(4)],
      [2, 3, 4].map(row => [recordId(row), `Name ${row}`] as const),
    )
    const [{ id }] = await database.query('SELECT id FROM rowlift.import WHERE name = $1', [name])
    const asWorker = `
      UPDATE rowlift.entry SET state = 's', line = nextval('rowlift.line_seq_seq') WHERE import = ${id} AND row = 2;
      INSERT INTO rowlift.record (import, id, name, source, row, run)
      SELECT import, substring(sha256('${recordId(3)}'::bytea) for 16), '\\x00', 0, 77, run FROM rowlift.entry
       WHERE import = ${id} AND row = 3`
    const statement = `const c = new (require('pg').Client)(process.env.URL); c.connect().then(() => c.query(process.env.SQL)).then(() => c.end())`
    let asked = 0
    const now = () => {
      asked += 1 // first when the export was written, then at each row that is settled
      const env = { ...process.env, URL: database.url, SQL: asWorker }
      if (asked === 2) execFileSync(process.execPath, ['-e', statement], { env })
      return systemClock.now()
    }
    const values = { ledger: database.url, import: name, from: join(cwd, 'there.csv'), id: 'Id' }
    const context = { ...silentContext(), clock: { ...systemClock, now } }
    const exitCode = await settleInLedger(
      { ...values, match: [{ column: 'Name', path: 'name' }] } as never,
      context,
    )
    expect(exitCode).toBe(1)
    expect(await states()).toEqual({ 2: 's', 3: 'd', 4: 's' })
  })

  it('rows in doubt in a ledger are not settled by what comes through a pipe', async () => {
    const { run } = await beside([doubt(2)], [])
    const { exitCode, stderr } = await run('resolve', '--from', '-', ...byName)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--from: must be a file')])
  })
})

/** Cuts the call of each fifth task once it made its record, and of each seventh before. */
function cutSome(name: unknown): Reaction {
  const number = Number(String(name).slice(5))
  if (number % 5 === 0) return { cut: 'after creating' }
  return number % 7 === 0 ? { cut: 'before reading' } : 'create'
}

/** An import by a worker whose service cuts calls, and a list of the service's records. */
async function imported(name: string, count = 70) {
  let isFaulty = true
  const service = await startService({ react: (_, { body }) => (isFaulty ? cutSome(body.name) : 'create') })
  const cwd = await files({ 'tasks.csv': tasks(count) })
  const given = importOf('tasks.csv', 'task.yaml', service.url, '--retries', '0', '--max-failures', '100%')
  const place = ['--ledger', database.url, '--import', name]
  const words = [...given.filter(word => !['-o', 'results.ndjson'].includes(word)), ...place]
  const again = () => rowlift(words, { cwd })
  expect((await again()).exitCode).toBe(1)
  isFaulty = false
  const exportNow = async (records = service.made) => {
    const rows = records.map(({ recordId, name }) => `${recordId},${name}\n`)
    await writeFile(join(cwd, 'there.csv'), `Id,Name\n${rows.join('')}`)
  }
  await exportNow()
  return {
    ...{ service, cwd, again, exportNow },
    run: (...said: string[]) => rowlift([...said, ...byName, ...place], { cwd }),
    complete: (...said: string[]) =>
      rowlift(['resolve', '--from', 'there.csv', ...byName, '--complete', ...place, ...said], { cwd }),
    /** As if the export had been written when no worker could hold a call any more. */
    writtenLater: () => utimes(join(cwd, 'there.csv'), new Date(), new Date(Date.now() + 3_600_000)),
    inDoubt: () => withImport({ ledger: database.url, import: name }, { clock: systemClock }, doubtFacts),
  }
}

describe('an export that is said to be complete, and a ledger', () => {
  it('an export that is complete settles all rows of a ledger, none of which is created twice', async () => {
    const { service, complete, writtenLater, again, run } = await imported('complete')
    const early = await complete()
    expect(early.stderr).toMatch(
      /The calls of 8 rows may have ended after there.csv was written: export again after \S+ \S+ UTC, then the same command/,
    )
    expect(early.exitCode).toBe(1)
    await writtenLater()
    const { exitCode, stdout, stderr } = await complete()
    expect(linesOf(stdout).map(({ decision }) => decision)).toEqual(Array(8).fill('failed'))
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('no row is in doubt any more')])
    expect((await again()).exitCode).toBe(0)
    expect(service.made.map(({ name }) => name).sort()).toHaveLength(70)
    expect(new Set(service.made.map(({ name }) => name)).size).toBe(70)
    expect((await run('verify', '--against', 'there.csv')).exitCode).toBe(1) // it is older than the last eight
  })

  it('an export that lacks known records settles no row of a ledger', async () => {
    const { service, complete, writtenLater, exportNow, inDoubt } = await imported('incomplete')
    const before = await inDoubt()
    await exportNow(service.made.slice(10))
    await writtenLater()
    const { exitCode, stderr } = await complete()
    expect(stderr).toContain(
      'does not show what was not created: of the 48 records that incomplete knows it lacks',
    )
    expect(exitCode).toBe(2)
    expect(await inDoubt()).toMatchObject({ count: before.count })
  })

  it('rows of a ledger that were settled before a kill stay settled, and the same command settles the rest', async () => {
    const { complete, writtenLater, inDoubt, service, again } = await imported('killed')
    await writtenLater()
    await database.query(`
      CREATE FUNCTION pg_temp_fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the end'; END $$`)
    await database.query(
      `CREATE TRIGGER fail BEFORE INSERT ON rowlift.line FOR EACH ROW WHEN (NEW.status = 'failed') EXECUTE FUNCTION pg_temp_fail()`,
    )
    expect((await complete()).exitCode).not.toBe(0) // records and refusals are one group: neither counts
    expect(await inDoubt()).toMatchObject({ count: 22 })
    await database.query('DROP TRIGGER fail ON rowlift.line')
    expect((await complete()).exitCode).toBe(0)
    expect((await again()).exitCode).toBe(0)
    expect(service.made).toHaveLength(70)
  })
})

describe('rowlift verify, log and report of a ledger', () => {
  it('rowlift verify compares an import in a ledger with an export, and lists what is missing and what differs', async () => {
    const { service, cwd, run, exportNow } = await imported('verified')
    const good = await run('verify', '--against', 'there.csv', '--report', 'v.html')
    expect(good.stderr).toContain('verified: 48 records = 48 found + 0 missing there')
    expect(good.stderr).toMatch(
      /22 rows are in doubt: rowlift resolve --ledger postgres:\S+ --import verified/,
    )
    expect(good.exitCode).toBe(0)
    expect(await readFile(join(cwd, 'v.html'), 'utf8')).toContain(
      '<span>--import</span> <span>verified</span>',
    )
    const [first, second, ...others] = service.made
    if (first === undefined || second === undefined) throw new Error('nothing was made')
    await exportNow([{ ...second, name: 'Other' }, ...others])
    const { exitCode, stdout } = await run('verify', '--against', 'there.csv')
    expect(JSON.parse(stdout)).toMatchObject({
      counts: { missing: 1, different: 1, same: 46 },
      missing: [{ record_id: first.recordId }],
      different: [{ record_id: second.recordId, sent: second.name, found: 'Other' }],
    })
    expect(exitCode).toBe(1)
  })

  it('rowlift log and report show an import in a ledger as they show its export', async () => {
    const { run, cwd, name } = await beside([created(1), doubt(2), created(3)], [])
    await run('export', '-o', 'log.ndjson')
    const of = async (...words: string[]) => (await run(...words)).stdout
    expect(await of('log', '--ids')).toBe(await of('log', 'log.ndjson', '--ids'))
    const [own, file] = [await of('log'), await of('log', 'log.ndjson')]
    expect(own).toContain(`${name}: contacts of organization 7`)
    expect(own.slice(own.indexOf('\n'))).toBe(
      file.slice(file.indexOf('\n')).replaceAll('log.ndjson', `--import=${name}`),
    )
    expect(linesOf(await of('log', '--json'))).toMatchObject([
      { results: name, counts: { created: 2, in_doubt: 1 } },
    ])
    expect((await run('report')).stderr).toContain(`Page: ${name}.report.html`)
    expect((await run('report', '-o', 'page.html')).stderr).toContain('3 rows')
    const page = await readFile(join(cwd, 'page.html'), 'utf8')
    expect(page).toContain(`<span>--import=${name}</span>`)
    expect((await run('report', '-o', '-')).stdout).toContain('<!doctype html>')
  })

  it.each([
    [['log', '--repair'], '--repair writes a result log, and that of a ledger is only read'],
    [['log', '--forget', '--run', 'last'], '--forget writes a result log'],
    [['log', '--moved-to', 'http://localhost'], '--moved-to writes a result log'],
    [['log', '--rekey', 'm.yaml', 'c.csv', '--import', 'x'], '--rekey writes a result log'],
    [['log', 'r.ndjson', '--import', 'x'], 'name one result log: rowlift log RESULTS'],
    [['report', 'r.ndjson', '--import', 'x'], 'name one result log: rowlift report RESULTS'],
    [['verify', 'r.ndjson', '--import', 'x', '--against', 'e.csv'], 'name one result log'],
    [['log', '--import', 'nobody'], 'has no import nobody'],
    [['report', '--import', 'nobody'], 'has no import nobody'],
    [['verify', '--import', 'nobody', '--against', 'e.csv'], 'has no import nobody'],
    [['resolve', '--import', 'nobody', '--from', 'e.csv', ...byName], 'has no import nobody'],
  ] as const)('rowlift %j says what is wrong with it', async (words, message) => {
    const cwd = await folderWith({ 'r.ndjson': '' })
    const { exitCode, stderr } = await rowlift(words, { cwd, env: { ROWLIFT_LEDGER: database.url } })
    expect(stderr).toContain(message)
    expect(exitCode).toBe(2)
  })
})
