import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, filesBesideLog, importOf, taskNames, tasks } from '../support/imports.ts'
import { closedLatch } from '../support/latch.ts'
import { pollOptions } from '../support/polling.ts'
import { linesOf, outcomesIn, rowlift, start } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'
import { windowsNode } from '../support/wine.ts'

/** Under wine the others end a process at once. */
const endings = (
  [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const
).filter(([signal]) => windowsNode === undefined || signal === 'SIGINT')

describe('run that stops early', () => {
  it.each(endings)(
    'a run that stops early by %s lets calls in flight settle, ends with %i and goes on',
    async (signal, exitCode) => {
      const stopping = closedLatch()
      const service = await startService({ holds: () => stopping.opened })
      const cwd = await files({ 'tasks.csv': tasks(6) })
      const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '2')
      const { process, ended, said } = start(args, { cwd, stdin: '' })
      await expect.poll(() => service.calls.length, pollOptions).toBe(2)
      process.kill(signal)
      await said(`${signal}: no new call is made`)
      stopping.open()
      expect((await ended).exitCode).toBe(exitCode)
      expect(await outcomesIn(join(cwd, 'results.ndjson'))).toMatchObject([
        { status: 'created' },
        { status: 'created' },
      ])
      expect(service.calls).toHaveLength(2)
      expect(await filesBesideLog(cwd)).toEqual([])
      expect((await rowlift(args, { cwd })).exitCode).toBe(0)
      expect(madeBy(service)).toEqual(taskNames(6))
    },
  )

  it('a run that stops early goes on and opens no debugger after SIGUSR1', async () => {
    const arrived = closedLatch()
    const service = await startService({ holds: () => arrived.opened })
    const cwd = await files({ 'tasks.csv': tasks(3) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '1')
    const { process, ended } = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBe(1)
    process.kill('SIGUSR1')
    arrived.open()
    expect(await ended).toMatchObject({ exitCode: 0, stderr: expect.not.stringMatching(/debugger/i) })
    expect(madeBy(service)).toEqual(taskNames(3))
  })

  it('a run that stops early goes on when its output is no longer read', async () => {
    const alone = closedLatch()
    const service = await startService({
      holds: () => (service.calls.length > 4 ? alone.opened : undefined),
    })
    const cwd = await files({ 'tasks.csv': tasks(60) })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '2', '--log-level', 'trace')
    const { process, ended } = start(args, { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBeGreaterThan(4)
    process.stderr?.destroy()
    alone.open()
    expect((await ended).exitCode).toBe(0)
    expect(await outcomesIn(join(cwd, 'results.ndjson'))).toHaveLength(60)
    expect(service.made).toHaveLength(60)
  })

  it('a run that stops early after fifty calls at once has no warning of Node', async () => {
    const cwd = await files({ 'tasks.csv': tasks(50) })
    const nobody = 'http://127.0.0.1:9'
    const args = importOf('tasks.csv', 'task.yaml', nobody, '-c', '50', '--retries', '1')
    const { ended } = start(args, { cwd, stdin: '' })
    const { exitCode, stderr } = await ended
    expect(exitCode).toBe(1)
    expect(stderr).not.toMatch(/Warning/)
    expect(linesOf(stderr).at(-1)).toMatchObject({ failed: 50, retries: 50 })
  })
})
