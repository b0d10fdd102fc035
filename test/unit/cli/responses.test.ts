import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fastClock } from '../../support/clock.ts'
import { files, importOf, taskNames, tasks } from '../../support/imports.ts'
import { outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'
import { madeBy, type Reaction, type Service, startService } from '../../support/service.ts'

/** An import of five tasks by a settings file that holds these lines; `run` takes further flags and skips waits. */
async function importWith(
  service: Service,
  settings: string,
  changes: Record<string, string> = {},
  clock = fastClock(),
) {
  const cwd = await files({ 'settings.yaml': settings, ...changes })
  const args = importOf('tasks.csv', 'task.yaml', service.url, '--config', 'settings.yaml')
  const outcomes = () => outcomesIn(join(cwd, 'results.ndjson'))
  return { cwd, outcomes, run: (...more: string[]) => rowlift([...args, ...more], { cwd, clock }) }
}

/** A service that does this with the first calls for a task of that name, and creates all others. */
const serviceThat = (name: string, ...reactions: Reaction[]) =>
  startService({
    react: (attempt, { body }) => (body.name === name ? (reactions[attempt - 1] ?? 'create') : 'create'),
  })

const rateLimited: Reaction = { answer: 400, body: '{"error":"API Rate Limit exceeded for key 4711"}' }
const rateLimitRule = 'responses: [{ status: 400, body: "rate limit", means: throttled }]\n'

describe('answer that a rule takes for throttling', () => {
  it.each(['at-most-once', 'at-least-once'])(
    'a throttling answer by a rule is tried again under %s, and its row made once',
    async mode => {
      const service = await serviceThat('Task 2', rateLimited, rateLimited)
      const { run, outcomes } = await importWith(service, rateLimitRule)
      const ended = await run('--delivery', mode)
      expect(ended.exitCode).toBe(0)
      expect(madeBy(service)).toEqual(taskNames(5))
      expect((await outcomes())[1]).toMatchObject({ status: 'created', attempts: 3 })
      expect(summaryOf(ended)).toMatchObject({ created: 5, retries: 2, throttled: 2 })
    },
  )

  it('a throttling answer by a rule is a failure if the rules speak of others', async () => {
    const service = await serviceThat('Task 2', rateLimited)
    const { run, outcomes } = await importWith(service, rateLimitRule.replace('400', '422'))
    expect((await run()).exitCode).toBe(1)
    expect((await outcomes())[1]).toMatchObject({
      status: 'failed',
      attempts: 1,
      errors: [{ message: 'the service answered 400' }],
    })
  })

  it('a throttling answer by a rule waits as long as Retry-After says, and the whole run with it', async () => {
    const clock = fastClock()
    const service = await startService({
      clock,
      react: (attempt, { body }) =>
        body.name === 'Task 1' && attempt === 1
          ? { ...rateLimited, headers: { 'retry-after': '1' } }
          : 'create',
    })
    const { run } = await importWith(service, rateLimitRule, {}, clock)
    expect((await run('-c', '1')).exitCode).toBe(0)
    const [first = 0, ...others] = service.calls.map(({ atMs }) => atMs)
    expect(others).toHaveLength(5)
    for (const atMs of others) expect(atMs - first).toBeGreaterThanOrEqual(1_000)
  })

  it('a throttling answer by a rule stops the run when it asks for over ten minutes', async () => {
    const service = await serviceThat('Task 1', { ...rateLimited, headers: { 'retry-after': '601' } })
    const { run } = await importWith(service, rateLimitRule)
    const ended = await run('-c', '1')
    expect(ended.exitCode).toBe(3)
    expect(summaryOf(ended).stopped).toContain('the service asks to wait until')
  })

  it('a throttling answer by a rule fails when the retries are spent, and says that a rule decided it', async () => {
    const service = await serviceThat('Task 3', rateLimited, rateLimited)
    const { run, outcomes } = await importWith(service, rateLimitRule)
    expect((await run('--retries', '1')).exitCode).toBe(1)
    expect((await outcomes())[2]).toMatchObject({
      status: 'failed',
      attempts: 2,
      http_status: 400,
      errors: [
        { message: 'the service answered 400, which a rule of the settings file treats as throttled' },
      ],
    })
  })

  it('a throttling answer by a rule may be a 200 that tells of an error', async () => {
    const service = await serviceThat('Task 2', { answer: 200, body: '{"error":"rate limit"}' })
    const { run } = await importWith(service, 'responses: [{ body: RATE LIMIT, means: throttled }]\n')
    expect((await run()).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(5))
  })

  it('a throttling answer by a rule is known by text far after the quoted part', async () => {
    const body = Buffer.concat([Buffer.alloc(60_000, 0xff), Buffer.from(' RATE limit')])
    const service = await serviceThat('Task 2', { answer: 400, body })
    const { run } = await importWith(service, rateLimitRule)
    expect((await run()).exitCode).toBe(0)
  })
})

describe('answer that a rule takes for something else', () => {
  it('a rule takes 503 as ambiguous: the row is in doubt, or sent again under at-least-once', async () => {
    const late: Reaction = { answer: 503, body: 'upstream timed out', creates: true }
    const rule = 'responses: [{ status: [503, 408], means: ambiguous }]\n'
    const service = await serviceThat('Task 2', late)
    const { run, outcomes } = await importWith(service, rule)
    expect((await run()).exitCode).toBe(1)
    expect((await outcomes())[1]).toMatchObject({
      status: 'in_doubt',
      attempts: 1,
      http_status: 503,
      errors: [
        { message: 'the service answered 503, which a rule of the settings file treats as ambiguous' },
      ],
      body: { name: 'Task 2' },
    })
    expect(madeBy(service)).toEqual(taskNames(5))

    const other = await serviceThat('Task 2', { answer: 503, body: 'upstream timed out' })
    const again = await importWith(other, rule)
    expect((await again.run('--delivery', 'at-least-once', '--expect-unclear', '1')).exitCode).toBe(0)
    expect((await again.outcomes())[1]).toMatchObject({ status: 'created', attempts: 2, unclear_attempts: 1 })
  })

  it('a rule takes 200 without a record_id as refused: the row failed', async () => {
    const service = await serviceThat('Task 2', { answer: 200, body: '{"error":"Name is taken"}' })
    const { run, outcomes } = await importWith(
      service,
      'responses: [{ status: 200, body: error, means: refused }]\n',
    )
    const ended = await run()
    expect(ended.exitCode).toBe(1)
    expect(summaryOf(ended)).toMatchObject({ created: 4, failed: 1, in_doubt: 0 })
    expect((await outcomes())[1]).toMatchObject({
      status: 'failed',
      http_status: 200,
      errors: [{ body: '{"error":"Name is taken"}' }],
    })
  })

  it('a rule never takes a 200 with a record_id for something else', async () => {
    const service = await startService()
    const { run } = await importWith(
      service,
      'responses: [{ status: [200, 201], means: refused }, { body: record_id, means: unauthorized }]\n',
    )
    expect((await run()).exitCode).toBe(0)
    expect(service.made).toHaveLength(5)
  })

  it('a rule never takes a 200 that broke off in its middle for something else', async () => {
    const service = await serviceThat('Task 2', { cut: 'in the answer' })
    const { run, outcomes } = await importWith(service, 'responses: [{ status: 200, means: refused }]\n')
    expect((await run()).exitCode).toBe(1)
    expect((await outcomes())[1]).toMatchObject({ status: 'in_doubt' })
  })

  it('a rule takes 503 as ambiguous also if it broke off before its text was read', async () => {
    const brokenOff: Reaction = { answer: 503, body: 'upstream', headers: { 'content-length': '100' } }
    const service = await serviceThat('Task 2', brokenOff)
    const { run, outcomes } = await importWith(
      service,
      'timeout: 1\nresponses: [{ status: 503, body: after the fact, means: ambiguous }]\n',
    )
    expect((await run()).exitCode).toBe(1)
    expect((await outcomes())[1]).toMatchObject({ status: 'in_doubt', http_status: 503, attempts: 1 })
  })

  it('a rule takes 502 of a proxy as never reached: the call is tried again', async () => {
    const gateway: Reaction = { answer: 502, body: '<h1>No healthy upstream</h1>' }
    const service = await serviceThat('Task 2', gateway, gateway)
    const { run, outcomes } = await importWith(
      service,
      'responses: [{ status: 502, body: no healthy upstream, means: never_reached }]\n',
    )
    expect((await run('--retries', '1')).exitCode).toBe(1)
    expect((await outcomes())[1]).toMatchObject({ status: 'failed', attempts: 2 })
    expect((await run()).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(5))
  })

  it('a rule takes 400 as unauthorized: the run stops with 3 and says why', async () => {
    const service = await startService({
      react: () => ({ answer: 400, body: '{"error":"Session EXPIRED, log in"}' }),
    })
    const { run, outcomes } = await importWith(
      service,
      'responses: [{ body: session expired, means: unauthorized }]\n',
    )
    const ended = await run('-c', '1')
    expect(ended.exitCode).toBe(3)
    expect(service.calls).toHaveLength(1)
    const { stopped } = summaryOf(ended)
    expect(stopped).toContain(
      'the service answered 400, which a rule of the settings file (responses:) treats as unauthorized',
    )
    expect(stopped).not.toContain('does not know this address')
    expect(await outcomes()).toMatchObject([{ status: 'failed', http_status: 400 }])
  })

  it('a rule takes 400 as unauthorized, and the token file is read again first', async () => {
    const settings = 'token-file: token\nresponses: [{ status: 400, body: token, means: unauthorized }]\n'
    let rotate = () => {}
    const service = await startService({
      react: (_, { headers }) => {
        rotate()
        return headers.authorization === 'Bearer new' ? 'create' : { answer: 400, body: 'token expired' }
      },
    })
    const { run, cwd } = await importWith(service, settings, { token: 'old' })
    rotate = () => writeFileSync(join(cwd, 'token'), 'new')
    expect((await run('-c', '1')).exitCode).toBe(0)
    expect(service.calls).toHaveLength(6)
  })

  it('a rule takes 403 before the first success as refused: the run goes on', async () => {
    const service = await serviceThat('Task 1', { answer: 403, body: 'this task is locked' })
    const { run } = await importWith(service, 'responses: [{ status: 403, body: locked, means: refused }]\n')
    const ended = await run('-c', '1')
    expect(ended.exitCode).toBe(1)
    expect(summaryOf(ended)).toMatchObject({ created: 4, failed: 1 })
  })

  it('the first rule that matches an answer counts, whatever the later ones say', async () => {
    const service = await serviceThat('Task 2', { answer: 400, body: 'limit of names' })
    const { run, outcomes } = await importWith(
      service,
      'responses:\n  - { body: limit of names, means: refused }\n  - { body: limit, means: throttled }\n',
    )
    await run()
    expect((await outcomes())[1]).toMatchObject({ status: 'failed', attempts: 1 })
  })
})

describe('summary', () => {
  const body = (name: string) =>
    JSON.stringify({
      error: `Request limit of 100 per minute exceeded for '${name}'`,
      request: randomUUID(),
      took: Math.random(),
    })

  it('the summary makes one group of answers that differ in ids', async () => {
    let isLimited = true
    const service = await startService({
      react: (attempt, call) =>
        isLimited || (attempt === 2 && call.body.name === 'Task 7')
          ? { answer: 400, body: body(String(call.body.name)), headers: { 'retry-after': '0' } }
          : 'create',
    })
    const cwd = await files({ 'tasks.csv': tasks(50) })
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    const first = await rowlift([...args, '--log-format', 'pretty'], { cwd })
    expect(first.exitCode).toBe(1)
    expect(first.stderr).toContain('  50 rows failed: the service answered 400\n      tasks.csv:')
    const rules = 'responses: [{ status: 400, body: "per minute exceeded", means: throttled }]'

    isLimited = false
    await writeFile(join(cwd, 'settings.yaml'), rules)
    const second = await rowlift([...args, '--config', 'settings.yaml'], { cwd })
    expect(second.exitCode).toBe(0)
    expect(summaryOf(second)).toMatchObject({ created: 50, failed: 0, retries: 1, throttled: 1 })
    expect(madeBy(service)).toEqual(taskNames(50))
  })

  it('the summary passes the rows to programs, and not what the service wrote', async () => {
    const service = await startService({
      react: (_, call) => ({ answer: 403, body: body(String(call.body.name)) }),
    })
    const cwd = await files()
    const ended = await rowlift(importOf('tasks.csv', 'task.yaml', service.url, '-c', '1'), { cwd })
    expect(summaryOf(ended)).toMatchObject({
      reasons: [
        {
          status: 'failed',
          reason: 'the service answered 403',
          count: 1,
          examples: [{ source: 'tasks.csv' }],
        },
      ],
    })
    expect(ended.stderr).not.toContain('Request limit')
  })
})

describe('rules of a settings file', () => {
  it('rules of a settings file that are wrong end the command with 2, with their place', async () => {
    const service = await startService()
    const { run } = await importWith(
      service,
      'retries: 2\nresponses:\n  - { status: 400, mean: throttled }\n  - { status: 4, means: throtled }\n',
    )
    const ended = await run()
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' })
    expect(ended.stderr.split('\n')).toEqual([
      expect.stringMatching(/^rowlift: settings\.yaml:3:5: means: must be one of never_reached, throttled, /),
      'settings.yaml:3:20: unknown key "mean"; did you mean "means"?',
      'settings.yaml:4:15: status: must be a whole number from 200 to 599, or a list of them',
      expect.stringMatching(/^settings\.yaml:4:25: means: must be one of .*; did you mean "throttled"\?$/),
      '',
    ])
    expect(service.calls).toHaveLength(0)
  })

  it('rules of a settings file are checked in a dry run too', async () => {
    const cwd = await files({ 'settings.yaml': 'responses: [{ status: 400, means: throtled }]\n' })
    const args = ['import', 'tasks.csv', '-m', 'task.yaml', '--dry-run', '--config', 'settings.yaml']
    expect((await rowlift(args, { cwd })).exitCode).toBe(2)
  })

  it('rules of a settings file stand there only: no variable and no flag is taken for them', async () => {
    const service = await startService()
    const cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    const env = { ROWLIFT_RESPONSES: '[{ status: 200' }
    expect((await rowlift(args, { cwd, env })).exitCode).toBe(0)
    const flag = await rowlift([...args, '--responses', '[]'], { cwd })
    expect(flag).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('unknown option --responses'),
    })
  })
})
