import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closedLatch, type Latch } from '../support/latch.ts'
import { cases } from '../support/long.ts'
import {
  callFor,
  expectCompleted,
  longMigration,
  migrating,
  migrationFiles,
  stepsIn,
} from '../support/migration.ts'
import { pollOptions } from '../support/polling.ts'
import { linesOf, outcomesIn, summaryOf } from '../support/rowlift.ts'
import type { ServiceOptions } from '../support/service.ts'

describe('plan that was stopped in a step', () => {
  /** The first two people are made; the answers of the next two wait behind a door. */
  const inTheAir =
    (door: Latch): NonNullable<ServiceOptions['holds']> =>
    ({ body }) =>
      /^P[23]$/.test(String(body.name)) ? door.opened : undefined

  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const
  it.each(cases(signals, 1))(
    'a plan that was stopped by %s lets calls in flight end, and goes on there',
    async (signal, exitCode) => {
      const stopping = closedLatch()
      const migration = await migrating(longMigration, { holds: inTheAir(stopping) }, 'concurrency: 2\n')
      const { process, ended, said } = migration.begin()
      await callFor(migration.service, 'P3')
      process.kill(signal)
      await said(`${signal}: no new call is made`)
      stopping.open()
      const end = await ended
      expect(end.exitCode).toBe(exitCode)
      expect(stepsIn(end)).toEqual([
        ['organizations', 0],
        ['people', exitCode],
        ['tasks', undefined],
      ])
      expect(summaryOf(end).steps[1].in_doubt_total).toBe(0)
      await expectCompleted(migration)
    },
  )

  it('a plan that was stopped by kill -9 holds the rows in doubt', async () => {
    const killed = closedLatch()
    const migration = await migrating(
      longMigration,
      { holds: inTheAir(killed), similar: ({ body }) => String(body.name) },
      'concurrency: 2\n',
    )
    const { service, cwd, run, begin, log } = migration
    await writeFile(join(cwd, 'p.yaml'), migrationFiles['p.yaml'].replace('key:', 'use_created: true\nkey:'))
    const { process, ended } = begin()
    await callFor(service, 'P3')
    await expect.poll(() => outcomesIn(log('people')), pollOptions).toHaveLength(2)
    process.kill('SIGKILL')
    await ended
    killed.open()
    await service.settled()
    const held = await run('--in-doubt', 'hold')
    expect(held.exitCode).toBe(1)
    expect(summaryOf(held).steps[1]).toMatchObject({ step: 'people', held: 2, abandoned: 2 })
    await expectCompleted(migration)
  })

  it('a plan that was stopped by two signals ends at once', async () => {
    const { service, begin } = await migrating(longMigration, {
      react: (_, { body }) => (body.name === 'P0' ? { hang: true } : 'create'),
    })
    const { process, ended, said } = begin()
    await callFor(service, 'P0')
    process.kill('SIGINT')
    await said('SIGINT: no new call is made')
    process.kill('SIGINT')
    const end = await ended
    expect(end.exitCode).toBe(130)
    expect(linesOf(end.stderr.replaceAll(/^rowlift: .*$/gm, '')).some(line => line.msg === 'summary')).toBe(
      false,
    )
  })
})
