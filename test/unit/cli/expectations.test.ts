import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { metricsIn } from '../../support/end-files.ts'
import { files, importOf } from '../../support/imports.ts'
import { leaveCalls } from '../../support/log-files.ts'
import { linesOf, outcomesIn, type RunHere, rowlift, summaryOf } from '../../support/rowlift.ts'
import { type ServiceOptions, startService } from '../../support/service.ts'

const people = (count: number) =>
  `Id,Name,Team\n${Array.from({ length: count }, (_, at) => `${at + 1},Person ${at + 1},${at % 4 === 0 ? 'blue' : 'red'}\n`).join('')}`

const mappingWith = (expectations: string, more = '') =>
  `record: contact\nkey: Id\n${expectations}\nbody:\n  name: { from: Name, required: true }\n${more}`

const linesIn = async (log: string) => linesOf(await readFile(log, 'utf8'))

/** A folder with a source and a mapping, and runs of it against a service. */
async function nights(mapping: string, source: string, options: ServiceOptions = {}) {
  const service = await startService(options)
  const cwd = await files({ 'people.csv': source, 'people.yaml': mapping })
  const log = join(cwd, 'results.ndjson')
  return {
    service,
    cwd,
    log,
    replace: (text: string) => writeFile(join(cwd, 'people.csv'), text),
    run: async (...more: string[]) => {
      const ended = await rowlift(importOf('people.csv', 'people.yaml', service.url, ...more), {
        cwd,
      } as RunHere)
      return { exitCode: ended.exitCode, summary: summaryOf(ended) }
    },
    codes: async (...more: string[]) => {
      const ended = await rowlift(importOf('people.csv', 'people.yaml', service.url, ...more), {
        cwd,
      } as RunHere)
      return [ended.exitCode, ...summaryOf(ended).unmet.map(({ code }: { code: string }) => code)]
    },
  }
}

