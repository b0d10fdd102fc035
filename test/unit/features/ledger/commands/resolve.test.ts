import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../../../../../src/cli/cli.ts'
import { tempFolder } from '../../../../support/cleanup.ts'
import { fastClock, testClock } from '../../../../support/clock.ts'
import { silentContext } from '../../../../support/context.ts'
import { created, doubt, fillImport, makeTables, recordId } from '../../../../support/ledger-tables.ts'
import { type TestDatabase, testDatabase } from '../../../../support/postgres.ts'
import { linesOf, rowlift } from '../../../../support/rowlift.ts'

let database: TestDatabase
let cwd: string
beforeEach(async () => {
  database = await testDatabase()
  cwd = await tempFolder()
  await makeTables(database)
  await fillImport(database, 'contacts', [
    { run: 'R1', rows: [created(1), doubt(2), doubt(3), { row: 4, status: 'created', isOpen: true }] },
  ])
  return () => database.close()
})

/** It waits for nobody: its clock jumps. */
const resolve = (...words: string[]) =>
  rowlift(['resolve', '--import', 'contacts', ...words], {
    ...{ cwd, clock: fastClock(), env: { ROWLIFT_LEDGER: database.url } },
  })
const states = async () =>
  Object.fromEntries(
    (await database.query(`SELECT row, state FROM rowlift.entry ORDER BY row`)).map(({ row, state }) => [
      row,
      state,
    ]),
  )

describe('rows in doubt in a ledger', () => {
  it('rows in doubt in a ledger are listed with what was sent, and with what to do', async () => {
    const { exitCode, stdout, stderr } = await resolve()
    expect(exitCode).toBe(0)
    expect(linesOf(stdout)).toMatchObject([
      { row: 2, key: 'k2', status: 'in_doubt', body: { name: 'Name 2' } },
      { row: 3, key: 'k3', status: 'in_doubt', body: { name: 'Name 3' } },
    ])
    expect(stderr).toContain('2 rows are in doubt in contacts')
    expect(stderr).toMatch(/rowlift resolve --ledger postgres:\S+ --import contacts --key KEY --record-id ID/)
    expect(stderr).not.toContain(new URL(database.url).password)
    expect(stderr).toContain('1 call under way')
    expect(linesOf((await resolve('--key', 'k3')).stdout)).toMatchObject([{ row: 3 }])
  })

  it('rows in doubt in a ledger are settled one by one, by their record or without one', async () => {
    expect((await resolve('--key', 'k2', '--record-id', recordId(2))).stderr).toBe(
      'contacts: 1 row settled; 1 row is in doubt still.\n',
    )
    expect((await resolve('--key', 'k3', '--not-created')).stderr).toBe(
      'contacts: 1 row settled; no row is in doubt any more.\n',
    )
    expect(await states()).toEqual({ 1: 's', 2: 's', 3: 'r', 4: 'o' })
    const { stdout } = await rowlift(['export', '--ledger', database.url, '--import', 'contacts'], { cwd })
    expect(linesOf(stdout).filter(line => line.by_hand)).toMatchObject([
      { row: 2, key: 'k2', status: 'created', record_id: recordId(2) },
      { row: 3, key: 'k3', status: 'failed' },
    ])
  })

  it('rows in doubt in a ledger are settled all at once if none was created', async () => {
    expect((await resolve('--all', '--not-created')).stderr).toContain('2 rows settled')
    expect((await resolve()).stderr).toContain('No row is in doubt in contacts.')
  })

  it('rows in doubt in a ledger are not settled while a worker may hold their calls', async () => {
    await database.query(
      `UPDATE rowlift.entry SET held_until = clock_timestamp() + interval '1 hour' WHERE row = 2`,
    )
    const clock = testClock()
    const stderr = new PassThrough({ encoding: 'utf8' })
    const shown: string[] = []
    stderr.on('data', text => shown.push(text))
    const words = ['resolve', '--ledger', database.url, '--import', 'contacts', '--all', '--not-created']
    const running = runCli(words, { ...silentContext(), clock, stderr })
    await once(stderr, 'data')
    expect(shown.join('')).toMatch(/^Waiting until .* UTC/)
    const late = await database.query(
      `UPDATE rowlift.entry SET state = 's', line = nextval('rowlift.line_seq_seq') WHERE row = 2 RETURNING row`,
    )
    expect(late).toEqual([{ row: 2 }])
    await clock.advance(3_600_000)
    expect(await running).toBe(0)
    expect(shown.join('')).toContain('1 row settled; no row is in doubt any more')
    expect(await states()).toEqual({ 1: 's', 2: 's', 3: 'r', 4: 'o' })
  })

  it('rows in doubt in a ledger are not settled by the record of another row', async () => {
    for (const [words, message] of [
      [['--key', 'k2', '--record-id', recordId(1).toUpperCase()], 'is that of contacts.csv row 1'],
      [['--key', 'k1', '--not-created'], 'its record is known: the service told it, so nobody replaces it\n'],
      [['--key', 'k1', '--not-created', '--replace'], 'the service told it, so nobody replaces it\n'],
      [['--key', 'k4', '--not-created'], 'its call is under way'],
      [['--key', 'k4', '--not-created', '--replace'], 'its call is under way'],
      [['--key', 'k77', '--not-created'], 'the log has no such row'],
      [['--key', 'k2', '--not-created', '--all'], 'say which rows'],
      [['r.ndjson', '--ledger', database.url], 'name one result log'],
    ] as const) {
      const { exitCode, stderr } = await resolve(...words)
      expect(stderr).toContain(message)
      expect(exitCode).toBe(2)
    }
    expect(await states()).toEqual({ 1: 's', 2: 'd', 3: 'd', 4: 'o' })
  })
})

