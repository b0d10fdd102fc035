import { writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskMapping, taskNames, tasks } from '../../../support/imports.ts'
import { closedLatch } from '../../../support/latch.ts'
import { machine, sharing } from '../../../support/machines.ts'
import { migrating } from '../../../support/migration.ts'
import { pollOptions } from '../../../support/polling.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'
import { rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, type ServiceOptions, startService } from '../../../support/service.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

let imports = 0

/** An import of tasks of its own; `approved` compares the file that `dryRun` writes. */
async function importing(source: string, options: ServiceOptions = {}) {
  const service = await startService(options)
  const cwd = await machine(source, taskMapping)
  imports += 1
  const name = `import ${imports}`
  const plain = (...more: string[]) => rowlift(sharing(service, db.url, name, ...more), { cwd })
  const approved = (...more: string[]) => plain('--approval', 'ok.json', ...more)
  const dryRun = (...more: string[]) => approved('--dry-run', ...more)
  const content = async (file = 'ok.json') => JSON.parse(await readFile(join(cwd, file), 'utf8')).imports[0]
  return { service, cwd, name, plain, approved, dryRun, content }
}

/** A service that makes the record of a task, whose answer nobody gets. */
const losing = (name: string): ServiceOptions => ({
  react: (_, { body }) => (body.name === name ? { cut: 'after creating' } : 'create'),
})

async function settle(name: string, key: string) {
  const words = ['--import', name, '--key', key, '--record-id', '9d2f0000-0000-4000-8000-000000000001']
  expect((await rowlift(['resolve', '--ledger', db.url, ...words], { cwd: '.' })).exitCode).toBe(0)
}

const refused = (words: string | RegExp) => ({ exitCode: 2, stderr: expect.stringMatching(words) })