describe('run with fewer rows than expected', () => {
  it('a run with too few rows ends with 1 when the source has no row, unless expected', async () => {
    const { codes } = await nights(mappingWith(''), 'Id,Name,Team\n')
    expect(await codes()).toEqual([1, 'too_few_rows'])
    expect(await codes('--dry-run')).toEqual([1, 'too_few_rows'])
    expect(await codes('--expect-rows-min', '0')).toEqual([0])
  })

  it('a run with too few rows ends with 1 below the number or share of the last run', async () => {
    const { codes, replace, log } = await nights(
      mappingWith('expect: { rows: { min: 3, of_last: 80% } }'),
      people(10),
    )
    expect(await codes()).toEqual([0])
    expect((await linesIn(log)).at(-1)).toMatchObject({ ended: { rows: 10, created: 10 } })
    await replace(people(8))
    expect(await codes('--dry-run')).toEqual([0])
    await replace(people(7))
    expect(await codes('--dry-run')).toEqual([1, 'fewer_rows_than_last'])
    expect(await codes()).toEqual([1, 'fewer_rows_than_last'])
    expect(await codes('--dry-run'), 'a bad night is no measure').toEqual([1, 'fewer_rows_than_last'])
    await replace(people(2))
    expect(await codes()).toEqual([1, 'too_few_rows'])
  })

  it('a run with too few rows stays bad however often it comes, and its closing line says so', async () => {
    const { codes, run, replace, log, cwd } = await nights(mappingWith(''), people(10))
    const metrics = ['--metrics', 'night.prom']
    const lastSuccess = async () =>
      (await metricsIn(join(cwd, 'night.prom'))).rowlift_last_success_timestamp_seconds
    await run(...metrics)
    const good = await lastSuccess()
    expect(good).toBeGreaterThan(0)
    await replace(people(5))
    for (const _ of [1, 2, 3]) {
      expect(await codes(...metrics)).toEqual([1, 'fewer_rows_than_last'])
      expect((await linesIn(log)).at(-1)).toMatchObject({
        ended: { rows: 5, done: 5 },
        unmet: ['fewer_rows_than_last'],
      })
      expect(await lastSuccess()).toBe(good)
    }
    await leaveCalls(log)
    expect(await codes('--dry-run'), 'a kill before the closing line').toEqual([1, 'fewer_rows_than_last'])
    await replace(people(6))
    expect(await codes(...metrics), 'the measure is the last good night').toEqual([0])
    expect((await linesIn(log)).at(-1)).not.toHaveProperty('unmet')
    expect(await lastSuccess()).toBeGreaterThan(good ?? NaN)
  })

  it('a run with too few rows is accepted once, and the next one is measured by it', async () => {
    const { codes, replace } = await nights(
      mappingWith('expect: { rows: { min: 3, of_last: 80% } }'),
      people(10),
    )
    await codes()
    await replace(people(4))
    expect(await codes('--dry-run', '--accept-fewer')).toEqual([0])
    expect(await codes()).toEqual([1, 'fewer_rows_than_last'])
    expect(await codes('--accept-fewer')).toEqual([0])
    expect(await codes()).toEqual([0])
    await replace(people(2))
    expect(await codes()).toEqual([1, 'too_few_rows'])
    expect(await codes('--accept-fewer')).toEqual([0])
    await replace(people(1))
    expect(await codes('--expect-rows-min', '0')).toEqual([1, 'fewer_rows_than_last'])
  })

  it('a run is no measure either if another expectation did not hold', async () => {
    const { codes, replace } = await nights(mappingWith('expect: { invalid: 0 }'), people(10))
    await codes()
    await replace(people(6).replace('6,Person 6', '60,'))
    expect(await codes()).toEqual([1, 'too_many_invalid'])
    await replace(people(5))
    expect(await codes()).toEqual([1, 'fewer_rows_than_last'])
  })

  it.each([
    ['', 10, 5, 6],
    ['', 11, 5, 6],
    ['', 2, 1, 2],
    ['', 1, 0, 1],
    ['expect: { rows: { of_last: 50% } }', 10, 4, 5],
    ['expect: { rows: { of_last: 33% } }', 10, 3, 4],
    ['expect: { rows: { min: 0, of_last: 0% } }', 10, undefined, 0],
    ['expect: { rows: { min: 0 } }', 0, undefined, 0],
  ])('with "%s", after %i rows %s are too few, and %i are not', async (expectations, last, few, enough) => {
    const { codes, replace } = await nights(mappingWith(expectations), people(last))
    expect(await codes()).toEqual([0])
    await replace(people(enough))
    expect(await codes('--dry-run')).toEqual([0])
    if (few === undefined) return
    await replace(people(few))
    expect(await codes('--dry-run')).toEqual([1, few === 0 ? 'too_few_rows' : 'fewer_rows_than_last'])
  })

  it('a run with too few rows says how many there were, and how to go on', async () => {
    const { run, replace } = await nights(mappingWith(''), people(10))
    await run()
    await replace(people(4))
    const [{ message, params }] = (await run()).summary.unmet
    expect(params).toEqual({ expected: 6, actual: 4, last: 10 })
    expect(message).toContain('the sources have 4 rows, the last run that met its expectations had 10')
    expect(message).toContain('--accept-fewer for one run')
    expect(message).toContain('expect: { rows: { of_last: 0% } }')
  })

  it('a run with too few rows is accepted when it was limited, and is no measure later', async () => {
    const { codes, run, replace, log } = await nights(
      mappingWith('expect: { rows: { of_last: 100% } }'),
      people(6),
    )
    expect(await codes('--limit', '2')).toEqual([0])
    expect((await linesIn(log)).at(-1)).toMatchObject({ ended: { rows: 2 }, stopped: 'limit' })
    expect(await codes()).toEqual([0])
    await replace(people(7))
    expect((await run('--limit', '1')).summary.limit_reached).toBe(1)
    await replace(people(6))
    expect(await codes()).toEqual([0])
  })

  it('a run with too few rows is accepted when it imports rejected rows', async () => {
    const bad = people(6).replace('Person 3', '')
    const { codes, cwd, service, run, replace } = await nights(
      mappingWith('expect: { rows: { of_last: 90% } }'),
      bad,
    )
    expect((await run('--rejects', 'bad.csv')).exitCode).toBe(1)
    const rejects = importOf('bad.csv', 'people.yaml', service.url)
    expect(summaryOf(await rowlift(rejects, { cwd })).unmet).toEqual([])
    await replace(people(2))
    expect(await codes()).toEqual([1, 'fewer_rows_than_last'])
  })
})

