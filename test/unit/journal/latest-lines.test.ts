import { utimesSync } from 'node:fs'
import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NumberSet, readLatestLines } from '../../../src/journal/latest-lines.ts'
import { testClock } from '../../support/clock.ts'
import { watching } from '../../support/context.ts'
import { logOf, openingLine, rowLine } from '../../support/log-files.ts'
import { pollOptions } from '../../support/polling.ts'

/** The numbers of the latest lines; 0 is an orphaned call. */
async function latestIn(file: string, how = watching): Promise<number[]> {
  const { each } = await readLatestLines(file, how)
  const found: number[] = []
  for await (const lines of each())
    found.push(...lines.filter(({ isLatest }) => isLatest).map(({ number }) => number))
  return found
}

const under = (key: string) => ({ ...rowLine('', 1, { key }), status: undefined, body: { name: key } })

describe('the latest line of a row', () => {
  it('is that of its record, else of its doubt, else of its last refusal', async () => {
    let run = 1
    const row = (status: string, key: string, more = {}) => {
      run += 1
      return rowLine(status, 1, { key, run: `R${run}`, ...more })
    }
    const file = await logOf(
      openingLine(),
      ...[row('invalid', 'a'), row('created', 'a'), row('failed', 'a'), row('existing', 'a')], // 2 to 5
      ...[row('in_doubt', 'b'), row('in_doubt', 'b'), row('failed', 'b')], // 6 to 8
      ...[row('in_doubt', 'c'), row('failed', 'c', { by_hand: true }), row('invalid', 'c')], // 9 to 11
      ...[row('invalid', 'd'), row('failed', 'd'), row('duplicate', 'd')], // 12 to 14
    )
    expect(await latestIn(file)).toEqual([3, 7, 11, 13])
  })

  it('is one for each row of a run, where several refused rows have one key', async () => {
    const row = (status: string, at: number, run: string) => rowLine(status, at, { key: 'k.A.', run })
    const first = [openingLine(), ...[1, 2, 3].map(at => row('invalid', at, 'R1'))]
    const second = [openingLine('R2'), ...[1, 3].map(at => row('invalid', at, 'R2'))]
    const third = [
      openingLine('R3'),
      row('invalid', 1, 'R3'),
      row('created', 2, 'R3'),
      row('invalid', 3, 'R3'),
    ]
    const lines = [...first, ...second, ...third, openingLine('R4')]
    const words = [4, 7, 11, 12].map(async count => latestIn(await logOf(...lines.slice(0, count))))
    expect(await Promise.all(words)).toEqual([[2, 3, 4], [6, 7], [9, 10, 11], [10]])
  })

  it('is that of the returning row from a rejects file, whatever its key is now', async () => {
    const [hash, other] = ['0123456789abcdef', 'fedcba9876543210']
    const rejected = rowLine('invalid', 1, { key: 'nope', hash })
    const again = (status: string, key: string, run: string) =>
      rowLine(status, 1, { key, run, hash: other, replaces: hash })
    const refused = { ...rejected, run: 'R3' }
    const lines = [
      openingLine(),
      rejected,
      again('invalid', 'bob@x', 'R2'),
      refused,
      again('created', 'b', 'R4'),
    ]
    const words = [2, 3, 4, 5].map(async count => latestIn(await logOf(...lines.slice(0, count))))
    expect(await Promise.all(words)).toEqual([[2], [3], [4], [5]])
  })

  it('is one for each row that is not a duplicate, whatever the lines are', async () => {
    const line = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'sha256:0123456789abcdef#1', ''),
      status: fc.constantFrom('created', 'existing', 'invalid', 'failed', 'in_doubt', 'duplicate'),
      by_hand: fc.boolean(),
    })
    const hashes = new Map(
      ['sha256:0123456789abcdef#1', 'a', 'b', 'c', ''].map((key, at) => [key, `${at}123456789abcdef`]),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async lines => {
        const file = await logOf(
          openingLine(),
          ...lines.map((each, at) =>
            rowLine(each.status, at, { ...each, run: `of ${at}`, hash: hashes.get(each.key) }),
          ),
        )
        const rows = lines.filter(({ status }) => status !== 'duplicate')
        const words = await latestIn(file)
        expect(words.map(number => lines[number - 2]?.key).sort()).toEqual(
          [...new Set(rows.map(({ key }) => key))].sort(),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('is the doubt of an orphaned call, unless the row has its record', async () => {
    const file = await logOf(
      openingLine(),
      rowLine('failed', 1, { key: 'a', run: 'R0' }),
      rowLine('created', 2, { key: 'b', run: 'R0' }),
      rowLine('created', 3, { key: 'c' }),
    )
    const lines = [openingLine(), under('a'), under('b'), under('c'), under('d')]
    await writeFile(`${file}.inflight`, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    expect(await latestIn(file)).toEqual([3, 4, 0, 0])
    const { checkpoint } = await readLatestLines(file, watching)
    expect(checkpoint.inDoubt).toBe(2)
  })

  it('is not that of a call in flight while its run lives', async () => {
    const file = await logOf(openingLine(), rowLine('created', 1))
    await writeFile(
      `${file}.inflight`,
      [openingLine(), under('a')].map(line => `${JSON.stringify(line)}\n`).join(''),
    )
    const clock = testClock()
    const lock = join(`${file}.lock`, 'R1')
    await mkdir(`${file}.lock`)
    await writeFile(lock, '')
    const found = async (beat: () => void) => {
      const words = latestIn(file, { ...watching, clock })
      await expect.poll(() => clock.timers, pollOptions).toBe(1)
      beat()
      await clock.advance(watching.timeoutMs)
      return words
    }
    expect(await found(() => utimesSync(lock, 0, 0))).toEqual([2])
    expect(await found(() => {})).toEqual([2, 0])
    await rename(`${file}.lock`, `${file}.gone`)
    expect(await latestIn(file)).toEqual([2, 0])
  })

  it('is found in a log that grows meanwhile, as it was when the reading began', async () => {
    const file = await logOf(openingLine(), rowLine('failed', 1), '{"run":"R1","sta')
    await writeFile(`${file}.inflight`, '')
    const { each } = await readLatestLines(file, watching)
    await appendFile(file, `tus":"created","key":"k9"}\n${JSON.stringify(rowLine('created', 1))}\n`)
    const lines: (readonly [number, boolean])[] = []
    for await (const batch of each())
      lines.push(...batch.map(({ number, isLatest }) => [number, isLatest] as const))
    expect(lines).toEqual([
      [1, false],
      [2, true],
    ])
  })
})

describe('rows of one record', () => {
  const record_id = '9d2f0000-0000-4000-8000-000000000001'

  it('are pairs of the first line and each later one, in letters of any case', async () => {
    const { merged } = await readLatestLines(
      await logOf(
        openingLine(),
        rowLine('created', 1, { record_id }),
        rowLine('existing', 2, { record_id: record_id.toUpperCase() }),
        rowLine('existing', 3, { record_id }),
        rowLine('existing', 4, { record_id: 'another' }),
        rowLine('created', 5, { record_id }), // as an earlier version wrote it
      ),
      watching,
    )
    expect(merged.count).toBe(2)
    expect(merged.pairs).toEqual([
      { recordId: record_id.toUpperCase(), first: 2, second: 3 },
      { recordId: record_id, first: 2, second: 4 },
    ])
  })

  it('are all counted, and ten of them listed', async () => {
    const rows = Array.from({ length: 500 }, (_, at) => rowLine('existing', at, { record_id }))
    const { merged } = await readLatestLines(await logOf(openingLine(), ...rows), watching)
    expect([merged.count, merged.pairs.length]).toEqual([499, 10])
  })

  it.each(['task', 'deal'])(
    'are not looked for among records of the kind %s, which the service never returns twice',
    async record => {
      const { merged } = await readLatestLines(
        await logOf(
          openingLine('R1', { record }),
          rowLine('existing', 1, { record_id }),
          rowLine('existing', 2, { record_id }),
        ),
        watching,
      )
      expect(merged.count).toBe(0)
    },
  )
})

describe('a set of numbers', () => {
  it('has those that were added, and counts each once', () => {
    const numbers = new NumberSet()
    const added = [0, 7, 8, 8_191, 8_192, 8_199, 16_384, 100_003, 100_003, 5, 5]
    for (const number of added) numbers.add(number)
    expect(numbers.size).toBe(9)
    const found = Array.from({ length: 110_000 }, (_, number) => number).filter(number => numbers.has(number))
    expect(found).toEqual([...new Set(added)].sort((a, b) => a - b))
  })
})
