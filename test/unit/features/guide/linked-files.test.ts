import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import '../../../../src/features.ts'
import { startSandbox } from '../../../../src/features/sandbox/server.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { linkedFiles } from '../../../support/guide-files.ts'
import { guideOf } from '../../../support/guide-folder.ts'

/** The calls of a page over files whose mappings are drafted together. */
async function openLinked(files: Readonly<Record<string, string>> = linkedFiles) {
  const { folder, guide, write, read, calls } = await guideOf(files)
  const { jobs, service } = guide
  atEnd(async () => {
    await jobs.close()
    await service.close()
  })
  for (const source of guide.mappings.sources)
    expect((await guide.known.compiled(source)).fault).toBe(undefined)
  const job = async (kind: 'check' | 'try' | 'run', file: string) => {
    await calls[kind]({ file })
    while (jobs.isRunning()) await new Promise(resolve => setImmediate(resolve))
    return jobs.state()
  }
  const records = (name: string) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .flatMap(line => (line === '' ? [] : JSON.parse(line)))
      .flatMap(({ status, record_id: id }) => (status === 'created' ? id : []))
  const imported = async (file: string) => {
    expect(await job('check', file)).toMatchObject({ status: 'ended', error: null })
    return job('run', file)
  }
  return { calls, service, jobs, job, imported, records, write, read }
}

test('linked files are checked in any order, as if those that they need were imported', async () => {
  const { job, calls } = await openLinked()
  expect(await job('check', 'todos.csv')).toMatchObject({
    ...{ status: 'ended', error: null, step: 'todos.csv', counts: { valid: 2 }, rows: 2 },
    summary: { finished: true },
  })
  const { rows } = await calls.rows({ file: 'todos.csv', filter: 'all', from: 0, count: 9 })
  expect(rows.map(({ row, cells }) => [row, cells[0]])).toEqual([
    [1, 'Call about the order'],
    [2, 'Send the offer'],
  ])
  expect(await job('check', 'people.csv')).toMatchObject({ counts: { valid: 3 } })
  expect(await job('check', 'companies.csv')).toMatchObject({ counts: { valid: 2 } })
})

test('linked files are imported in their order; until then a job says which file goes first', async () => {
  const { job, imported, records } = await openLinked()
  const first = await imported('people.csv')
  expect(first).toMatchObject({ status: 'failed', step: 'companies.csv' })
  expect(first?.error).toBe(
    'companies.csv goes first: people.csv is linked to its records, and 2 of its rows were not imported yet; import companies.csv, then people.csv',
  )
  expect(await imported('companies.csv')).toMatchObject({ error: null, counts: { created: 2 } })
  expect(await imported('people.csv')).toMatchObject({ error: null, counts: { created: 3 } })
  expect(records('companies.practice.results.ndjson')).toHaveLength(2)
  expect(await job('check', 'todos.csv')).toMatchObject({ counts: { valid: 2 } })
  expect(await job('try', 'todos.csv')).toMatchObject({ error: null, counts: { created: 2 } })
  expect(await job('run', 'todos.csv')).toMatchObject({ error: null, counts: { done: 2 } })
  expect(await job('run', 'people.csv')).toMatchObject({ error: null, counts: { done: 3 } })
  expect(records('companies.practice.results.ndjson')).toHaveLength(2)
})

test('linked files of the service have an approval each, and a correction of the first one counts', async () => {
  const sandbox = await startSandbox({ token: 'a-token-of-tests' })
  atEnd(() => sandbox.close())
  const { job, imported, calls, service, jobs, write } = await openLinked()
  await write('companies.csv', `${linkedFiles['companies.csv']},nobody.example,Bath\n`)
  await write('people.csv', `${linkedFiles['people.csv']}Di,Bell,di@example.com,New Ltd\n`)
  service.change({ practice: false, baseUrl: sandbox.url, organizationId: 42, token: 'a-token-of-tests' })
  expect(await job('check', 'people.csv')).toMatchObject({ error: null, counts: { valid: 3, invalid: 1 } })
  expect(await job('check', 'companies.csv')).toMatchObject({ counts: { valid: 2, invalid: 1 } })
  const { row } = await calls.correct({ file: 'companies.csv', row: 3, cells: { Company: 'New Ltd' } })
  expect(row).toMatchObject({ status: 'valid' })
  expect(await job('check', 'people.csv')).toMatchObject({ error: null, counts: { valid: 4 } })
  expect((await jobs.fileState('companies.csv')).approval).toBe(null)
  expect((await jobs.fileState('people.csv')).approval).toMatchObject({ agreed: null })
  expect(await imported('companies.csv')).toMatchObject({ counts: { created: 3 } })
  expect(await imported('people.csv')).toMatchObject({ error: null, counts: { created: 4 } })
  const { nightly } = await calls.after({ file: 'people.csv' })
  expect(nightly?.settings).toMatch(/^plan: .*plan\.yaml$/m)
  expect(nightly?.cron).not.toContain('people.csv')
  const { lines } = await calls.probe({ file: 'people.csv' })
  expect(lines.filter(({ isGood }) => !isGood)).toEqual([])
})

test('options of the plan are those of its files, of all steps or of one', async () => {
  const { job, read, write } = await openLinked()
  const plan = await read('plan.yaml')
  await write('plan.yaml', plan.replace('steps:', 'expect-rows-min: 9\nsteps:'))
  const { summary } = (await job('check', 'todos.csv')) ?? {}
  expect(summary).toMatchObject({ unmet: [expect.objectContaining({ code: 'too_few_rows' })] })
  await write('plan.yaml', plan.replace('steps:', 'expect-rows-min: many\nsteps:'))
  expect((await job('check', 'todos.csv'))?.error).toMatch(/plan\.yaml.*expect-rows-min/)
})

test('a file whose rows become both is imported twice, each time with a log of its own', async () => {
  const rows = 'Name,Phone\nAda,+44 20 7946 0101\nAlan,+44 20 7946 0102\n'
  const { calls, imported, records, jobs } = await openLinked({ 'people.csv': rows })
  const [file, second] = ['people.csv', 'people.csv:task']
  await calls.record({ file, record: 'both' })
  const { version } = await calls.questions({ file: second })
  await calls.answer({ file: second, version, id: 'contact_phone', choice: 'Phone' })
  expect(await imported(file)).toMatchObject({ error: null, counts: { created: 2 } })
  expect(await imported(second)).toMatchObject({ error: null, counts: { created: 2 } })
  expect(records('people.practice.results.ndjson')).toHaveLength(2)
  expect(records('people.as-tasks.practice.results.ndjson')).toHaveLength(2)
  expect((await jobs.fileState(second)).log).toMatchObject({ records: 2 })
  expect(await imported(second)).toMatchObject({ counts: { done: 2 } })
})
