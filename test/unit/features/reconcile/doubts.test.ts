import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import {
  type Doubts,
  openDoubts,
  readDoubts,
  resolveDoubts,
} from '../../../../src/features/reconcile/doubts.ts'
import { LockError } from '../../../../src/model/errors.ts'
import { describeProblem } from '../../../../src/output/words.ts'
import { intentLine, type Opening, openingLine as openingText } from '../../../../src/store/files/lines.ts'
import type { Lock } from '../../../../src/store/files/lock.ts'
import { intentLogPath } from '../../../../src/store/files/whole-lines.ts'
import { logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { timesOpen } from '../../../support/open-files.ts'

const held: Lock = { check() {}, release: async () => {} }
const lost = new LockError('lock_lost', { log: 'r.ndjson' })
const how = { run: 'R9', now: () => new Date('2026-11-21T09:00:00.000Z'), describe: describeProblem }

async function keysOf(doubts: Doubts, key?: string): Promise<string[]> {
  const keys: string[] = []
  for await (const doubt of doubts.each(key)) keys.push(`${doubt.run} ${doubt.key}`)
  return keys
}

/** A call that a killed run left in flight. */
async function leaveCall(results: string, key: string) {
  const identity = { source: 'contacts.csv', row: 9, line: 10, key, hash: '0123456789abcdef' }
  const opening = openingLine('R2') as Opening
  const line = intentLine('R2', how.now(), { identity, json: '{"name":"Di"}' })
  await writeFile(intentLogPath(results), `${openingText(opening)}\n${line}\n`)
}

const linesIn = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

describe('rows in doubt of a log', () => {
  it('rows in doubt are those whose doubt did not end, and the calls that were in flight', async () => {
    const results = await logOf(
      openingLine(),
      ...[rowLine('in_doubt', 1), rowLine('in_doubt', 2), rowLine('in_doubt', 3), rowLine('failed', 4)],
      ...[rowLine('created', 2), rowLine('in_doubt', 1, { run: 'R1b' }), rowLine('failed', 3)],
    )
    await leaveCall(results, 'k5')
    const doubts = await readDoubts(results)
    expect(await keysOf(doubts)).toEqual(['R1 k3', 'R1b k1', 'R2 k5'])
    expect(await keysOf(doubts, 'k1')).toEqual(['R1b k1'])
    expect(await keysOf(doubts, 'k5')).toEqual(['R2 k5'])
    expect(await keysOf(doubts, 'k4')).toEqual([])
  })

  it('rows in doubt are shown by the call in flight if a row has both', async () => {
    const results = await logOf(openingLine(), rowLine('in_doubt', 1))
    await leaveCall(results, 'k1')
    expect(await keysOf(await readDoubts(results))).toEqual(['R2 k1'])
  })

  it('rows in doubt come with the records that other rows have', async () => {
    const results = await logOf(
      openingLine(),
      rowLine('created', 1, { record_id: 'r1' }),
      rowLine('in_doubt', 2),
    )
    const { checkpoint } = await readDoubts(results)
    expect(checkpoint.claimRecord('r1', {})).toEqual({ source: 'contacts.csv', row: 1 })
  })

  it('rows in doubt are none if the last line of a key is no doubt', async () => {
    const results = await logOf(
      openingLine(),
      rowLine('in_doubt', 1),
      rowLine('failed', 1, { by_hand: true }),
      rowLine('invalid', 1),
    )
    expect(await keysOf(await readDoubts(results))).toEqual([])
  })

  it('rows in doubt are all in the log once it was opened to resolve them', async () => {
    const results = await logOf(openingLine(), rowLine('in_doubt', 1), '{"run":"R1","to')
    await leaveCall(results, 'k5')
    expect(await keysOf(await openDoubts(results, held, describeProblem))).toEqual(['R1 k1', 'R2 k5'])
    expect((await linesIn(results)).at(-1)).toMatchObject({
      run: 'R2',
      key: 'k5',
      status: 'in_doubt',
      errors: [{ code: 'run_killed', message: 'the run was killed while the call was under way' }],
    })
    await expect(readFile(intentLogPath(results))).rejects.toThrow('ENOENT')
    expect(await keysOf(await readDoubts(results))).toEqual(['R1 k1', 'R2 k5'])
    expect(await timesOpen(results)).toBe(0)
  })
})

describe('rows in doubt that are resolved', () => {
  const both = () => logOf(openingLine(), rowLine('in_doubt', 1), rowLine('in_doubt', 2))

  it('resolved rows have a line each, all of them or the one that was named', async () => {
    const results = await both()
    const first = await readDoubts(results)
    expect(
      await resolveDoubts(results, held, first.each('k2'), { ...how, endOf: () => ({ recordId: 'r2' }) }),
    ).toBe(1)
    expect((await linesIn(results)).slice(3)).toMatchObject([
      {
        run: 'R9',
        at: '2026-11-21T09:00:00.000Z',
        key: 'k2',
        status: 'created',
        record_id: 'r2',
        by_hand: true,
      },
    ])
    const rest = await readDoubts(results)
    expect(
      await resolveDoubts(results, held, rest.each(), { ...how, endOf: () => ({ recordId: undefined }) }),
    ).toBe(1)
    expect((await linesIn(results)).slice(4)).toMatchObject([{ key: 'k1', status: 'failed', by_hand: true }])
    expect(await timesOpen(results)).toBe(0)
  })

  it('resolved rows are written in groups, and none once another run holds the log', async () => {
    const rows = Array.from({ length: 2_500 }, (_, at) => rowLine('in_doubt', at))
    const results = await logOf(openingLine(), ...rows)
    const left = { checks: 4 } // two to open the log, one for each group
    const check = () => {
      left.checks -= 1
      if (left.checks < 0) throw lost
    }
    const all = { ...how, endOf: () => ({ recordId: undefined }) }
    const doubts = await readDoubts(results)
    await expect(resolveDoubts(results, { ...held, check }, doubts.each(), all)).rejects.toBe(lost)
    expect(await linesIn(results)).toHaveLength(1 + 2_500 + 2_000)
    expect(await timesOpen(results)).toBe(0)
    expect(await resolveDoubts(results, held, (await readDoubts(results)).each(), all)).toBe(500)
    expect(await keysOf(await readDoubts(results))).toEqual([])
  })
})
