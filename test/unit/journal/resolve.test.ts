import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { intentLine, type Opening, openingLine as openingText } from '../../../src/journal/lines.ts'
import type { Lock } from '../../../src/journal/lock.ts'
import { type Doubts, openDoubts, readDoubts, resolveDoubts } from '../../../src/journal/resolve.ts'
import { intentLogPath } from '../../../src/journal/whole-lines.ts'
import { LockError } from '../../../src/model/errors.ts'
import { describeProblem } from '../../../src/report/words.ts'
import { logOf, openingLine, rowLine } from '../../support/log-files.ts'
import { timesOpen } from '../../support/open-files.ts'

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
  const line = intentLine('R2', how.now(), { identity, body: '{"name":"Di"}', before: undefined })
  await writeFile(intentLogPath(results), `${openingText(opening)}\n${line}\n`)
}

const linesIn = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

describe('the rows in doubt of a log', () => {
  it('are those whose doubt did not end, each by its latest line, and the calls that were in flight', async () => {
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

  it('are shown by the call in flight where a row has both', async () => {
    const results = await logOf(openingLine(), rowLine('in_doubt', 1))
    await leaveCall(results, 'k1')
    expect(await keysOf(await readDoubts(results))).toEqual(['R2 k1'])
  })

  it('are found by the key in their columns too, which 0.1 kept as another', async () => {
    const results = await logOf(openingLine(), rowLine('in_doubt', 1, { alias: 'ann', repaired: true }))
    const doubts = await readDoubts(results)
    for (const key of ['ann', 'k1', undefined]) expect(await keysOf(doubts, key)).toEqual(['R1 k1'])
  })

  it('come with the records that other rows have', async () => {
    const results = await logOf(
      openingLine(),
      rowLine('created', 1, { record_id: 'r1' }),
      rowLine('in_doubt', 2),
    )
    const { checkpoint } = await readDoubts(results)
    expect(checkpoint.claimRecord('r1', {})).toEqual({ source: 'contacts.csv', row: 1 })
  })

  it('are none where the last line of a key is no doubt, whatever stands before it', async () => {
    const results = await logOf(
      openingLine(),
      rowLine('in_doubt', 1),
      rowLine('failed', 1, { by_hand: true }),
      rowLine('invalid', 1),
    )
    expect(await keysOf(await readDoubts(results))).toEqual([])
  })

  it('are in the log, and the calls are nowhere else, once it was opened to resolve them', async () => {
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

  it('have a line each, all of them or the one that was named', async () => {
    const results = await both()
    const first = await readDoubts(results)
    expect(
      await resolveDoubts(results, held, first, { key: 'k2', endOf: () => ({ recordId: 'r2' }) }, how),
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
      await resolveDoubts(
        results,
        held,
        rest,
        { key: undefined, endOf: () => ({ recordId: undefined }) },
        how,
      ),
    ).toBe(1)
    expect((await linesIn(results)).slice(4)).toMatchObject([{ key: 'k1', status: 'failed', by_hand: true }])
    expect(await timesOpen(results)).toBe(0)
  })

  it('are one where several rows have the name', async () => {
    const results = await logOf(
      openingLine(),
      rowLine('in_doubt', 1, { alias: 'ann', repaired: true }),
      rowLine('in_doubt', 2, { alias: 'ann', repaired: true }),
    )
    const doubts = await readDoubts(results)
    expect(
      await resolveDoubts(results, held, doubts, { key: 'ann', endOf: () => ({ recordId: 'r1' }) }, how),
    ).toBe(1)
  })

  it('are written in groups, and none once another run holds the log', async () => {
    const rows = Array.from({ length: 2_500 }, (_, at) => rowLine('in_doubt', at))
    const results = await logOf(openingLine(), ...rows)
    const left = { checks: 4 } // two to open the log, one for each group
    const check = () => {
      left.checks -= 1
      if (left.checks < 0) throw lost
    }
    const all = { endOf: () => ({ recordId: undefined }) }
    const doubts = await readDoubts(results)
    await expect(resolveDoubts(results, { ...held, check }, doubts, all, how)).rejects.toBe(lost)
    expect(await linesIn(results)).toHaveLength(1 + 2_500 + 2_000)
    expect(await timesOpen(results)).toBe(0)
    expect(await resolveDoubts(results, held, await readDoubts(results), all, how)).toBe(500)
    expect(await keysOf(await readDoubts(results))).toEqual([])
  })
})
