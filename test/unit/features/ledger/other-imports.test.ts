import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { files, taskMapping, tasks } from '../../../support/imports.ts'
import { closedLatch } from '../../../support/latch.ts'
import { askedRun, testWorker } from '../../../support/ledger.ts'
import { itLong } from '../../../support/long.ts'
import { machine, sharing, statusesOf } from '../../../support/machines.ts'
import { pollOptions } from '../../../support/polling.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'
import { rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, startService } from '../../../support/service.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

/** A service of its own, and imports of tasks into it under any name. */
async function importing(source: string, options: Parameters<typeof startService>[0] = {}) {
  const service = await startService(options)
  const cwd = await machine(source, taskMapping)
  const under = (name: string, ...more: string[]) => rowlift(sharing(service, db.url, name, ...more), { cwd })
  const withRows = async (source: string, name: string, mapping = taskMapping, ...more: string[]) =>
    rowlift(sharing(service, db.url, name, ...more), { cwd: await machine(source, mapping) })
  return { service, cwd, under, withRows }
}
const isRegistered = async (name: string) =>
  (await db.query('SELECT FROM rowlift.import WHERE name = $1', [name])).length > 0
const day = /\(\d{4}-\d\d-\d\d\)/.source

describe('rows that have their record by another import of a ledger', () => {
  it('stop a first run before anything is registered, and say both ways on, which work', async () => {
    const { service, under, withRows } = await importing(tasks(5))
    expect((await under('spring')).exitCode).toBe(0)
    const refused = await withRows(tasks(7), 'autumn')
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toMatch(
      RegExp(
        `autumn: 5 of the first 7 rows have their record by the import spring ${day}; ` +
          'go on with it by --import spring, or begin another by --new-log: then these rows are created again',
      ),
    )
    const predicted = await withRows(tasks(7), 'autumn', taskMapping, '--dry-run')
    expect([predicted.exitCode, predicted.stderr]).toEqual([2, refused.stderr])
    expect([service.calls.length, await isRegistered('autumn')]).toEqual([5, false])
    expect((await withRows(tasks(7), 'autumn', taskMapping, '--dry-run', '--new-log')).exitCode).toBe(0)
    expect((await withRows(tasks(7), 'spring', taskMapping, '--dry-run')).exitCode).toBe(0)
    expect(summaryOf(await withRows(tasks(7), 'spring'))).toMatchObject({ created: 2, done: 5 })
    expect(summaryOf(await withRows(tasks(7), 'autumn', taskMapping, '--new-log'))).toMatchObject({
      created: 7,
    })
    // it was allowed to begin, and goes on from then on
    expect(summaryOf(await withRows(tasks(7), 'autumn'))).toMatchObject({ created: 0, done: 7 })
  })

  it('are those whose calls are in doubt as well, and not those that were refused', async () => {
    const { under, withRows } = await importing(tasks(4), {
      react: (_, { body }) =>
        body.name === 'Task 3' ? { cut: 'in the answer' } : { answer: 422, body: '{"message":"no"}' },
    })
    expect((await under('refused')).exitCode).toBe(1)
    expect(await statusesOf(db, 'refused')).toEqual({ failed: 3, in_doubt: 1 })
    expect((await under('doubted')).stderr).toContain('1 of the first 4 rows')
    const others = tasks(4).replace('3,Task 3\n', '')
    expect((await withRows(others, 'others')).exitCode).toBe(1)
  })

  itLong('are named by the import that has most of them', async () => {
    const { under, withRows } = await importing(tasks(4))
    expect((await withRows(tasks(2), 'most two')).exitCode).toBe(0)
    expect((await under('most four', '--new-log')).exitCode).toBe(0)
    expect((await withRows(tasks(1), 'most one', taskMapping, '--new-log')).exitCode).toBe(0)
    expect((await under('most')).stderr).toContain(
      '4 of the first 4 rows have their record by the import most',
    )
  })

  it('are looked for among the first 1,000 that where selects', async () => {
    const { withRows } = await importing(tasks(1))
    expect((await withRows('Id,Name\nx,Task x\n', 'first')).exitCode).toBe(0)
    const at = (place: number) => tasks(1_002).replace(`\n${place},`, '\nx,')
    const limit = ['--limit', '1']
    expect((await withRows(at(1_000), 'within', taskMapping, ...limit)).stderr).toContain(
      '1 of the first 1000',
    )
    const chosen = `${taskMapping}where: { Id: { not: [x, "1"] } }\n`
    expect((await withRows(at(1_000), 'selected', chosen, ...limit)).exitCode).toBe(0)
    expect((await withRows(at(1_001), 'without', chosen.replace('x, ', ''), ...limit)).stderr).toContain(
      '1 of',
    )
    expect((await withRows(at(1_001), 'beyond', taskMapping, '--new-log', ...limit)).exitCode).toBe(0)
  })

  itLong('are not those of another part of the same file, though its run has not ended', async () => {
    const { withRows } = await importing('')
    const part = (name: string, ...others: number[]) =>
      withRows(
        tasks(4),
        name,
        `${taskMapping}where: { Id: { not: ${JSON.stringify(others.map(String))} } }\n`,
      )
    expect((await part('customers', 1, 2)).exitCode).toBe(0)
    await db.query(
      `UPDATE rowlift.run SET ended = NULL WHERE import = (SELECT id FROM rowlift.import WHERE name = 'customers')`,
    )
    expect((await part('suppliers', 3, 4)).exitCode).toBe(0)
  })

  itLong(
    'are rows of the same service, however it is spelt, organization, kind of record and key',
    async () => {
      const { service, cwd, under, withRows } = await importing(tasks(3))
      expect((await under('same')).exitCode).toBe(0)
      const into = (url: string, organization: string, name: string) => {
        const words = sharing({ url }, db.url, name)
        return rowlift(words.with(words.indexOf('7'), organization), { cwd })
      }
      const respelt = service.url.replace('127.0.0.1', 'LOCALHOST')
      expect((await into(`${respelt}/`, '7', 'respelt')).stderr).toContain('by the import same')
      expect((await into(service.url, '8', 'other organization')).exitCode).toBe(0)
      expect((await into((await startService()).url, '7', 'other service')).exitCode).toBe(0)
      const byName = taskMapping.replace('key: Id', 'key: Name')
      expect((await withRows('Id,Name\n9,1\n', 'other key', byName)).exitCode).toBe(0)
      expect((await withRows(tasks(3), 'other kind', taskMapping.replace('task', 'contact'))).exitCode).toBe(
        0,
      )
    },
  )
})

