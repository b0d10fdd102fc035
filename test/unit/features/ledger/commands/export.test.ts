import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unseal } from '../../../../../src/store/files/checksum.ts'
import { tempFolder } from '../../../../support/cleanup.ts'
import { fastClock } from '../../../../support/clock.ts'
import { created, doubt, fillImport, makeTables, recordId } from '../../../../support/ledger-tables.ts'
import { type TestDatabase, testDatabase } from '../../../../support/postgres.ts'
import { folderWith, linesOf, rowlift } from '../../../../support/rowlift.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await makeTables(database)
  await fillImport(database, 'contacts', [
    {
      run: 'R1',
      rows: [created(1), doubt(2), { row: 3, status: 'invalid', changes: { errors: [] } }],
      isOver: true,
    },
    { run: 'R2', rows: [created(3), { row: 4, status: 'created', isOpen: true }], of: 4 },
  ])
  await fillImport(database, 'other', [{ run: 'R3', rows: [created(9)] }])
})
afterAll(() => database.close())

const exported = async (...words: string[]) => {
  const cwd = await tempFolder()
  const env = { ROWLIFT_LEDGER: database.url }
  return { cwd, ...(await rowlift(['export', '--import', 'contacts', ...words], { cwd, env })) }
}

describe('rowlift export', () => {
  it('rowlift export writes the lines of each run between opening and closing line', async () => {
    const { exitCode, stdout, stderr } = await exported()
    expect(exitCode).toBe(0)
    expect(
      linesOf(stdout).map(({ run, status, rowlift, ended }) => [run, status ?? (ended ? 'ended' : rowlift)]),
    ).toEqual([
      ['R1', '0.1.0'],
      ...['created', 'in_doubt', 'invalid', 'ended'].map(status => ['R1', status]),
      ['R2', '0.1.0'],
      ['R2', 'created'],
    ])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map(line => unseal(Buffer.from(line)) !== undefined)).toEqual(lines.map(() => true))
    expect(stderr).toContain('1 call under way')
  })

  it('rowlift export is read by log, report and lookups as any result log', async () => {
    const { cwd } = await exported()
    const file = join(cwd, 'c.ndjson')
    await rowlift(['export', '--import', 'contacts', '-o', 'c.ndjson'], {
      cwd,
      env: { ROWLIFT_LEDGER: database.url },
    })
    const ids = await rowlift(['log', file, '--ids'], { cwd })
    expect(ids.stdout.trimEnd().split('\n').slice(1)).toEqual([
      `k1,${recordId(1)},created,contacts.csv,1`,
      `k3,${recordId(3)},created,contacts.csv,3`,
    ])
    expect((await rowlift(['log', file], { cwd })).stdout).toContain('in doubt')
    expect((await rowlift(['report', file], { cwd })).stderr).toContain('3 rows')
    await writeFile(
      join(cwd, 'm.yaml'),
      'record: task\nkey: Id\nlookups: { people: { results: c.ndjson } }\nallow_unknown_fields: true\nbody: { name: "{{Id}}", who: { from: Id, lookup: people } }\n',
    )
    await writeFile(join(cwd, 't.csv'), 'Id\nk1\n')
    const dry = await rowlift(['import', 't.csv', '-m', 'm.yaml', '--dry-run', '--preview', '-'], { cwd })
    expect(linesOf(dry.stdout)).toMatchObject([{ body: { who: recordId(1) } }])
  })

  it('rowlift export is written in one step, and overwrites no file', async () => {
    const cwd = await folderWith({ 'mine.ndjson': 'my own\n' })
    const env = { ROWLIFT_LEDGER: database.url }
    const write = (file: string) => rowlift(['export', '--import', 'contacts', '-o', file], { cwd, env })
    expect(await write('mine.ndjson')).toMatchObject({ exitCode: 2 })
    expect(await write('none/c.ndjson')).toMatchObject({ exitCode: 3 })
    expect(await write('c.ndjson')).toMatchObject({ exitCode: 0 })
    expect(await readFile(join(cwd, 'mine.ndjson'), 'utf8')).toBe('my own\n')
    expect((await readdir(cwd)).sort()).toEqual(['c.ndjson', 'mine.ndjson'])
    expect((await stat(join(cwd, 'c.ndjson'))).mode & 0o777).toBe(0o600)
  })

  it('rowlift export says which import there is not, and no password', async () => {
    const cwd = await tempFolder()
    const secret = new URL(database.url).password
    for (const [url, words] of [
      [database.url, 'has no import nobody'],
      [database.url.replace(/:\d+\//, ':1/'), 'does not answer'],
      [database.url.replace(secret, 'wrong-password'), 'refuses (password authentication failed'],
    ] as const) {
      const { exitCode, stderr } = await rowlift(['export', '--ledger', url, '--import', 'nobody'], {
        cwd,
        clock: fastClock(),
      })
      expect(stderr).toContain(words)
      expect(stderr).not.toMatch(new RegExp(`${secret}|wrong-password`))
      expect(exitCode).toBe(words === 'does not answer' ? 3 : 2)
    }
  })
})
