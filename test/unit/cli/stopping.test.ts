import { readFileSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importOf, taskMapping, tasks } from '../../support/imports.ts'
import { closedLatch } from '../../support/latch.ts'
import { pollOptions } from '../../support/polling.ts'
import { into, rowlift, summaryOf } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

describe('run that stops early', () => {
  it('a run that stops early ends with 3 when the token is refused, and goes on with another', async () => {
    const service = await startService({
      react: (_, { headers }) => (headers.authorization === 'Bearer good' ? 'create' : { answer: 401 }),
    })
    const cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url, '-c', '2')
    const refused = await rowlift(args, { cwd, env: { ROWLIFT_TOKEN: 'bad' } })
    expect(refused.exitCode).toBe(3)
    expect(summaryOf(refused).stopped).toContain('the service refuses the token (401)')
    expect(service.calls.length).toBeLessThanOrEqual(2)
    expect((await rowlift(args, { cwd, env: { ROWLIFT_TOKEN: 'good' } })).exitCode).toBe(0)
    expect(service.made).toHaveLength(5)
  })

  it('a run that stops early ends with 3 when the service does not answer, before a million rows fail', async () => {
    const cwd = await files({ 'tasks.csv': tasks(200) })
    const run = await rowlift(
      importOf('tasks.csv', 'task.yaml', 'http://127.0.0.1:9', '--retries', '0', '-c', '2'),
      { cwd },
    )
    expect(run.exitCode).toBe(3)
    expect(summaryOf(run).stopped).toContain('the service is not answering')
    expect(summaryOf(run).failed).toBeLessThan(20)
  })

  it.each([
    ['2', 3],
    ['3%', 3],
    ['200', 1],
  ])(
    'a run that stops early with --max-failures %s ends with %i after three bad rows',
    async (allowed, exitCode) => {
      const service = await startService()
      const cwd = await files({
        'tasks.csv': `Id,Name\n${Array.from({ length: 100 }, (_, at) => `${at},${at % 20 === 0 ? '' : `Task ${at}`}\n`).join('')}`,
      })
      await writeFile(
        join(cwd, 'task.yaml'),
        taskMapping.replace('"{{Name}}"', '{ from: Name, required: true }'),
      )
      const run = await rowlift(importOf('tasks.csv', 'task.yaml', service.url, '--max-failures', allowed), {
        cwd,
      })
      expect(run.exitCode).toBe(exitCode)
    },
  )

  it('a run that stops early ends with 3 when a source breaks off, or 2 if nothing was sent', async () => {
    const service = await startService()
    const padding = 'x'.repeat(1_000)
    const rows = Array.from({ length: 200 }, (_, at) => `${at},Task ${at},${padding}\n`).join('')
    const cwd = await files({
      'bad.csv': Buffer.concat([Buffer.from(`Id,Name,Notes\n${rows}`), Buffer.from([0x39, 0x2c, 0xff, 10])]),
      'short.csv': Buffer.from('Id\nMüller\n', 'latin1'),
    })
    const long = await rowlift(importOf('bad.csv', 'task.yaml', service.url), { cwd })
    expect(long.exitCode).toBe(3)
    expect(summaryOf(long).stopped).toContain('bad.csv:202: this line holds bytes that are not utf-8')
    const short = await rowlift(importOf('short.csv', 'task.yaml', service.url), { cwd })
    expect(short.exitCode).toBe(2)
    expect(short.stderr).toContain(
      'short.csv:2: this line holds bytes that are not utf-8; name its encoding, such as --encoding windows-1252',
    )
  })

  it('a run that stops early ends with 3 before anything is sent if its log cannot be written', async () => {
    const service = await startService()
    const cwd = await files()
    const run = await rowlift(['import', 'tasks.csv', '-m', 'task.yaml', ...into(service.url, '/dev/full')], {
      cwd,
    })
    expect(run.exitCode).toBe(3)
    expect(service.calls).toHaveLength(0)
    expect(run.stderr).toMatch(
      /\/dev\/full(: cannot be written \((ENOSPC|EINVAL)\)|\.lock: cannot be written \(EACCES\))/,
    )
  })

  it('a run that stops early does not say to run the same command again if the log goes to stdout', async () => {
    const service = await startService()
    const cwd = await files()
    const args = ['import', 'tasks.csv', '-m', 'task.yaml', ...into(service.url, '-'), '--limit', '2']
    expect(summaryOf(await rowlift(args, { cwd })).next).toBeUndefined()
    const refusing = await startService({ react: () => ({ answer: 401 }) })
    const stopped = await rowlift(['import', 'tasks.csv', '-m', 'task.yaml', ...into(refusing.url, '-')], {
      cwd,
    })
    expect(summaryOf(stopped).stopped).not.toContain('same command again')
  })

  it('a run that stops early ends with 3 also if the log that is gone could name a merged row', async () => {
    const cwd = await files({
      'contacts.csv': 'Name,Email\nAda,a@x.org\nAda,b@x.org\nBo,c@x.org\nCy,d@x.org\n',
    })
    const log = join(cwd, 'results.ndjson')
    const service = await startService({
      similar: ({ body }) => String(body.name),
      async holds({ body }) {
        if (body.name !== 'Cy') return
        await expect.poll(() => readFileSync(log, 'utf8'), pollOptions).toContain('"merged"')
        rmSync(log)
      },
    })
    const args = importOf('contacts.csv', 'map.yaml', service.url, '--use-created', '-c', '1')
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(3)
    expect(summaryOf(run)).toMatchObject({ merged: 1, stopped: expect.stringContaining('was removed') })
  })

  it('a run that stops early ends with 2 when the folder of the result log is not there', async () => {
    const cwd = await files()
    const args = ['import', 'tasks.csv', '-m', 'task.yaml', ...into('http://127.0.0.1:9', 'no/r.ndjson')]
    const run = await rowlift(args, { cwd })
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('create the folder')])
  })

  it('a run that stops early ends with 3 and says until when, however long the service asks to wait', async () => {
    const service = await startService({
      react: () => ({ answer: 429, headers: { 'retry-after': '99999999999999' } }),
    })
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service.url), { cwd: await files() })
    expect(run.exitCode).toBe(3)
    expect(summaryOf(run).stopped).toContain('the service asks to wait until')
  })
})