describe('approval of a shared import', () => {
  it('has the position of the import in the place of that of the log, and lets it run, and run again', async () => {
    const { service, name, approved, dryRun, content } = await importing(tasks(3), losing('Task 2'))
    expect((await dryRun()).exitCode).toBe(0)
    const none = { import: name, runs: 0, lines: {}, in_doubt: 0, under_way: 0 }
    expect(await content()).toMatchObject({ log: none, rows: { valid: 3 }, first_bodies: [{}, {}, {}] })
    expect((await approved('-c', '1')).exitCode).toBe(1)
    await settle(name, '2')
    expect(summaryOf(await approved())).toMatchObject({ done: 3, exit_code: 0 })
    expect(madeBy(service)).toEqual(taskNames(3))
    const runs = await db.query(
      'SELECT run FROM rowlift.run r JOIN rowlift.import i ON i.id = r.import WHERE name = $1 ORDER BY r.id',
      [name],
    )
    expect((await dryRun()).exitCode).toBe(0)
    const lines = { created: 3, in_doubt: 1 }
    expect((await content()).log).toEqual({ ...none, runs: 2, run: runs[1].run, lines })
    expect((await approved()).exitCode).toBe(0)
  })

  it('is refused after a run without it, after a doubt was settled, and for an import with another name', async () => {
    const lost = losing('Task 1')
    const { service, cwd, name, plain, approved, dryRun } = await importing(tasks(2), lost)
    await dryRun()
    const other = rowlift(sharing(service, db.url, 'another', '--approval', 'ok.json'), { cwd })
    expect(await other).toEqual(expect.objectContaining(refused(`log: approved .*"import":"${name}"`)))
    expect((await plain()).exitCode).toBe(1)
    expect(await approved()).toMatchObject(refused(/log: approved .*"runs":0.*, now .*"runs":1/))
    await dryRun()
    await settle(name, '1')
    expect(await approved()).toMatchObject(refused('log: approved .*"in_doubt":1.*, now .*"in_doubt":0'))
    expect(service.calls).toHaveLength(2)
  })

  it('is the same for all workers of a run; one with another, or with none, is refused, and the others go on', async () => {
    const isHeld = closedLatch()
    const held = await importing(tasks(300), { holds: () => isHeld.opened })
    const { service, plain, approved, dryRun } = held
    await dryRun()
    await plain('--dry-run', '--approval', 'other.json')
    const workers = [approved()]
    await expect.poll(() => service.calls.length, pollOptions).toBeGreaterThan(2)
    workers.push(approved()) // it joins a run that has progressed
    expect(await plain()).toMatchObject(refused('was begun with an approval .*, and this worker has none'))
    expect(await plain('--approval', 'other.json')).toMatchObject(refused('was begun with another approval'))
    isHeld.open()
    expect((await Promise.all(workers)).map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(madeBy(service)).toEqual(taskNames(300))
  })

  it('does not go for a run that was begun without it, unless a new one begins where it was given', async () => {
    const { service, name, plain, approved, dryRun, content } = await importing(tasks(3))
    await dryRun()
    expect((await plain('--limit', '1')).exitCode).toBe(0)
    expect(await approved('--new-run')).toMatchObject(refused(/log: approved .*"runs":0.*, now .*"runs":1/))
    await dryRun()
    expect((await content()).log).toMatchObject({ runs: 1, lines: { created: 1 } })
    expect(await approved()).toMatchObject(refused('was begun without an approval, and this worker has one'))
    expect((await approved('--new-run')).exitCode).toBe(0)
    expect((await plain()).exitCode).toBe(0)
    expect(await approved('--new-run')).toMatchObject(refused('log: approved'))
    await dryRun()
    await db.query('SELECT rowlift.drop_import($1)', [name])
    expect(await approved()).toMatchObject(refused(/log: approved .*"runs":3.*, now .*"runs":0/))
    expect(madeBy(service)).toEqual(taskNames(3))
  })

  it('is compared again where a run begins: two approvals of one place begin one run', async () => {
    const { service, approved, plain, dryRun } = await importing(tasks(40))
    await dryRun()
    await plain('--dry-run', '--approval', 'other.json')
    const ends = await Promise.all([approved(), plain('--approval', 'other.json')])
    expect(ends.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2])
    expect(madeBy(service)).toEqual(taskNames(40))
  })

  it('cannot have a limit, which is of each worker', async () => {
    const { dryRun } = await importing(tasks(2))
    expect(await dryRun('--limit', '1')).toMatchObject(refused('--limit: is of each worker of --ledger'))
  })

  it('sends nothing of a source that is edited while it is read', async () => {
    const text = `Id,Name,Note\n${Array.from({ length: 300 }, (_, id) => `${id},Good,${'x'.repeat(10_000)}\n`).join('')}`
    const { service, cwd, approved, dryRun } = await importing(text, {
      react(n) {
        if (n === 1) writeFileSync(join(cwd, 'tasks.csv'), text.replace(/(?<=\n90,)Good/, 'Evil'))
        return 'create'
      },
    })
    await dryRun()
    expect(await approved('-c', '1')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('tasks.csv: has changed since the run began'),
    })
    expect(madeBy(service)).not.toContain('Evil')
  })

  it('is of all steps of a plan, which run, and run again', async () => {
    const plan = await migrating({
      't.yaml': `record: task\nkey: Id\nbody: { name: "{{Name}}" }\n`,
    })
    const shared = (...more: string[]) =>
      plan.run('--ledger', db.url, '--import', 'approved', '--approval', 'ok.json', ...more)
    expect((await shared('--dry-run')).exitCode).toBe(0)
    const content = JSON.parse(await readFile(join(plan.cwd, 'ok.json'), 'utf8'))
    expect(content.imports.map(({ step, log }: never) => [step, (log as { import: string }).import])).toEqual(
      [
        ['tasks', 'approved/tasks'],
        ['organizations', 'approved/organizations'],
        ['people', 'approved/people'],
      ],
    )
    const ends = await Promise.all([shared(), shared()])
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect((await shared()).exitCode).toBe(0)
    expect(plan.service.made).toHaveLength(8)
    await writeFile(
      join(plan.cwd, 'p.csv'),
      `${await readFile(join(plan.cwd, 'p.csv'), 'utf8')}Di,d@x.example,\n`,
    )
    expect(await shared()).toMatchObject(refused('source 1 of the step people: approved'))
    expect(plan.service.made).toHaveLength(8)
  })
})