describe('rows that are merged', () => {
  const twoAnnas = 'Id,Name,Team\nx1,Anna Weiß,\nx2,Anna Weiß,\nx3,Zoë,\n'
  const similar: ServiceOptions = { similar: ({ body }) => String(body.name) }

  it.each([
    [[], [1, 'too_many_merged']],
    [['--expect-merged', '1'], [0]],
    [['--expect-merged', '34%'], [0]],
    [
      ['--expect-merged', '33%'],
      [1, 'too_many_merged'],
    ],
  ])('rows that are merged end with 1 unless as many are expected: %s', async (flags, expected) => {
    const { codes } = await nights(mappingWith('use_created: true'), twoAnnas, similar)
    expect(await codes(...flags)).toEqual(expected)
  })

  it('rows that are merged are allowed by the mapping, and a flag is stricter', async () => {
    const mapping = mappingWith('use_created: true\nexpect: { merged: 50% }')
    const { codes } = await nights(mapping, twoAnnas, similar)
    expect(await codes('--dry-run')).toEqual([0])
    expect(await codes('--expect-merged', '0')).toEqual([1, 'too_many_merged'])
  })
})

describe('rows that changed', () => {
  it('rows that changed end with 1 when there are more than expected, also in a dry run', async () => {
    const { codes, replace, service } = await nights(mappingWith('expect: { changed: 10% }'), people(40))
    await codes()
    await replace(people(40).replaceAll(/Person [1-4],/g, 'Another,'))
    expect(await codes()).toEqual([0])
    await replace(people(40).replaceAll(/Person [1-5],/g, 'Another,'))
    expect(await codes('--dry-run')).toEqual([1, 'too_many_changed'])
    expect(await codes()).toEqual([1, 'too_many_changed'])
    expect(await codes('--expect-changed', '5')).toEqual([0])
    expect(await codes('--expect-changed', '4')).toEqual([1, 'too_many_changed'])
    expect(service.made.length).toBe(40)
  })

  it('rows that changed are only told where nothing is expected', async () => {
    const { run, replace } = await nights(mappingWith(''), people(4))
    await run()
    await replace(people(4).replaceAll('Person', 'Human'))
    expect(await run('--changed-rows')).toMatchObject({ exitCode: 0, summary: { changed: 4, unmet: [] } })
  })
})

describe('values that are left out', () => {
  const mapping = (expectations: string) =>
    mappingWith(expectations, '  designation: { from: Team, map: { red: Red }, otherwise: omit }\n')

  it('values that are left out are in the lines, and end with 1 beyond what is expected', async () => {
    const { codes, run, log } = await nights(mapping('expect: { omitted: 30% }'), people(8))
    expect(await codes('--dry-run')).toEqual([0])
    expect(await codes('--dry-run', '--expect-omitted', '20%')).toEqual([1, 'too_many_omitted'])
    const { exitCode, summary } = await run()
    expect([exitCode, summary.omitted]).toEqual([0, { Team: 2 }])
    expect(await codes(), 'the share is of all rows, also of those that are done').toEqual([0])
    const lost = (await outcomesIn(log)).filter(line => line.omitted)
    expect(lost.map(({ row, omitted }) => [row, omitted])).toEqual(
      [1, 5].map(row => [row, [{ path: 'designation', column: 'Team', value: 'blue', code: 'not_in_map' }]]),
    )
  })
})

