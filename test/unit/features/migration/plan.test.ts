import { renameSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fastClock } from '../../../support/clock.ts'
import { closedLatch } from '../../../support/latch.ts'
import {
  callFor,
  expectCompleted,
  longMigration,
  migrating,
  migrationFiles,
  migrationSteps,
  stepsIn,
} from '../../../support/migration.ts'
import { bodyOf, idOf, parentsIn } from '../../../support/references.ts'
import { type Line, linesOf, outcomesIn, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, type Service } from '../../../support/service.ts'

const none = '00000000-0000-0000-0000-000000000000'
const everyName = ['Acme', 'Ada', 'Bell', 'Bob', 'Call', 'Cy', 'Wait', 'Write']

/** Every record once, and every link to the record that it should be. */
function expectAllLinked(service: Service & { readonly violations: readonly string[] }): void {
  expect(madeBy(service)).toEqual(everyName)
  expect(service.violations).toEqual([])
  expect(parentsIn(service)).toMatchObject({ Ada: 'Acme', Bob: 'Bell', Cy: undefined })
  const idsOf = (...names: string[]) => names.map(name => ({ record_id: idOf(service, name) }))
  expect(bodyOf(service, 'Call')?.contacts).toEqual(idsOf('Bob'))
  expect(bodyOf(service, 'Write')?.contacts).toEqual(idsOf('Ada', 'Cy'))
}