describe('token', () => {
  it('the token never appears in any output, whatever the service writes', async () => {
    const service = await startService({
      react: () => ({ answer: 422, body: 'Bearer a-secret-token is not welcome' }),
    })
    const cwd = await files()
    const run = await rowlift(importOf('tasks.csv', 'task.yaml', service.url, '--log-level', 'trace'), {
      cwd,
    })
    expect(service.calls[0]?.headers.authorization).toBe('Bearer a-secret-token')
    const log = await readFile(join(cwd, 'results.ndjson'), 'utf8')
    expect(log).toContain('Bearer [token] is not welcome')
    expect(run.stdout + run.stderr + log).not.toContain('a-secret-token')
  })

  it('the token is read from a file, and again when it was rotated', async () => {
    let good = 'first'
    const rotated = closedLatch()
    const cwd = await files({ token: 'first\n', 'tasks.csv': tasks(4) })
    const service = await startService({
      react: (_, { headers, body }) => {
        if (headers.authorization !== `Bearer ${good}`) return { answer: 401 }
        if (body.name === 'Task 2') good = 'second'
        return 'create'
      },
      holds: ({ body }) => (body.name === 'Task 2' ? rotated.opened : undefined),
    })
    const running = rowlift(
      importOf('tasks.csv', 'task.yaml', service.url, '--token-file', 'token', '-c', '1'),
      { cwd },
    )
    await expect.poll(() => good, pollOptions).toBe('second')
    await writeFile(join(cwd, 'token'), 'second\n')
    rotated.open()
    expect((await running).exitCode).toBe(0)
    expect(service.made).toHaveLength(4)
  })
})