describe('values that are sent as they are', () => {
  it('values that are sent as they are are in the lines, and end with 1 beyond what is expected', async () => {
    const mapping = mappingWith(
      'expect: { kept: 30% }',
      '  designation: { from: Team, map: { red: Red }, otherwise: keep }\n',
    )
    const { codes, run, log } = await nights(mapping, people(8))
    expect(await codes('--dry-run', '--expect-kept', '20%')).toEqual([1, 'too_many_kept'])
    const { exitCode, summary } = await run()
    expect([exitCode, summary.kept, summary.omitted]).toEqual([0, { Team: 2 }, {}])
    expect(await codes('--expect-kept', '20%'), 'the share is of all rows').toEqual([1, 'too_many_kept'])
    const sent = (await outcomesIn(log)).filter(line => line.kept)
    expect(sent.map(({ row, kept }) => [row, kept])).toEqual(
      [1, 5].map(row => [row, [{ path: 'designation', column: 'Team', value: 'blue', code: 'not_in_map' }]]),
    )
  })
})

describe('answers that lack what was sent', () => {
  const react: ServiceOptions['react'] = (_, { body }) =>
    body.name === 'Person 2' ? { answer: 200, body: answerWithout('designation') } : 'create'
  const mapping = (expectations: string) => mappingWith(expectations, '  designation: { from: Team }\n')

  it('answers that lack what was sent are reported, and end with 1 if all is expected', async () => {
    const told = await nights(mapping(''), people(3), { react })
    expect(await told.run()).toMatchObject({ exitCode: 0, summary: { not_in_answer: { designation: 1 } } })
    expect((await outcomesIn(told.log)).map(line => line.not_in_answer)).toContainEqual(['designation'])
    const strict = await nights(mapping('expect: { answers: complete }'), people(3), { react })
    expect(await strict.codes()).toEqual([1, 'incomplete_answers'])
  })

  const answerWithout = (field: string) =>
    JSON.stringify({ record_id: '0d8f1b9a-1111-4222-8333-123456789abc', name: 'Person 2', [field]: null })
})

