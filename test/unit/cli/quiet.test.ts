import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fastClock } from '../../support/clock.ts'
import { files, importing as importingTasks } from '../../support/imports.ts'
import { closedLatch } from '../../support/latch.ts'
import { pollOptions } from '../../support/polling.ts'
import { linesOf, rowlift } from '../../support/rowlift.ts'
import type { ServiceOptions } from '../../support/service.ts'

/** Tasks, a service for them, and the words that import them without saying more than they must. */
const importing = (count: number, options: ServiceOptions = {}, ...more: string[]) =>
  importingTasks(count, options, '--quiet', ...more)

describe('--quiet', () => {
  it('nothing is reported of a run after which all is well', async () => {
    const { cwd, args } = await importing(5, {
      react: attempt => (attempt === 1 ? { answer: 429 } : 'create'),
    })
    expect(await rowlift(args, { cwd, clock: fastClock() })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
  })

  it('a run that its limit ended says so in one line, with the command for the rest', async () => {
    const { service, cwd, args } = await importing(5, {}, '--limit', '2')
    const dry = await rowlift([...args, '--dry-run', '--preview', 'p.ndjson'], { cwd })
    expect(dry.stderr).toBe(
      'WARN: --limit 2 ended the run: it would send 2 rows, and did not look at the rest.\n',
    )
    const run = await rowlift(args, { cwd })
    const rest = args.filter((_, at) => at < args.length - 2).join(' ')
    expect(run).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `WARN: --limit 2 ended the run: it sent 2 rows, and did not look at the rest. For the rest: rowlift ${rest}\n`,
    })
    const asJson = await rowlift([...args, '--log-format', 'json'], { cwd })
    expect(linesOf(asJson.stderr).map(({ msg }) => msg)).toEqual([
      expect.stringContaining('--limit 2 ended the run: it sent 2 rows'),
    ])
    expect(await rowlift(args.slice(0, -2), { cwd })).toMatchObject({ exitCode: 0, stderr: '' })
    expect(service.made).toHaveLength(5)
  })

  it('the bodies of a dry run are shown, for they are asked for', async () => {
    const cwd = await files()
    const run = await rowlift(['import', 'tasks.csv', '-m', 'task.yaml', '--dry-run', '--quiet'], { cwd })
    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    expect(linesOf(run.stdout)).toHaveLength(3)
  })

  it('a run that left something to do is told in words, with what that is', async () => {
    const { cwd, args } = await importing(5, {
      react: (_, { body }) => (body.name === 'Task 2' ? { answer: 422, body: 'no' } : 'create'),
    })
    const run = await rowlift(args, { cwd })
    expect(run).toMatchObject({ exitCode: 1, stdout: '' })
    expect(run.stderr).toMatch(
      /^\nImport finished after [\s\S]+ 1 row failed: the service answered 422\n[\s\S]+Next:\n {2}Fix the cause of 1 failed row/,
    )
    expect(run.stderr).not.toContain('progress')
  })

  it('--quiet reports what is wrong as JSON if that is asked for', async () => {
    const { cwd, args } = await importing(2, { react: () => ({ answer: 422 }) }, '--log-format', 'json')
    const run = await rowlift(args, { cwd })
    expect(linesOf(run.stderr)).toMatchObject([{ msg: 'summary', failed: 2 }])
  })

  it('--quiet shows outcomes that could not be kept all the same', async () => {
    const removed = closedLatch()
    const { service, cwd, args, log } = await importing(3, { holds: () => removed.opened }, '-c', '1')
    const running = rowlift(args, { cwd })
    await expect.poll(() => service.calls.length, pollOptions).toBe(1)
    await rm(log)
    removed.open()
    const run = await running
    expect(run.exitCode).toBe(3)
    expect(linesOf(run.stderr.split('\n')[0] ?? '')).toMatchObject([{ status: 'created', key: '1' }])
  })

  it('a command that cannot be begun says why, and no more', async () => {
    const { cwd, args } = await importing(3)
    await rm(join(cwd, 'tasks.csv'))
    expect(await rowlift(args, { cwd })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'rowlift: tasks.csv: there is no such file\n',
    })
  })
})
