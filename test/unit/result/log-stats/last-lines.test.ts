import { utimesSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { logPart } from '../../../../src/run/page.ts'
import { testClock } from '../../../support/clock.ts'
import { watching } from '../../../support/context.ts'
import { lineText, logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { pollOptions } from '../../../support/polling.ts'

/** How many rows there are by status, without those of which there are none. */
async function countsIn(file: string, how = watching): Promise<object> {
  const { counts } = await logPart(file, 'the log', how)
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

const countsOf = async (...lines: readonly object[]) => countsIn(await logOf(...lines))

const under = (key: string) => ({ ...rowLine('', 1, { key }), status: undefined, body: { name: key } })

/** Leaves an intent log with these calls beside a log. */
const leaveCalls = (file: string, ...keys: readonly string[]) =>
  writeFile(`${file}.inflight`, [openingLine(), ...keys.map(under)].map(lineText).join(''))

describe('a row counts by its last line', () => {
  it('a row counts by its last line, which is that of its record, else of its doubt, else of its last refusal', async () => {
    let run = 1
    const row = (status: string, key: string, more = {}) => {
      run += 1
      return rowLine(status, 1, { key, run: `R${run}`, ...more })
    }
    const counts = await countsOf(
      openingLine(),
      ...[row('invalid', 'a'), row('created', 'a'), row('failed', 'a'), row('existing', 'a')],
      ...[row('in_doubt', 'b'), row('in_doubt', 'b'), row('failed', 'b')],
      ...[row('in_doubt', 'c'), row('failed', 'c', { by_hand: true }), row('invalid', 'c')],
      ...[row('invalid', 'd'), row('failed', 'd'), row('duplicate', 'd')],
    )
    expect(counts).toEqual({ created: 1, in_doubt: 1, invalid: 1, failed: 1 })
  })

  it('a row counts by its last line, also if several refused rows of one run have one key', async () => {
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
    expect(await Promise.all([4, 7, 11, 12].map(count => countsOf(...lines.slice(0, count))))).toEqual([
      { invalid: 3 },
      { invalid: 2 },
      { created: 1, invalid: 2 },
      { created: 1 },
    ])
  })

  it('a row counts by its last line, also if it came from a rejects file, whatever its key is now', async () => {
    const [hash, other] = ['0123456789abcdef', 'fedcba9876543210']
    const rejected = rowLine('invalid', 1, { key: 'nope', hash })
    const again = (status: string, key: string, run: string) =>
      rowLine(status, 1, { key, run, hash: other, replaces: hash })
    const lines = [
      ...[openingLine(), rejected, again('failed', 'bob@x', 'R2')],
      ...[{ ...rejected, run: 'R3' }, again('created', 'b', 'R4')],
    ]
    expect(await Promise.all([2, 3, 4, 5].map(count => countsOf(...lines.slice(0, count))))).toEqual([
      { invalid: 1 },
      { failed: 1 },
      { invalid: 1 },
      { created: 1 },
    ])
  })

  it('a row counts by its last line, also if that is the doubt of an orphaned call, unless it has its record', async () => {
    const file = await logOf(
      openingLine(),
      rowLine('failed', 1, { key: 'a', run: 'R0' }),
      rowLine('created', 2, { key: 'b', run: 'R0' }),
      rowLine('created', 3, { key: 'c' }),
    )
    await leaveCalls(file, 'a', 'b', 'c', 'd')
    expect(await countsIn(file)).toEqual({ created: 2, in_doubt: 2 })
  })

  it('a row counts by its last line, which is not that of a call in flight while its run lives', async () => {
    const file = await logOf(openingLine(), rowLine('created', 1))
    await leaveCalls(file, 'a')
    const clock = testClock()
    const lock = join(`${file}.lock`, 'R1')
    await mkdir(`${file}.lock`)
    await writeFile(lock, '')
    const found = async (beat: () => void) => {
      const counts = countsIn(file, { ...watching, clock })
      await expect.poll(() => clock.timers, pollOptions).toBe(1)
      beat()
      await clock.advance(watching.timeoutMs)
      return counts
    }
    expect(await found(() => utimesSync(lock, 0, 0))).toEqual({ created: 1 })
    expect(await found(() => {})).toEqual({ created: 1, in_doubt: 1 })
    await rename(`${file}.lock`, `${file}.gone`)
    expect(await countsIn(file)).toEqual({ created: 1, in_doubt: 1 })
  })
})
