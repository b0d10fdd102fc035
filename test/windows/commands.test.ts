import { appendFile, cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/cleanup.ts'
import { files, importing, importOf, taskNames, tasks } from '../support/imports.ts'
import { outcomesIn, rowlift, start } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'
import { windowsNode } from '../support/wine.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe.runIf(windowsNode !== undefined)('commands on Windows', () => {
  it('an import writes all its files, and the commands of its log end as on Linux', async () => {
    const service = await startService({
      react: (attempt, { body: { name } }) => {
        if (name === 'Task 2' && attempt === 1) return { cut: 'after creating' }
        return name === 'Task 3' ? { answer: 400 } : 'create'
      },
    })
    const cwd = await files({ 'tasks.csv': tasks(6) })
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    const more = ['--rejects', 'bad.csv', '--summary', 's.json', '--metrics', 'm.prom', '--report', 'p.html']
    const run = async (words: readonly string[]) => (await start(words, { cwd }).ended).exitCode
    expect(await run([...args, ...more])).toBe(1)
    expect(await run([...args, ...more])).toBe(1) // it replaces all of them
    const statuses = (await outcomesIn(join(cwd, 'results.ndjson'))).map(
      ({ row, status }) => `${row} ${status}`,
    )
    expect(statuses).toEqual(['1 created', '2 in_doubt', '3 failed', '4 created', '5 created', '6 created'])
    expect(await readFile(join(cwd, 'bad.csv'), 'utf8')).toContain('Task 3')
    expect(await readFile(join(cwd, 'm.prom'), 'utf8')).toContain('rowlift_run_exit_code')
    expect(JSON.parse(await readFile(join(cwd, 's.json'), 'utf8'))).toMatchObject({ exit_code: 1, held: 1 })
    const commands = [
      ['log', 'results.ndjson'],
      ['log', 'results.ndjson', '--json'],
      ['resolve', 'results.ndjson'],
      ['doctor', '-m', 'task.yaml', '-o', 'results.ndjson'],
    ]
    for (const words of commands) {
      const there = await start(words, { cwd }).ended
      const here = await rowlift(words, { cwd })
      expect(there.exitCode, there.stderr).toBe(here.exitCode)
    }
    expect(await run(['report', 'results.ndjson', '-o', 'later.html'])).toBe(0)
    expect(
      await run(['resolve', 'results.ndjson', '--key', '2', '--record-id', `${service.made[1]?.recordId}`]),
    ).toBe(0)
    const [first] = await outcomesIn(join(cwd, 'results.ndjson'))
    const forgotten = await start(['log', 'results.ndjson', '--forget', '--run', first.run, '--yes'], { cwd })
      .ended
    expect(forgotten).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('4 rows forgotten') })
  })

  it('a damaged log is refused, repaired, and continued', async () => {
    const { service, cwd, args, log } = await importing(4)
    const run = async (words: readonly string[]) => (await start(words, { cwd }).ended).exitCode
    expect(await run(args)).toBe(0)
    const text = await readFile(log, 'utf8')
    await writeFile(log, text.replace('"status":"created"', '"status":"creaXed"'))
    expect(await run(args)).toBe(2)
    expect(await run(['log', 'results.ndjson', '--repair'])).toBe(0)
    expect(await readdir(cwd)).toContain('results.ndjson.damaged')
    await appendFile(join(cwd, 'tasks.csv'), '5,Task 5\n')
    expect(await run(args)).toBe(1) // a row is in doubt
    expect(madeBy(service)).toEqual(taskNames(5))
  })

  it('a migration of three imports goes by its plan, and goes on with it', async () => {
    const service = await startService()
    const cwd = await tempFolder()
    await cp(join(root, 'samples/migration'), cwd, { recursive: true })
    const args = ['import', '--plan', 'plan.yaml', '--base-url', service.url, '--organization-id', '7']
    const first = await start([...args, '--dry-run'], { cwd }).ended
    expect(first.exitCode).toBe((await rowlift([...args, '--dry-run'], { cwd })).exitCode)
    const ended = await start(args, { cwd }).ended
    const { length } = service.made
    expect(length).toBeGreaterThan(5)
    expect((await rowlift(args, { cwd })).exitCode).toBe(ended.exitCode) // Linux reads what Windows wrote
    expect((await start(args, { cwd }).ended).exitCode).toBe(ended.exitCode)
    expect(service.made).toHaveLength(length)
  })

  it('a draft of several files makes a plan that Windows and Linux read', async () => {
    const cwd = await tempFolder()
    for (const file of ['companies.csv', 'people.csv', 'tasks.csv'])
      await cp(join(root, 'samples/migration', file), join(cwd, file))
    const init = ['init', 'companies.csv', 'people.csv', 'tasks.csv', '-o', 'drafts\\']
    expect((await start(init, { cwd }).ended).exitCode).toBe(0)
    const plan = ['import', '--plan', 'drafts/plan.yaml', '--dry-run']
    expect((await start(plan, { cwd }).ended).exitCode).toBe((await rowlift(plan, { cwd })).exitCode)
  })
})
