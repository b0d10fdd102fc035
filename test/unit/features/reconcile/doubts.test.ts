import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type Doubts, readDoubts, resolveDoubts } from '../../../../src/features/reconcile/doubts.ts'
import { LockError } from '../../../../src/model/errors.ts'
import { describeProblem } from '../../../../src/output/words.ts'
import { intentLine } from '../../../../src/store/files/lines.ts'
import type { Lock } from '../../../../src/store/files/lock.ts'
import { intentLogPath } from '../../../../src/store/files/whole-lines.ts'
import { lineText, logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { timesOpen } from '../../../support/open-files.ts'

const held: Lock = { check() {}, busyMs: 0, release: async () => {} }
const lost = new LockError('lock_lost', { log: 'r.ndjson' })
const how = {
  run: 'R9',
  rowlift: '0',
  now: () => new Date('2026-11-21T09:00:00.000Z'),
  describe: describeProblem,
}

async function keysOf(doubts: Doubts, key?: string): Promise<string[]> {
  const keys: string[] = []
  for await (const doubt of doubts.each(key)) keys.push(`${doubt.run} ${doubt.key}`)
  return keys
}

/** A call that a killed run left in flight. */
async function leaveCall(results: string, key: string) {
  const identity = { source: 'contacts.csv', row: 9, line: 10, key, hash: '0123456789abcdef' }
  const line = intentLine('R2', how.now(), { identity, json: '{"name":"Di"}' })
  await writeFile(intentLogPath(results), lineText(openingLine('R2')) + lineText(JSON.parse(line)))
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

  it('rows in doubt are all in the log once some are resolved', async () => {
    const results = await logOf(openingLine(), rowLine('in_doubt', 1), '{"run":"R1","to')
    await leaveCall(results, 'k5')
    const doubts = await readDoubts(results)
    const { checkpoint } = doubts
    await resolveDoubts(results, held, doubts.each('k1'), { ...how, checkpoint, endOf: () => undefined })
    const [orphan] = (await linesIn(results)).slice(-2)
    expect(orphan).toMatchObject({
      ...{ run: 'R2', writer: 'R9', key: 'k5', status: 'in_doubt' },
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
    const named = { ...how, checkpoint: first.checkpoint, endOf: () => ({ recordId: 'r2' }) }
    expect(await resolveDoubts(results, held, first.each('k2'), named)).toBe(1)
    expect((await linesIn(results)).slice(3)).toMatchObject([
      { run: 'R9', at: '2026-11-21T09:00:00.000Z', command: 'resolve' },
      { run: 'R9', key: 'k2', status: 'created', record_id: 'r2', by_hand: true },
      { run: 'R9', ended: { rows: 0 }, command: 'resolve', lines: 3 },
    ])
    const rest = await readDoubts(results)
    const others = { ...how, run: 'R10', checkpoint: rest.checkpoint, endOf: () => ({ recordId: undefined }) }
    expect(await resolveDoubts(results, held, rest.each(), others)).toBe(1)
    expect((await linesIn(results)).at(-2)).toMatchObject({ key: 'k1', status: 'failed', by_hand: true })
    expect(await timesOpen(results)).toBe(0)
  })

  it('resolved rows are written in groups, and none once another run holds the log', async () => {
    const rows = Array.from({ length: 2_500 }, (_, at) => rowLine('in_doubt', at))
    const results = await logOf(openingLine(), ...rows)
    let groups = 0
    const check = () => {
      if (groups === 2) throw lost
    }
    const doubts = await readDoubts(results)
    const { checkpoint } = doubts
    const all = { ...how, checkpoint, endOf: () => ({ recordId: undefined }) }
    const each = async function* () {
      let count = 0
      for await (const doubt of doubts.each()) {
        if (count > 0 && count % 1_000 === 0) groups = count / 1_000
        count += 1
        yield doubt
      }
    }
    await expect(resolveDoubts(results, { ...held, check }, each(), all)).rejects.toBe(lost)
    const settled = (await linesIn(results)).filter(({ by_hand }) => by_hand).length
    expect(settled).toBe(1_000)
    expect(await timesOpen(results)).toBe(0)
    const left = await readDoubts(results)
    const rest = { ...all, run: 'R10', checkpoint: left.checkpoint }
    expect(await resolveDoubts(results, held, left.each(), rest)).toBe(1_500)
    expect(await keysOf(await readDoubts(results))).toEqual([])
  })
})