describe('plan', () => {
  it('a plan runs each step after those it needs, links the records, and has one summary', async () => {
    const { service, run, log } = await migrating()
    const first = await run()
    expect(first).toMatchObject({ exitCode: 0, stdout: '' })
    expectAllLinked(service)
    expect(stepsIn(first)).toEqual([
      ['organizations', 0],
      ['people', 0],
      ['tasks', 0],
    ])
    expect(summaryOf(first)).toMatchObject({
      plan: 'plan.yaml',
      finished: true,
      steps_done: 3,
      rows: 8,
      created: 8,
      steps: [{ created: 2, written: 'organizations.results.ndjson' }, { created: 3 }, { created: 3 }],
    })
    const lines = linesOf(first.stderr)
    expect(lines.filter(line => line.msg === 'summary')).toHaveLength(1)
    expect(lines.find(line => line.msg === 'progress' && line.step === 'people')).toMatchObject({
      ...{ step_number: 2, step_count: 3, rows: 3 },
    })
    expect(await outcomesIn(log('people'))).toHaveLength(3)

    const again = await run('--log-format', 'pretty')
    expect(again.exitCode).toBe(0)
    expect(service.calls).toHaveLength(8)
    expect(again.stderr).toMatch(/1\/3 organizations\n.*\n\n {2}left alone +2 /)
    expect(again.stderr).toMatch(/Plan plan\.yaml finished after .*: 3 of 3 steps done\n\n {2}left alone +8 /)
  })

  it('a plan has the rejected rows of each step, and takes them back repaired', async () => {
    const { service, cwd, plan, run } = await migrating({
      'p.csv': 'Name,Email,Company\nAda,ada@x.example,Acme\nBob,bob@x.example,Bel\nCy,cy@x.example,\n',
    })
    const rejecting = plan.replace('p.yaml }', 'p.yaml, rejects: p.rejects.csv }')
    await writeFile(join(cwd, 'plan.yaml'), rejecting)
    expect((await run()).exitCode).toBe(1)
    const rejects = await readFile(join(cwd, 'p.rejects.csv'), 'utf8')
    await writeFile(join(cwd, 'p.repaired.csv'), rejects.replace(',Bel,', ',Bell,'))
    await writeFile(join(cwd, 'plan.yaml'), rejecting.replace('p.csv,', '[p.repaired.csv, p.csv],'))
    expect((await run()).exitCode).toBe(0)
    expectAllLinked(service)
  })

  it('a plan finds all files next to itself from any folder, and its logs again', async () => {
    const { service, cwd, run } = await migrating({ token: 'its-own\n' }, {}, 'token-file: token\n')
    await mkdir(join(cwd, 'elsewhere'))
    const elsewhere = await rowlift(['import', '--plan', '../plan.yaml'], { cwd: join(cwd, 'elsewhere') })
    expect(service.calls[0]?.headers.authorization).toBe('Bearer its-own')
    expect(elsewhere.exitCode).toBe(0)
    expect(await readdir(join(cwd, 'elsewhere'))).toEqual([])
    expect(summaryOf(await run())).toMatchObject({ done: 8, created: 0 })
    expectAllLinked(service)
  })

  it('a plan lets a flag beat a step, a step the common part, and that the settings file', async () => {
    const { service, cwd, run, plan } = await migrating(
      { 'settings.yaml': 'api-version: "4"\nrate: 1\n' },
      {},
      'rate: 500\n',
    )
    const versioned = plan.replace('o.yaml }', 'o.yaml, api-version: 2.0, use-created: true }')
    await writeFile(join(cwd, 'plan.yaml'), versioned.replace('rate:', 'api-version: 3.10\nrate:'))
    expect((await run('--config', 'settings.yaml')).exitCode).toBe(0)
    const urlOf = (name: string) => service.calls.find(({ body }) => body.name === name)?.url
    expect(urlOf('Acme')).toBe('/v2.0/record/contact/create/7?use_created=true')
    expect(urlOf('Ada')).toBe('/v3.10/record/contact/create/7')
    await Promise.all(
      ['organizations', 'people', 'tasks'].map(step => rm(join(cwd, `${step}.results.ndjson`))),
    )
    expect((await run('--organization-id', '8')).exitCode).toBe(0)
    expect(service.calls.at(-1)?.url).toBe('/v3.10/record/task/create/8')
  })

  it('a plan has the answers of the service mean what its common part says', async () => {
    const { service, run } = await migrating(
      {},
      { react: attempt => (attempt === 1 ? { answer: 400, body: 'rate limit' } : 'create') },
      'responses: [{ status: 400, body: rate limit, means: throttled }]\n',
      fastClock(),
    )
    expect((await run()).exitCode).toBe(0)
    expect(service.calls).toHaveLength(16)
    expect(madeBy(service)).toEqual(everyName)
  })

  it('a plan goes on after failed rows, and a rerun creates the rows that depend on them', async () => {
    let isBroken = true
    const { service, run, log } = await migrating(
      {},
      { react: (_, { body }) => (isBroken && body.name === 'Bell' ? { answer: 422 } : 'create') },
    )
    const first = await run()
    expect(first.exitCode).toBe(1)
    expect(stepsIn(first)).toEqual([
      ['organizations', 1],
      ['people', 1],
      ['tasks', 1],
    ])
    expect((await outcomesIn(log('people')))[1]).toMatchObject({
      key: 'bob@x.example',
      status: 'invalid',
      errors: [{ message: expect.stringContaining('has no record in organizations.results.ndjson yet') }],
    })
    isBroken = false
    expect(summaryOf(await run())).toMatchObject({ created: 3, done: 5 })
    expectAllLinked(service)
  })

  it('a quiet plan whose steps a limit ended says so in one line, and --accept-fewer is for all steps', async () => {
    const { run, cwd, plan } = await migrating({
      't.csv': 'Id,Name,Who\n1,Call,bob@x.example\n3,Wait,\n2,Write,cy@x.example\n',
    })
    const bite = await run('--limit', '2', '--quiet')
    const words = (step: string) =>
      `${step}: --limit 2 ended the run: it sent 2 rows, and did not look at the rest.`
    const rest = 'For the rest: rowlift import --plan plan.yaml --quiet'
    expect(bite).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `WARN: ${[...['organizations', 'people', 'tasks'].map(words), rest].join(' ')}\n`,
    })
    expect((await run('--quiet')).exitCode).toBe(0)
    await writeFile(join(cwd, 'p.csv'), 'Name,Email,Company\nBob,bob@x.example,Bell\n')
    const fewer = await run()
    expect(fewer.exitCode).toBe(1)
    expect(summaryOf(fewer).steps[1].unmet).toMatchObject([{ code: 'fewer_rows_than_last' }])
    await writeFile(join(cwd, 'plan.yaml'), `accept-fewer: true\n${plan}`)
    expect((await run()).exitCode, 'it is for one run').toBe(2)
    await writeFile(join(cwd, 'plan.yaml'), plan)
    expect((await run('--accept-fewer')).exitCode).toBe(0)
  })

  it('a plan takes --limit rows of each step, and leaves out no link to rows it did not read', async () => {
    const omitting = migrationFiles['p.yaml'].replace(
      'lookup: organizations',
      'lookup: organizations, missing: omit',
    )
    const { service, run, log } = await migrating({
      'p.yaml': omitting,
      'p.csv': 'Name,Email,Company\nBob,bob@x.example,Bell\nAda,ada@x.example,Acme\nCy,cy@x.example,\n',
    })
    const bite = await run('--limit', '1')
    expect(bite.exitCode).toBe(1)
    expect(madeBy(service)).toEqual(['Acme', 'Ada', 'Wait'])
    expect((await outcomesIn(log('people')))[0]).toMatchObject({
      status: 'invalid',
      errors: [
        {
          message: expect.stringContaining('is not in the step organizations, which stopped at --limit'),
        },
      ],
    })
    expect(summaryOf(bite).next).toContain('import the rest:\n  rowlift import --plan plan.yaml')
    expect((await run()).exitCode).toBe(0)
    expectAllLinked(service)
  })
})

