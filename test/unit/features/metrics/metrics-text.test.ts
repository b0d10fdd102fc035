import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { metricsText } from '../../../../src/features/metrics/metrics-text.ts'
import { anyText, wellFormedText } from '../../../support/any-text.ts'
import { commandEnd, importPart } from '../../../support/command-end.ts'
import { checkedMetrics } from '../../../support/end-files.ts'

const now = commandEnd([]).endedAt.getTime() / 1000

describe('metrics', () => {
  it('metrics keep the steps of a plan apart, and the last success of each', async () => {
    const steps = [importPart('organizations', 0), importPart('people', 3), importPart('tasks', undefined)]
    const before = await metricsText(commandEnd(steps.map(({ name }) => importPart(name, 0))), '')
    const later = new Date('2026-11-22T02:00:00Z')
    const text = await metricsText(commandEnd(steps, { exitCode: 3, endedAt: later }), before)
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
        const before = await metricsText(commandEnd([importPart(name, 0, results)]), '')
        const step = importPart(name, undefined, results)
        const text = await metricsText(commandEnd([step], { exitCode: 2 }), before)
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
        const text = await metricsText(
          commandEnd([importPart(undefined, undefined)], { exitCode: 4 }),
          parts.join(''),
        )
        const { rowlift_last_success_timestamp_seconds: last, rowlift_run_exit_code: code } =
          checkedMetrics(text)
        expect(code).toBe(4)
        expect(last).toBeLessThanOrEqual(now + 60)
      }),
    )
  })

  it('metrics take no success that is yet to come, as a wrong clock leaves it', async () => {
    const before = 'rowlift_last_success_timestamp_seconds{results="/srv/r"} 99999999999\n'
    const text = await metricsText(commandEnd([importPart(undefined, undefined)], { exitCode: 2 }), before)
    expect(checkedMetrics(text).rowlift_last_success_timestamp_seconds).toBe(now)
  })

  it('metrics read a file of a million signs without being held up', async () => {
    const before = 'rowlift_in_doubt_rows{step="\\"a'.repeat(30_000)
    expect(await metricsText(commandEnd([importPart(undefined, 0)]), before)).toContain(
      'rowlift_run_exit_code',
    )
  })
})