describe('rows that were refused before', () => {
  const bad = people(5).replace('Person 3', '')
  const refusing: ServiceOptions = {
    react: (_, { body }) => (body.name === 'Person 5' ? { answer: 422 } : 'create'),
  }

  it('rows refused before are counted without another line, and accepted on demand', async () => {
    const { run, log, service } = await nights(mappingWith(''), bad, refusing)
    expect((await run()).exitCode).toBe(1)
    const before = (await outcomesIn(log)).length
    const night = await run()
    expect(night).toMatchObject({ exitCode: 1, summary: { invalid: 1, failed: 1, known: 2, done: 3 } })
    expect((await run('--known-rejects', 'accept')).exitCode).toBe(0)
    expect((await run('--known-rejects', 'accept', '--dry-run')).summary).toMatchObject({
      invalid: 1,
      known: 1,
    })
    expect((await outcomesIn(log)).length).toBe(before)
    expect(service.calls.length, 'a failed row is tried again each time').toBe(4 + 2)
  })

  it('rows refused before differ from a row that is new, changed or refused otherwise', async () => {
    const { run, replace, log } = await nights(mappingWith(''), bad, refusing)
    await run()
    await replace(bad.replace('3,,', '3, ,green'))
    expect(await run('--known-rejects', 'accept')).toMatchObject({
      exitCode: 1,
      summary: { known: 1, invalid: 1 },
    })
    await replace(`${bad}6,,red\n`)
    expect(await run('--known-rejects', 'accept')).toMatchObject({ exitCode: 1, summary: { invalid: 2 } })
    await replace(bad.replace('Person 5', ''))
    expect(await run('--known-rejects', 'accept'), 'it failed before, and is invalid now').toMatchObject({
      exitCode: 1,
    })
    expect((await outcomesIn(log)).filter(({ key }) => key === '5').map(({ status }) => status)).toEqual([
      'failed',
      'invalid',
    ])
  })

  it('rows refused before are known again after an edit that did not help', async () => {
    const { run, replace, log } = await nights(mappingWith(''), bad)
    await run()
    await replace(`${bad.replace('3,,', '3, ,green')}3,,other\n`)
    expect((await run('--known-rejects', 'accept')).exitCode).toBe(1)
    const lines = (await outcomesIn(log)).length
    expect(await run('--known-rejects', 'accept')).toMatchObject({ exitCode: 0, summary: { known: 2 } })
    expect((await outcomesIn(log)).length).toBe(lines)
  })

  it('rows refused before are not known after an outage, or with another reason', async () => {
    let status = 503
    const { run, log } = await nights(mappingWith(''), 'Id,Name,Team\n9,Nia,\n', {
      react: () => ({ answer: status }),
    })
    const accept = async () => (await run('--known-rejects', 'accept', '--retries', '0')).exitCode
    expect([await accept(), await accept()], 'an outage is no refusal').toEqual([1, 1])
    status = 422
    expect([await accept(), await accept()]).toEqual([1, 0])
    status = 409
    expect([await accept(), await accept()]).toEqual([1, 0])
    expect((await outcomesIn(log)).map(({ http_status }) => http_status)).toEqual([503, 503, 422, 409])
  })

  it('rows refused before are not known once they were in doubt, whatever a person said then', async () => {
    let status = 422
    const { run, cwd } = await nights(mappingWith(''), 'Id,Name,Team\n9,Nia,\n', {
      react: () => ({ answer: status }),
    })
    await run()
    status = 500
    await run('--retries', '0')
    expect(
      (await rowlift(['resolve', 'results.ndjson', '--key', '9', '--not-created'], { cwd })).exitCode,
    ).toBe(0)
    status = 422
    expect((await run('--known-rejects', 'accept')).exitCode).toBe(1)
    expect((await run('--known-rejects', 'accept')).exitCode).toBe(0)
  })

  it('rows that have their record and are bad today are left alone, and counted', async () => {
    const { run, replace, log } = await nights(mappingWith(''), people(3))
    expect((await run()).exitCode).toBe(0)
    const lines = (await outcomesIn(log)).length
    await replace(people(3).replace('Person 2', ''))
    const summary = { invalid: 0, done: 3, changed: 1, no_longer_valid: 1 }
    expect(await run()).toMatchObject({ exitCode: 0, summary })
    expect((await outcomesIn(log)).length).toBe(lines)
  })

  it('rows refused before are new again when they are refused for another reason', async () => {
    const { run, cwd, log } = await nights(mappingWith(''), bad)
    await run()
    const accept = () => run('--known-rejects', 'accept')
    await writeFile(join(cwd, 'people.yaml'), mappingWith('', '  description: { from: Team, as: integer }\n'))
    expect(await accept()).toMatchObject({ exitCode: 1, summary: { known: 0 } })
    expect(await accept()).toMatchObject({ exitCode: 0, summary: { known: 1 } })
    const lines = (await outcomesIn(log)).filter(({ row }) => row === 3)
    expect(lines.map(({ errors }) => errors.length)).toEqual([1, 2])
  })

  it('rows refused before do not count for --max-failures, and are allowed by expect: invalid', async () => {
    const { run, replace } = await nights(mappingWith('expect: { invalid: 1 }'), bad)
    expect((await run()).exitCode).toBe(0)
    expect((await run('--max-failures', '0')).exitCode).toBe(0)
    await replace(`${bad}6,,red\n`)
    expect(await run()).toMatchObject({ exitCode: 1, summary: { unmet: [{ code: 'too_many_invalid' }] } })
    expect((await run('--known-rejects', 'accept')).exitCode).toBe(0)
  })
})

describe('expectations that make no sense', () => {
  it.each([
    ['expect: { merged: -1 }', 'merged'],
    ['expect: { merged: many }', 'must be a number of rows, a share such as 5%, or any'],
    ['expect: { omitted: 5 }', 'must be a share such as 80%'],
    ['expect: { rows: 5 }', 'rows'],
    ['expect: { answer: complete }', 'did you mean "answers"?'],
  ])('expectations that make no sense are refused with their line: %s', async (line, words) => {
    const cwd = await files({ 'people.csv': people(1), 'people.yaml': mappingWith(line) })
    const ended = await rowlift(['import', 'people.csv', '-m', 'people.yaml', '--dry-run'], { cwd })
    expect(ended.exitCode).toBe(2)
    expect(ended.stderr).toMatch(/people\.yaml:3:\d+/)
    expect(ended.stderr).toContain(words)
  })
})