describe('plan that was stopped in a step', () => {
  it('a plan that was stopped by a service that is down ends with 3, and goes on there', async () => {
    let isDown = true
    const migration = await migrating(
      longMigration,
      {
        react: (_, { body }) => (isDown && /^P[1-3]/.test(String(body.name)) ? { answer: 503 } : 'create'),
      },
      'retries: 0\n',
    )
    const { service, run } = migration
    const down = await run('--max-failures', '5')
    expect(down.exitCode).toBe(3)
    expect(stepsIn(down)).toEqual([
      ['organizations', 0],
      ['people', 3],
      ['tasks', undefined],
    ])
    const summary = summaryOf(down)
    expect(summary).toMatchObject({ finished: false, steps_done: 1 })
    expect(summary.stopped).toContain('people: ')
    expect(summary.steps[2]).toEqual({ step: 'tasks', begun: false })
    expect(summary.next).toContain('then run the same command again')
    expect(service.calls.some(({ body }) => body.name === 'Call')).toBe(false)
    isDown = false
    await expectCompleted(migration)
  })

  it('a plan that was stopped by a step that cannot begin shows why, and the steps after it', async () => {
    const { service, cwd, run } = await migrating(
      {},
      {
        react: (_, { body }) => {
          if (body.name === 'Bell') renameSync(join(cwd, 'p.csv'), join(cwd, 'gone.csv'))
          return 'create'
        },
      },
    )
    const end = await run()
    expect(end.exitCode).toBe(2)
    expect(summaryOf(end).steps.slice(1)).toEqual([
      {
        step: 'people',
        begun: false,
        exit_code: 2,
        stopped: expect.stringContaining('p.csv: there is no such file'),
      },
      { step: 'tasks', begun: false },
    ])
    await rename(join(cwd, 'gone.csv'), join(cwd, 'p.csv'))
    expect((await run('--log-format', 'pretty')).exitCode).toBe(0)
    expectAllLinked(service)
  })
})

describe('plan that another run is at', () => {
  it('a plan that another run is at ends with 4 at the step that is held, and sends nothing', async () => {
    const refused = closedLatch()
    const { service, run } = await migrating({}, { holds: () => refused.opened })
    const ended = run('--lock-timeout', '1')
    await callFor(service, 'Acme')
    const other = await run()
    expect(other.exitCode).toBe(4)
    expect(other.stderr).toContain('another run holds this result log')
    expect(madeBy(service)).toEqual([])
    refused.open()
    expect((await ended).exitCode).toBe(0)
    expectAllLinked(service)
  })
})

