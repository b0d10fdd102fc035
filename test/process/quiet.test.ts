import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importOf, tasks } from '../support/imports.ts'
import { linesOf, rowlift, start } from '../support/rowlift.ts'
import { type ServiceOptions, startService } from '../support/service.ts'

/** Tasks, a service for them, and the words that import them without saying more than they must. */
async function importing(count: number, options: ServiceOptions = {}, ...more: string[]) {
  const service = await startService(options)
  const cwd = await files({ 'tasks.csv': tasks(count) })
  return { service, cwd, args: importOf('tasks.csv', 'task.yaml', service.url, '--quiet', ...more) }
}

describe('with --quiet', () => {
  it('nothing is said of a run after which all is well, whatever it met on the way', async () => {
    const { cwd, args } = await importing(5, {
      react: attempt => (attempt === 1 ? { answer: 429 } : 'create'),
    })
    expect(await rowlift(args, { cwd })).toEqual({ exitCode: 0, stdout: '', stderr: '' })
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
      /^\nImport finished after [\s\S]+ 1 × failed: the service answered 422\n[\s\S]+Next: mend the cause/,
    )
    expect(run.stderr).not.toContain('progress')
  })

  it('it is told as JSON where that is asked for', async () => {
    const { cwd, args } = await importing(2, { react: () => ({ answer: 422 }) }, '--log-format', 'json')
    const run = await rowlift(args, { cwd })
    expect(linesOf(run.stderr)).toMatchObject([{ msg: 'summary', failed: 2 }])
  })

  it('warnings are held back until it is known that something is wrong', async () => {
    const { service, cwd, args } = await importing(4, { react: () => ({ hang: true }) }, '-c', '2')
    const { process, ended } = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, { timeout: 10_000 }).toBe(2)
    process.kill('SIGKILL')
    expect(await ended).toMatchObject({ stdout: '', stderr: '' })
    const next = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, { timeout: 20_000 }).toBe(4)
    next.process.kill('SIGTERM')
    setTimeout(() => next.process.kill('SIGKILL'), 1_000)
    expect((await next.ended).stderr).toBe('')
  })

  it('they are told before the summary', async () => {
    let hangs = true
    const { service, cwd, args } = await importing(
      4,
      { react: () => (hangs ? { hang: true } : 'create') },
      '-c',
      '2',
    )
    const { process, ended } = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, { timeout: 10_000 }).toBe(2)
    process.kill('SIGKILL')
    await ended
    hangs = false
    const next = await rowlift(args, { cwd })
    expect(next.exitCode).toBe(1)
    expect(next.stderr).toMatch(
      /^WARN: an earlier run was ended while 2 calls were under way; .+\n\nImport finished/,
    )
  })

  it('outcomes that could not be kept are shown all the same', async () => {
    let cwd = ''
    const { args, ...importer } = await importing(3, { react: () => 'create', latencyMs: 300 }, '-c', '1')
    cwd = importer.cwd
    const running = start(args, { cwd, stdin: '' })
    await expect.poll(() => importer.service.calls.length, { timeout: 10_000 }).toBe(1)
    await rm(join(cwd, 'results.ndjson'))
    const run = await running.ended
    expect(run.exitCode).toBe(3)
    expect(linesOf(run.stderr.split('\n')[0] ?? '')).toMatchObject([{ status: 'created', key: '1' }])
  })

  it('a command that cannot be begun says why, and no more', async () => {
    const { cwd, args } = await importing(3)
    await rm(join(cwd, 'tasks.csv'))
    expect(await rowlift(args, { cwd })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'rowlift: tasks.csv: cannot be read (ENOENT)\n',
    })
  })
})
