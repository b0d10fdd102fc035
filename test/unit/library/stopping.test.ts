import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importRows, UsageError } from '../../../src/index.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { collected, intoService, taskRows, until } from '../../support/library.ts'
import { outcomesIn } from '../../support/rowlift.ts'
import { madeBy, startService } from '../../support/service.ts'

const logIn = async () => join(await tempFolder(), 'results.ndjson')

/** Rows without end, and whether they were told to end. */
function endless() {
  const told = { ended: false, taken: 0 }
  async function* rows() {
    try {
      for (;;) {
        told.taken += 1
        yield { Id: told.taken, Name: `Task ${told.taken}` }
      }
    } finally {
      told.ended = true
    }
  }
  return { rows: rows(), told }
}

describe('import by a program', () => {
  it('an import by a program ends when its loop is left, with its calls settled', async () => {
    const service = await startService({ latencyMs: 5 })
    const results = await logIn()
    const { rows, told } = endless()
    const run = importRows({ ...intoService(service.url, results), rows, concurrency: 4 })
    for await (const { status } of run) if (status === 'created' && service.calls.length > 20) break
    await service.settled()
    expect(told.ended).toBe(true)
    const logged = await outcomesIn(results)
    expect(logged.every(({ status }) => status === 'created')).toBe(true)
    expect(logged.map(({ record_id }) => record_id).sort()).toEqual(
      service.made.map(({ recordId }) => recordId).sort(),
    )
    expect(await run.summary()).toMatchObject({
      stopped: { reason: 'aborted', message: expect.stringContaining('the loop over its outcomes was left') },
      rows: { created: logged.length },
      exitCode: 3,
    })
    expect(await readFile(`${results}.inflight`, 'utf8').catch(({ code }) => code)).toBe('ENOENT')
  })

  it('an import by a program ends when its loop throws, and the error stays what it is', async () => {
    const service = await startService()
    const { rows } = endless()
    const run = importRows({ ...intoService(service.url, await logIn()), rows })
    const looped = (async () => {
      for await (const _ of run) throw new RangeError('mine')
    })()
    await expect(looped).rejects.toThrow(RangeError)
    expect((await run.summary()).stopped?.reason).toBe('aborted')
  })

  it.each(['a loop', 'no loop'])(
    'an import by a program ends when its signal is aborted, with %s',
    async loop => {
      const service = await startService({ latencyMs: 5 })
      const results = await logIn()
      const { rows, told } = endless()
      const controller = new AbortController()
      const run = importRows({ ...intoService(service.url, results), rows, signal: controller.signal })
      const outcomes = loop === 'a loop' ? collected(run) : undefined
      const summary = run.summary()
      await until(() => service.calls.length > 20)
      controller.abort()
      expect(await summary).toMatchObject({ stopped: { reason: 'aborted' }, exitCode: 3 })
      await service.settled()
      expect(told.ended).toBe(true)
      const logged = await outcomesIn(results)
      expect(logged.length).toBe(service.made.length)
      if (outcomes) expect((await outcomes).map(({ key }) => key)).toEqual(logged.map(({ key }) => key))
    },
  )

  it('an import by a program ends when it is aborted while its rows keep it waiting for ever', async () => {
    const service = await startService()
    const controller = new AbortController()
    async function* rows() {
      yield { Id: 1, Name: 'Task 1' }
      await new Promise(() => {})
    }
    const run = importRows({
      ...intoService(service.url, await logIn()),
      rows: rows(),
      signal: controller.signal,
    })
    for await (const { status } of run) {
      expect(status).toBe('created')
      controller.abort()
    }
    expect((await run.summary()).rows.created).toBe(1)
  })

  it('an import by a program does not begin when it is aborted before', async () => {
    const service = await startService()
    const results = await logIn()
    const run = importRows({
      ...intoService(service.url, results),
      rows: taskRows(3),
      signal: AbortSignal.abort(),
    })
    expect(await collected(run)).toEqual([])
    expect(await run.summary()).toMatchObject({ stopped: { reason: 'aborted' }, rows: { created: 0 } })
    await expect(readFile(results)).rejects.toThrow('ENOENT')
    expect(madeBy(service)).toEqual([])
  })

  it('an import by a program goes on at the row if it was stopped', async () => {
    const service = await startService()
    const results = await logIn()
    for await (const _ of importRows({ ...intoService(service.url, results), rows: taskRows(50) })) break
    const { rows } = await importRows({ ...intoService(service.url, results), rows: taskRows(50) }).summary()
    expect(rows.created + rows.done).toBe(50)
    expect(new Set(madeBy(service)).size).toBe(50)
    expect(service.made).toHaveLength(50)
  })

  it('an import by a program shows in its summary what stopped it later', async () => {
    const service = await startService({
      react: (_, { headers }) => (headers.authorization === 'Bearer good' ? 'create' : { answer: 401 }),
    })
    async function* rows() {
      yield { Id: 1, Name: 'Task 1' }
      await until(() => service.made.length === 1)
      throw new Error('the database went away')
    }
    const options = intoService(service.url, await logIn())
    const broken = importRows({ ...options, token: 'good', rows: rows() })
    await expect(collected(broken)).resolves.toHaveLength(1)
    expect((await broken.summary()).stopped).toMatchObject({
      reason: 'source',
      message: expect.stringContaining('the database went away'),
    })
    const { stopped, exitCode } = await importRows({ ...options, token: 'bad', rows: taskRows(2) }).summary()
    expect({ stopped, exitCode }).toMatchObject({
      stopped: {
        reason: 'unauthorized',
        message: expect.stringContaining('Give a valid one in token, tokenFile or tokenCommand'),
      },
      exitCode: 3,
    })
  })

  it('an import by a program returns the outcomes that its log could not take', async () => {
    const results = await logIn()
    const service = await startService({ latencyMs: 100 })
    const run = importRows({ ...intoService(service.url, results), rows: taskRows(1) })
    const summary = run.summary()
    await until(() => service.calls.length === 1)
    await rm(results)
    const { stopped, unwritten, exitCode } = await summary
    expect(stopped?.reason).toBe('log')
    expect(exitCode).toBe(3)
    expect(unwritten.map(line => JSON.parse(line))).toMatchObject([
      { status: 'created', key: '1', record_id: service.made[0]?.recordId },
    ])
  })

  it('an import by a program can be looped over once', async () => {
    const run = importRows({
      rows: taskRows(1),
      mapping: { record: 'task', body: { name: '{{Name}}' } },
      dryRun: true,
    })
    await collected(run)
    await expect(collected(run)).rejects.toThrow(UsageError)
    const summed = importRows({
      rows: taskRows(1),
      mapping: { record: 'task', body: { name: '{{Name}}' } },
      dryRun: true,
    })
    await summed.summary()
    await expect(collected(summed)).rejects.toThrow('can be read only once')
  })
})