describe('two first runs in a ledger', () => {
  const url = (isolation: string) =>
    `${db.url}?options=${encodeURIComponent(`-c default_transaction_isolation=${isolation}`)}`
  const requested = (firstKeys: readonly string[], base_url: string) => ({
    ...askedRun([2], { base_url, first_rows: { Id: firstKeys } }),
    firstKeys,
  })

  it.each(['read\\ committed', 'repeatable\\ read'])(
    'begin one after the other where the default is %s, and the second sees the first',
    async isolation => {
      const [registering, registered] = [closedLatch(), closedLatch()]
      async function* references() {
        registering.open()
        await registered.opened
        yield* [] as never[]
      }
      const service = `https://${encodeURIComponent(isolation)}.example`
      const first = { ...requested(['1', '2'], service), references }
      const begun = testWorker(url(isolation), first, { name: `first ${isolation}` })
      await registering.opened
      const second = testWorker(url(isolation), requested(['1', '2'], service), {
        name: `second ${isolation}`,
      }).catch(error => error)
      const waiting = () =>
        db.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
      await expect.poll(async () => (await waiting()).length, pollOptions).toBe(1)
      registered.open()
      await begun
      expect(await second).toMatchObject({ code: 'other_import_begun' })
      expect(await isRegistered(`second ${isolation}`)).toBe(false)
      // other rows are another import
      await testWorker(db.url, requested(['3', '4'], service), { name: `third ${isolation}` })
    },
  )

  it('make each record once, if they are the same import under two names', async () => {
    const { service, under } = await importing(tasks(120))
    const ends = await Promise.all(['one', 'two'].map(name => under(`race ${name}`)))
    expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2])
    expect(service.made).toHaveLength(120)
  })
})

describe('steps of a plan in a ledger', () => {
  it('may share rows with each other, and are refused if another plan has their records', async () => {
    const service = await startService()
    const steps = ['a', 'b'].map(step => `${step}: { source: ${step}.csv, mapping: task.yaml }`)
    const cwd = await files({
      'a.csv': tasks(2),
      'b.csv': tasks(1),
      'plan.yaml': `base-url: ${service.url}\norganization-id: 7\nsteps: { ${steps} }\n`,
    })
    const planned = (name: string) =>
      rowlift(['import', '--plan', 'plan.yaml', '--ledger', db.url, '--import', name], { cwd })
    expect((await planned('plan')).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Task 1', 'Task 1', 'Task 2'])
    const refused = await planned('plan/again')
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toMatch(/plan\/again\/a: 2 of the first 2 rows .* by the import plan\/a /)
    expect(refused.stderr).toContain('go on with it by --import plan,')
    const alone = rowlift(sharing(service, db.url, 'alone').with(1, 'a.csv'), { cwd })
    expect((await alone).stderr).toContain('go on with it by --import plan/a,')
  })
})
