import { readFileSync } from 'node:fs'
import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesBesideLog, importing, statusesIn, taskNames } from '../../support/imports.ts'
import { closedLatch } from '../../support/latch.ts'
import { callOf, leaveCalls } from '../../support/log-files.ts'
import { pollOptions } from '../../support/polling.ts'
import { linesOf, outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'
import { madeBy, type Service, type ServiceOptions } from '../../support/service.ts'
import { smallDisk } from '../../support/small-disk.ts'

const calls = (service: Service, count: number) =>
  expect.poll(() => service.calls.length, pollOptions).toBeGreaterThanOrEqual(count)

describe('run that is killed', () => {
  it('a run that is killed has each row on disk before its call arrives', async () => {
    const known: boolean[] = []
    let cwd = ''
    const importer = await importing(20, {
      react: (_, { body }) => {
        const lines = readFileSync(join(cwd, 'results.ndjson.inflight'), 'utf8')
        known.push(lines.includes(JSON.stringify(body)))
        return 'create'
      },
    })
    cwd = importer.cwd
    expect((await rowlift(importer.args, { cwd })).exitCode).toBe(0)
    expect(known).toEqual(Array(20).fill(true))
    expect(await filesBesideLog(cwd)).toEqual([])
  })

  it('a run that is killed counts what the service refused before as tried again', async () => {
    let isBroken = true
    const { cwd, args } = await importing(4, {
      react: (_, { body }) => (isBroken && body.name !== 'Task 1' ? { answer: 422 } : 'create'),
    })
    expect(summaryOf(await rowlift(args, { cwd }))).toMatchObject({ created: 1, failed: 3, tried_again: 0 })
    isBroken = false
    expect(summaryOf(await rowlift(args, { cwd }))).toMatchObject({ created: 3, done: 1, tried_again: 3 })
  })
})

describe('lock of a killed run', () => {
  const watched = 'waiting some seconds for its heartbeat'

  it('the lock of a killed run of another machine is taken over after --lock-timeout', async () => {
    const { cwd, args, log } = await importing(2)
    const leftBehind = async () => {
      await mkdir(`${log}.lock`)
      const holder = { id: 'other', pid: 1, host: 'another', since: '2026-11-21T02:00:00.000Z' }
      await writeFile(join(`${log}.lock`, 'other'), JSON.stringify(holder))
    }
    await leftBehind()
    const run = await rowlift([...args, '--lock-timeout', '0.3'], { cwd })
    expect(run.exitCode).toBe(0)
    expect(run.stderr).toContain(`held by pid 1 on another, since 2026-11-21T02:00:00.000Z; ${watched}`)
    await leftBehind()
    const resolve = ['resolve', 'results.ndjson', '--key', '1', '--not-created', '--lock-timeout', '0.3']
    const settled = await rowlift(resolve, { cwd })
    expect(settled.stderr).toContain(watched)
    expect(settled.stderr).toContain('its record is known')
    expect(await filesBesideLog(cwd)).toEqual([])
  })

  it('the lock of a killed run says how long it may stand still, whatever option said so', async () => {
    const looked = closedLatch()
    const { service, cwd, args, log } = await importing(2, { holds: () => looked.opened })
    const running = rowlift(args, { cwd, env: { ROWLIFT_LOCK_TIMEOUT: '60' } })
    await calls(service, 2)
    const [id = ''] = await readdir(`${log}.lock`)
    const holder = JSON.parse(await readFile(join(`${log}.lock`, id), 'utf8'))
    expect(holder).toMatchObject({ id, pid: process.pid, lock_timeout_ms: 60_000 })
    looked.open()
    await running
  })
})

describe('two runs on one log', () => {
  it('two runs on one log are one run, and the other ends with 4 and names it', async () => {
    const refused = closedLatch()
    const { service, cwd, args } = await importing(12, { holds: () => refused.opened }, '-c', '2')
    const first = rowlift([...args, '--lock-timeout', '1'], { cwd })
    await calls(service, 2)
    const second = await rowlift(args, { cwd })
    expect(second.exitCode).toBe(4)
    expect(second.stderr).toMatch(
      new RegExp(`results.ndjson: another run holds this result log \\(pid ${process.pid} on .+, since 20`),
    )
    expect(service.calls).toHaveLength(2)
    refused.open()
    expect((await first).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(12))
  })
})

describe('log that cannot be written', () => {
  /** What is true whatever happened to the log: nothing is lost, and nothing twice when it is whole again. */
  async function accounted(service: Service, stderr: string, log: string): Promise<void> {
    const printed = linesOf(stderr.replaceAll(/^[^{].*$/gm, '')).filter(line => line.status !== undefined)
    const known = [...printed, ...(await outcomesIn(log))].map(({ record_id }) => record_id)
    for (const { recordId } of service.made) expect(known).toContain(recordId)
  }

  /** An import of 100 rows, with some outcomes in its log and four calls whose answers wait for `go`. */
  async function paused() {
    const going = closedLatch()
    const holds = () => (service.calls.length > 20 ? going.opened : undefined)
    const { service, ...importer } = await importing(100, { holds }, '-c', '4')
    const ended = rowlift(importer.args, { cwd: importer.cwd })
    await calls(service, 24)
    return { ...importer, service, ended, go: going.open }
  }

  it('a log that cannot be written stops the run with 3, and stderr has what is missing', async () => {
    const { service, cwd, args, log, ended, go } = await paused()
    await rename(log, `${log}.moved`)
    go()
    const run = await ended
    expect(run.exitCode).toBe(3)
    expect(summaryOf(run).stopped).toContain('was removed, renamed or cut short')
    expect(service.calls.length).toBeLessThan(100)
    await accounted(service, run.stderr, `${log}.moved`)
    await rename(`${log}.moved`, log)
    await rowlift(args, { cwd })
    expect(madeBy(service)).toEqual(taskNames(100))
  })

  it('a log without room stops the run with 3, and goes on when there is room', async context => {
    const { service, cwd, args } = await importing(600)
    const small = join(cwd, 'small')
    const { grow } = await smallDisk(small, context)
    const log = join(small, 'results.ndjson')
    const inSmall = [...args.slice(0, -1), log]
    const run = await rowlift(inSmall, { cwd })
    expect(run.exitCode).toBe(3)
    expect(summaryOf(run).stopped).toContain('cannot be written (ENOSPC)')
    expect(service.calls.length).toBeLessThan(600)
    const again = await rowlift(inSmall, { cwd })
    expect(again.exitCode).toBe(3)

    grow()
    const last = await rowlift(inSmall, { cwd })
    expect([0, 1]).toContain(last.exitCode)
    expect(new Set(madeBy(service)).size).toBe(service.made.length)
    expect(new Set((await outcomesIn(log)).map(({ row }) => row)).size).toBe(600)
    await accounted(service, run.stderr + again.stderr, log)
  }, 60_000)

  it('a log without the right to write ends the run with 3 before anything is sent', async context => {
    if (process.getuid?.() === 0) return context.skip('root may write everything')
    const { service, cwd, args, log } = await importing(3)
    await rowlift([...args, '--limit', '1'], { cwd })
    await chmod(log, 0o400)
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(3)
    expect(run.stderr).toContain('results.ndjson: cannot be written (EACCES)')
    expect(service.calls).toHaveLength(1)
  })

  it('a log is repaired when its last line is torn, and its row is not sent again', async () => {
    const { service, cwd, args, log } = await importing(3)
    await rowlift([...args, '--limit', '2'], { cwd })
    await leaveCalls(log, ...(await outcomesIn(log)).slice(-1).map(outcome => callOf(outcome)))
    await truncate(log, (await stat(log)).size - 30)
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(1)
    expect(new Set(await statusesIn(log))).toEqual(new Set(['1 created', '2 in_doubt', '3 created']))
    expect(madeBy(service)).toEqual(taskNames(3))
  })

  it('a log that is gone after a run is missed, rather than every row created again', async () => {
    const { service, cwd, args, log } = await importing(2)
    await rowlift(args, { cwd })
    await leaveCalls(log, ...(await outcomesIn(log)).map(outcome => callOf(outcome)))
    await rm(log)
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toContain('results.ndjson: is gone, but results.ndjson.inflight shows')
    expect(service.made).toHaveLength(2)
    await rm(join(cwd, 'results.ndjson.inflight'))
    expect((await rowlift(args, { cwd })).exitCode).toBe(0)
  })

  it('a log is missed when it is cut short while it is written', async () => {
    const { service, log, ended, go } = await paused()
    await truncate(log, 0)
    go()
    const run = await ended
    expect(run.exitCode).toBe(3)
    expect(summaryOf(run).stopped).toContain('removed, renamed or cut short')
    expect(service.calls.length).toBeLessThan(100)
  })

  it('a log that has another mapping’s rows is refused, and nothing is lost', async () => {
    const { service, cwd, args, log } = await importing(2)
    await rowlift(args, { cwd })
    const before = await readFile(log)
    await appendFile(join(cwd, 'task.yaml'), 'where: { Id: "1" }\n')
    expect((await rowlift([...args, '--accept-fewer'], { cwd })).exitCode).toBe(0)
    await writeFile(join(cwd, 'task.yaml'), 'record: task\nkey: Name\nbody: { name: "{{Name}}" }\n')
    const other = await rowlift(args, { cwd })
    expect(other.exitCode).toBe(2)
    expect(other.stderr).toContain(
      'results.ndjson: belongs to an import with another key (["Id"], now ["Name"]); its 2 records would be created again; if a column has another name now, add --renamed OLD=NEW; if the rows have another key: rowlift log results.ndjson --rekey MAPPING SOURCE...',
    )
    expect((await readFile(log)).subarray(0, before.length)).toEqual(before)
    expect(service.made).toHaveLength(2)
    expect(await filesBesideLog(cwd)).toEqual([])
  })
})

describe('call', () => {
  it('a call that hangs past its timeout is in doubt, once, and held from then on', async () => {
    const react: ServiceOptions['react'] = (_, { body }) =>
      body.name === 'Task 2' ? { hang: true } : 'create'
    const { service, cwd, args, log } = await importing(3, { react }, '--timeout', '1')
    expect((await rowlift(args, { cwd })).exitCode).toBe(1)
    expect(await statusesIn(log)).toEqual(['1 created', '2 in_doubt', '3 created'])
    const next = await rowlift(args, { cwd })
    expect(next.exitCode).toBe(1)
    expect(summaryOf(next)).toMatchObject({ done: 2, held: 1 })
    expect(service.calls).toHaveLength(3)
  })
})
