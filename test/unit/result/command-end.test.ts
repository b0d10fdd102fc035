import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { summaryJsonSchema } from '../../../scripts/json-schemas.js'
import { metricsText } from '../../../src/output/metrics.ts'
import type { CommandEnd, ImportPart } from '../../../src/result/run-result.ts'
import { summarySchema } from '../../../src/result/summary-schema.ts'
import { commandSummary } from '../../../src/run/outputs.ts'
import { anyText, wellFormedText } from '../../support/any-text.ts'
import { checkedMetrics, checkedSummary } from '../../support/end-files.ts'
import { newTally, resultOf } from '../../support/results.ts'

function partOf(
  name: string | undefined,
  exitCode: number | undefined,
  results = `/srv/${name}`,
): ImportPart {
  const tally = newTally()
  tally.take({ type: 'row_skipped' })
  return {
    name,
    paths: { sources: ['a.csv'], mapping: 'm.yaml', results },
    end:
      exitCode === undefined
        ? undefined
        : resultOf(tally, { exit_code: exitCode, organization_id: 7, in_doubt_total: 2, written: results }),
  }
}

const endOf = (imports: readonly ImportPart[], changes: Partial<CommandEnd> = {}): CommandEnd => ({
  version: '1.2.3',
  startedAt: new Date('2026-11-21T02:00:00Z'),
  endedAt: new Date('2026-11-21T02:00:10Z'),
  dryRun: false,
  exitCode: 0,
  error: undefined,
  imports,
  next: [],
  ...changes,
})
const now = endOf([]).endedAt.getTime() / 1000

describe('config/summary.schema.json', () => {
  const file = fileURLToPath(new URL('../../../config/summary.schema.json', import.meta.url))

  it('config/summary.schema.json is what `npm run schema` makes of the schema of summaries', async () => {
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(summaryJsonSchema(summarySchema))),
    )
  })

  it('config/summary.schema.json says of every field what it is', () => {
    const { properties } = summaryJsonSchema(summarySchema) as unknown as {
      properties: Record<string, { description?: string }>
    }
    expect(Object.keys(properties).length).toBeGreaterThan(40)
    expect(Object.entries(properties).filter(([, { description }]) => !description)).toEqual([])
  })
})

describe('the summary of a plan', () => {
  const end = endOf([partOf('organizations', 0), partOf('people', 3), partOf('tasks', undefined)], {
    exitCode: 3,
  })

  it('the summary of a plan has each step by its name, those that were not come to among them', () => {
    const { steps, ...rest } = checkedSummary(JSON.stringify(commandSummary(end)))
    expect(rest).toMatchObject({ exit_code: 3, finished: false })
    expect(rest).not.toHaveProperty('rows')
    expect(steps).toMatchObject({
      organizations: { exit_code: 0, finished: true, rows: 1, row_counts: { left_out: 1 } },
      people: { exit_code: 3 },
      tasks: { exit_code: 3, finished: false, results: '/srv/tasks' },
    })
    expect(steps.tasks).not.toHaveProperty('rows')
  })

  it('the summary of a plan says what to do next once, not in each step', () => {
    const { next, steps } = checkedSummary(
      JSON.stringify(commandSummary({ ...end, next: [{ advice: 'Go on', args: ['import'] }] })),
    )
    expect(next).toBe('Go on:\n  rowlift import')
    for (const step of Object.values(steps)) expect(step).not.toHaveProperty('next')
  })
})

describe('metrics', () => {
  it('metrics keep the steps of a plan apart, and the last success of each', async () => {
    const steps = [partOf('organizations', 0), partOf('people', 3), partOf('tasks', undefined)]
    const before = await metricsText(endOf(steps.map(({ name }) => partOf(name, 0))), '')
    const later = new Date('2026-11-22T02:00:00Z')
    const text = await metricsText(endOf(steps, { exitCode: 3, endedAt: later }), before)
    expect(checkedMetrics(text)).toMatchObject({
      'rowlift_last_success_timestamp_seconds organizations': later.getTime() / 1000,
      'rowlift_last_success_timestamp_seconds people': now,
      'rowlift_last_success_timestamp_seconds tasks': now,
      'rowlift_in_doubt_rows tasks': 2,
      'rowlift_rows people left_out': 1,
      'rowlift_rows tasks left_out': 0,
    })
  })

  it('metrics come through with any name of a log or a step, and know what they said before', async () => {
    await fc.assert(
      fc.asyncProperty(wellFormedText(), wellFormedText(), async (results, name) => {
        const before = await metricsText(endOf([partOf(name, 0, results)]), '')
        const step = partOf(name, undefined, results)
        const text = await metricsText(endOf([step], { exitCode: 2 }), before)
        const lastValueOf = (metric: string) =>
          text
            .split('\n') // the only sign that ends a line here; names may hold others that look like it
            .find(line => line.startsWith(metric))
            ?.split(' ')
            .at(-1)
        expect(lastValueOf('rowlift_last_success_timestamp_seconds')).toBe(String(now))
        expect(lastValueOf('rowlift_in_doubt_rows')).toBe('2')
      }),
    )
  })

  it('metrics bear whatever the file held', async () => {
    const name = fc.constantFrom(
      'rowlift_last_success_timestamp_seconds',
      'rowlift_in_doubt_rows',
      '{',
      '{step="',
      '} ',
    )
    const scraps = fc.array(fc.oneof(name, anyText(), fc.double().map(String)))
    await fc.assert(
      fc.asyncProperty(scraps, async parts => {
        const text = await metricsText(endOf([partOf(undefined, undefined)], { exitCode: 4 }), parts.join(''))
        const { rowlift_last_success_timestamp_seconds: last, rowlift_run_exit_code: code } =
          checkedMetrics(text)
        expect(code).toBe(4)
        expect(last).toBeLessThanOrEqual(now + 60)
      }),
    )
  })

  it('metrics take no success that is yet to come, as a wrong clock leaves it', async () => {
    const before = 'rowlift_last_success_timestamp_seconds{results="/srv/r"} 99999999999\n'
    const text = await metricsText(endOf([partOf(undefined, undefined)], { exitCode: 2 }), before)
    expect(checkedMetrics(text).rowlift_last_success_timestamp_seconds).toBe(now)
  })

  it('metrics read a file of a million signs without being held up', async () => {
    const before = 'rowlift_in_doubt_rows{step="\\"a'.repeat(30_000)
    expect(await metricsText(endOf([partOf(undefined, 0)]), before)).toContain('rowlift_run_exit_code')
  })
})