describe('row in a ledger that a person settled wrongly', () => {
  const [wrong, right] = [recordId(8), recordId(9)]
  const of2 = (...words: string[]) => resolve('--key', 'k2', ...words)
  const idsOf = async () => {
    await rm(join(cwd, 'log.ndjson'), { force: true })
    const place = ['--ledger', database.url, '--import', 'contacts', '-o', 'log.ndjson']
    await rowlift(['export', ...place], { cwd })
    const { stdout } = await rowlift(['log', 'log.ndjson', '--ids'], { cwd })
    return stdout.split('\n').flatMap(line => (/^k[23],/.test(line) ? line.split(',')[1] : []))
  }

  it.each([
    ['by the record of another', ['--record-id', wrong], ['--record-id', right], 's', [right]],
    ['by a record that is not there', ['--record-id', wrong], ['--not-created'], 'r', []],
    ['without its record', ['--not-created'], ['--record-id', right], 's', [right]],
  ])(
    'a row in a ledger that a person settled wrongly, %s, is settled anew with --replace only',
    async (_, before, after, state, ids) => {
      await of2(...before)
      const refused = await of2(...after)
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('add --replace\n')])
      expect(await of2(...after, '--replace')).toMatchObject({
        exitCode: 0,
        stderr: 'contacts: 1 row settled anew; 1 row is in doubt still.\n',
      })
      expect(await states()).toEqual({ 1: 's', 2: state, 3: 'd', 4: 'o' })
      expect(await idsOf()).toEqual(ids)
      expect((await of2(...after, '--replace')).stderr).toContain('0 rows settled anew')
      expect((await of2(...before, '--replace')).stderr).toContain('1 row settled anew') // the last word wins
    },
  )

  it('a row in a ledger that a person settled wrongly leaves its record to another row', async () => {
    await of2('--record-id', wrong)
    await of2('--record-id', right.toUpperCase(), '--replace')
    expect((await resolve('--key', 'k3', '--record-id', wrong)).exitCode).toBe(0)
    expect(await idsOf()).toEqual([right.toUpperCase(), wrong])
    const back = await of2('--record-id', wrong, '--replace')
    expect([back.exitCode, back.stderr]).toEqual([
      2,
      expect.stringContaining('is that of contacts.csv row 3'),
    ])
    expect((await resolve('--key', 'k3', '--record-id', right, '--replace')).exitCode).toBe(2) // and nothing was released
    expect(await idsOf()).toEqual([right.toUpperCase(), wrong])
  })

  it('a row in a ledger that a person settled wrongly is sent again once no worker may hold its call', async () => {
    await database.query(
      `UPDATE rowlift.entry SET held_until = clock_timestamp() + interval '1 hour' WHERE row = 2`,
    )
    expect((await of2('--record-id', wrong)).stderr).not.toContain('Waiting')
    expect((await of2('--not-created', '--replace')).stderr).toMatch(/^Waiting until .* UTC/)
    expect(await states()).toMatchObject({ 2: 'r' })
  })

  it('a row in a ledger that a person settled wrongly has the record that a late answer told', async () => {
    await of2('--record-id', wrong)
    await database.query(
      `INSERT INTO rowlift.line (run, chunk, row, status, line) SELECT run, 0, 2, 'created', $1 FROM rowlift.line LIMIT 1`,
      [JSON.stringify({ run: 'R1', key: 'k2', status: 'created', record_id: right })],
    )
    const { exitCode, stderr } = await of2('--record-id', recordId(7), '--replace')
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the service told it')])
  })
})