describe('dry run of a plan', () => {
  /** One organization is refused, two differ by their case alone, and one task refers to an unknown person. */
  const withBadRows = {
    'o.yaml':
      'record: contact\nkey: Name\nbody: { name: { from: Name, required: true }, address_lat: { from: Lat, as: number } }\n',
    'o.csv': 'Name,Lat\nAcme,1\nBell,x\nCora,\nCORA,\nAT|T,\n',
    'p.csv':
      'Name,Email,Company\nAda,ada@x.example, acme\nBob,bob@x.example,Bell\nCy,cy@x.example,Cora\nDi,di@x.example,cora\nEd,,at|t\n',
    't.csv': `${migrationFiles['t.csv']}4,Lost,nobody@x.example\n`,
  }

  it('a dry run of a plan resolves links by the rows of earlier steps, and shows loose ones', async () => {
    const { cwd, run, plan } = await migrating(withBadRows)
    await writeFile(
      join(cwd, 'plan.yaml'),
      plan
        .replace('people: { ', 'people: { preview: people.fates.ndjson, ')
        .replace('tasks: { ', 'tasks: { preview: tasks.fates.ndjson, '),
    )
    const dry = await run('--dry-run')
    expect(dry.exitCode).toBe(1)
    const fates = linesOf(await readFile(join(cwd, 'people.fates.ndjson'), 'utf8'))
    const why = ({ errors, body }: Line) =>
      errors?.[0].message ?? body.parent?.record_id ?? body.contacts?.length
    expect(fates.map(line => [line.body?.name ?? line.key, why(line)])).toEqual([
      ['Ada', none],
      ['bob@x.example', expect.stringContaining('has no record in the step organizations yet')],
      ['Cy', none],
      ['di@x.example', expect.stringMatching(/^is ambiguous: o\.csv row 3 and o\.csv row 4 differ/)],
      ['Ed', none],
    ])
    const tasks = linesOf(await readFile(join(cwd, 'tasks.fates.ndjson'), 'utf8'))
    expect(tasks.map(line => [line.key, why(line)])).toEqual([
      ['1', expect.stringContaining('has no record in the step people yet')],
      ['2', 2],
      ['3', undefined],
      ['4', expect.stringContaining('is not in the step people; add it there')],
    ])
    expect(summaryOf(dry)).toMatchObject({ dry_run: true, valid: 4 + 3 + 2, invalid: 1 + 2 + 2 })
    expect((await readdir(cwd)).filter(file => file.includes('results'))).toEqual([])
  })

  it('a dry run of a plan shows the first bodies of each step, and needs no service', async () => {
    const { service, run, cwd } = await migrating()
    await writeFile(join(cwd, 'plan.yaml'), migrationSteps)
    const dry = await rowlift(['import', '--plan', 'plan.yaml', '--dry-run'], {
      cwd,
      env: { ROWLIFT_TOKEN: '' },
    })
    expect(dry.exitCode).toBe(0)
    expect(linesOf(dry.stdout).map(({ name }) => name)).toEqual([
      'Acme',
      'Bell',
      'Ada',
      'Bob',
      'Cy',
      'Call',
      'Write',
      'Wait',
    ])
    expect(summaryOf(dry).next).toBe(
      'Import five of each step first:\n  rowlift import --plan plan.yaml --base-url URL --organization-id N --limit 5',
    )
    expect(service.calls).toEqual([])
    expect((await run()).exitCode).toBe(2)
  })

  it('a dry run of a plan takes ids from the logs of steps that have run', async () => {
    const { service, cwd, run, plan } = await migrating({ 'o.csv': 'Name\nAcme\n' })
    const alone = plan.replaceAll(/^ {2}(tasks|people):.*\n/gm, '')
    await writeFile(join(cwd, 'plan.yaml'), alone)
    expect((await run()).exitCode).toBe(0)
    await writeFile(join(cwd, 'plan.yaml'), plan)
    await writeFile(join(cwd, 'o.csv'), 'Name\nBell\n')
    const dry = await run('--dry-run')
    expect(dry.exitCode).toBe(0)
    const bodies = linesOf(dry.stdout)
    expect(bodies.find(({ name }) => name === 'Ada').parent.record_id).toBe(idOf(service, 'Acme'))
    expect(bodies.find(({ name }) => name === 'Bob').parent.record_id).toBe(none)
    expect(service.calls).toHaveLength(1)
  })

  it('a dry run of a plan takes the id of zeros for a row that was forgotten, and would be sent again', async () => {
    const { cwd, run } = await migrating()
    expect((await run()).exitCode).toBe(0)
    await writeFile(join(cwd, 'keys'), 'Acme\nAda\nada@x.example\n')
    for (const log of ['organizations', 'people'])
      await rowlift(['log', `${log}.results.ndjson`, '--forget', '--keys', 'keys', '--yes'], { cwd })
    const dry = await run('--dry-run')
    expect(dry.exitCode).toBe(0)
    const [ada, ...more] = linesOf(dry.stdout).filter(({ name }) => name === 'Ada')
    expect([ada.parent.record_id, more]).toEqual([none, []])
    expect((await run()).exitCode).toBe(0)
  })
})
