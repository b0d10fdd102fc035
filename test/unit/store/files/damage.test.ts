import { link, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { UsageError } from '../../../../src/model/errors.ts'
import { replay } from '../../../../src/store/files/checkpoint.ts'
import { withChecksum } from '../../../../src/store/files/checksum.ts'
import { closingLine } from '../../../../src/store/files/lines.ts'
import { openResultLog } from '../../../../src/store/files/result-log.ts'
import { intentLogPath } from '../../../../src/store/files/whole-lines.ts'
import {
  createdLine,
  knownIn,
  newResults,
  repaired,
  sampleLines,
  textOf,
  unlocked,
  writeLogs,
} from '../../../support/damaged-logs.ts'
import { isLong } from '../../../support/random.ts'

const log = textOf(sampleLines.log)
const inFlight = textOf(sampleLines.inFlight)

/** What stands in the place of a byte: one bit changed, the highest one changed, NUL, a line end, or another letter. */
const changes = [1, 0x80, 'nul', 'line end'] as const
function changed(text: Buffer, at: number, how: (typeof changes)[number]): Buffer {
  const copy = Buffer.from(text)
  const old = copy[at] ?? 0
  copy[at] = how === 'nul' ? 0 : how === 'line end' ? (old === 10 ? 0x78 : 10) : old ^ how
  return copy
}

/** BYTES=1 changes every byte. */
const step = Number(process.env.BYTES ?? (isLong ? 97 : 293))

describe.each([
  ['the result log', log, (text: Buffer) => [text, inFlight] as const],
  ['the intent log', inFlight, (text: Buffer) => [log, text] as const],
])('a changed byte of %s', (_, text, logs) => {
  it.each(changes)(
    'a log with a changed byte is refused, and after a repair no row is sent again: %s',
    async how => {
      const results = await newResults()
      await writeLogs(results, log, inFlight)
      const truth = (await knownIn(results)).rows
      for (let at = changes.indexOf(how); at < text.length; at += step) {
        const damaged = logs(changed(text, at, how))
        await writeLogs(results, ...damaged)
        await expect(knownIn(results), `${at}`).rejects.toThrow(
          /is not a line|is not a result log|is damaged/,
        )
        const code = await repaired(results).then(
          () => undefined,
          (error: UsageError) => error.code,
        )
        if (code !== undefined) {
          expect(['unreadable_line', 'not_a_log', 'bad_in_flight_file'], `${at}`).toContain(code)
          expect([await readFile(results), await readFile(intentLogPath(results))], `${at}`).toEqual(damaged)
        } else
          for (const [row, status] of (await knownIn(results)).rows.entries())
            expect([truth[row], 'in_doubt'], `${at}`).toContain(status)
      }
    },
  )
})

/** Opens the log as a run does, which repairs its end, and adds a line. */
async function goneOn(results: string): Promise<void> {
  const { tailRepair } = await replay(results, {})
  const sink = await openResultLog(results, tailRepair, unlocked)
  await sink.append(closingLine('R2', new Date(0), { rows: 7 }))
  await sink.close()
}

describe('log that was cut off', () => {
  it('a log that was cut off at any byte keeps its whole lines, and goes on', async () => {
    const results = await newResults()
    for (let length = 2; length < log.length; length += step) {
      await writeLogs(results, log.subarray(0, length), Buffer.alloc(0))
      await goneOn(results)
      const whole = String(log.subarray(0, length + 1))
        .split('\n')
        .slice(0, -1)
      const text = await readFile(results, 'utf8')
      expect(text.split('\n').slice(0, -2), `${length}`).toEqual(whole)
    }
  })

  it('a log that was cut off leaves the calls in flight that were synced', async () => {
    const results = await newResults()
    for (let length = sampleLines.inFlight[0]?.length ?? 0; length < inFlight.length; length += step) {
      await writeLogs(results, log, inFlight.subarray(0, length))
      const { orphans } = await knownIn(results)
      const whole = String(inFlight.subarray(0, length + 1))
        .split('\n')
        .slice(3, -1)
      expect(orphans.length, `${length}`).toBe([0, 1, 2, 1][whole.length])
    }
  })
})

describe('log that lost sectors in a power cut', () => {
  const sector = 64
  const lastGroup = log.length - textOf(sampleLines.log.slice(-2)).length

  it('a log that lost sectors in a power cut has its last rows in doubt, and no NUL later', async () => {
    const results = await newResults()
    const first = Math.ceil(lastGroup / sector)
    const count = Math.ceil(log.length / sector) - first
    const masks = Array.from({ length: 2 ** count }, (_, mask) => mask)
    for (const mask of masks.filter(mask => mask % Math.ceil((step * masks.length) / 5_000) === 1)) {
      const text = Buffer.from(log)
      for (let at = 0; at < count; at += 1)
        if (mask & (2 ** at))
          text.fill(0, (first + at) * sector, Math.min((first + at + 1) * sector, text.length))
      await writeLogs(results, text, inFlight)
      const before = await knownIn(results)
      for (const at of [1, 4]) expect(['settled', 'in_doubt'], `${mask}`).toContain(before.rows[at])
      await goneOn(results)
      expect((await readFile(results)).includes(0), `${mask}`).toBe(false)
      expect((await knownIn(results)).rows, `${mask}`).toEqual(before.rows)
    }
  })

  it('a log that lost sectors in a power cut is refused if too much follows', async () => {
    const results = await newResults()
    const more = Array.from({ length: 1_001 }, (_, at) => createdLine(100 + at))
    const lines = (length: number) =>
      textOf([...sampleLines.log.slice(0, 2), 'x\0\0\0y', ...more.slice(0, length)])
    await writeLogs(results, lines(990), inFlight)
    expect((await replay(results, {})).tailRepair).toBeDefined()
    await writeFile(results, lines(1_001))
    await expect(replay(results, {})).rejects.toThrow(
      'r.ndjson:3: is not a line of a result log, or is damaged',
    )
  })
})

describe('finished log with a lost sector', () => {
  it.each([16, 64, 512])(
    'a finished log with a lost sector of %i bytes is refused, and no row is sent again',
    async sector => {
      const results = await newResults()
      await writeFile(results, log)
      const truth = (await knownIn(results)).rows
      for (let from = 0; from < log.length; from += isLong ? 41 : 151) {
        const text = Buffer.from(log).fill(0, from, Math.min(from + sector, log.length))
        await writeFile(results, text)
        await expect(knownIn(results), `${from}`).rejects.toThrow(/is not a line|is not a result log/)
        const code = await repaired(results).then(
          () => undefined,
          (error: UsageError) => error.code,
        )
        if (code !== undefined) {
          expect(['unreadable_line', 'bad_log_line', 'not_a_log'], `${from}`).toContain(code)
          expect(await readFile(results), `${from}`).toEqual(text)
        } else
          for (const [at, row] of (await knownIn(results)).rows.entries())
            expect([truth[at], truth[at] && 'in_doubt'], `${from}`).toContain(row)
      }
    },
  )

  it('a log with a lost sector counts as cut by a power failure while it is written', async () => {
    const results = await newResults()
    const text = Buffer.from(log).fill(0, log.length - 64)
    await writeFile(results, text)
    await (await openResultLog(results, undefined, unlocked)).close()
    expect((await replay(results, {})).tailRepair).toBeDefined()
  })
})

describe('foreign line in a log', () => {
  const half = '{"time":"12:00","message":"backup of r.nd'

  it('a foreign line in a log is moved by a repair, and the outcome after it counts', async () => {
    const results = await newResults()
    const lines = sampleLines.log.with(-1, half + sampleLines.log.at(-1))
    await writeLogs(results, textOf(lines), inFlight)
    await expect(knownIn(results)).rejects.toThrow('r.ndjson:10: is not a line')
    expect((await repaired(results)).map(String)).toEqual([half])
    expect(await readFile(results)).toEqual(log)
    expect(await readFile(`${results}.damaged`, 'utf8')).toBe(`${half}\n`)
    expect((await stat(`${results}.damaged`)).mode & 0o777).toBe(0o600)
  })

  it('a foreign line in a log is refused where it stands alone, and moved by a repair', async () => {
    const results = await newResults()
    await writeLogs(results, textOf(sampleLines.log.toSpliced(3, 0, half)), inFlight)
    await expect(knownIn(results)).rejects.toThrow('r.ndjson:4: is not a line')
    await repaired(results)
    expect(await readFile(results)).toEqual(log)
  })

  it('a foreign line in a log may be of a newer version, and its status is refused', async () => {
    const results = await newResults()
    const line = withChecksum('{"run":"R3","key":"x","status":"archived"}')
    await writeFile(results, textOf([...sampleLines.log, line]))
    for (const work of [knownIn, repaired])
      await expect(work(results)).rejects.toThrow('r.ndjson:11: has the unknown status "archived"')
  })
})

describe('line with several changed bytes', () => {
  /** Damages lines of both logs behind their keys. */
  const damaged = (line = '') => line.replace('tasks.csv', 'tusks.cvs').replace(/.."}$/, 'zz"}')

  it('a line with several changed bytes puts its row in doubt, unless another line has the record', async () => {
    const results = await newResults()
    const lines = sampleLines.log.with(9, damaged(sampleLines.log[9])).with(2, damaged(sampleLines.log[2]))
    const calls = sampleLines.inFlight.with(3, damaged(sampleLines.inFlight[3]))
    await writeLogs(results, textOf(lines), textOf(calls))
    await expect(knownIn(results)).rejects.toThrow('r.ndjson.inflight:4: is not a line')
    const moved = await repaired(results)
    expect(moved.map(String)).toEqual([calls[3], lines[2], lines[9]])
    const known = await knownIn(results)
    expect(known.rows).toEqual([
      'settled',
      'settled',
      'in_doubt',
      'refused',
      'in_doubt',
      'in_doubt',
      undefined,
    ])
    expect(known.orphans).toEqual([['fay', { name: 'fay', n: 7 }]])
    expect(await readFile(results, 'utf8')).toContain('"code":"damaged_line"')
    expect(await repaired(results)).toEqual([])
  })

  it('a line with several changed bytes is left alone if its key cannot be read, with all others', async () => {
    const results = await newResults()
    const text = textOf(sampleLines.log.with(8, sampleLines.log[8]?.replace('"key":"', '"kez":#') ?? ''))
    await writeLogs(results, text, inFlight)
    await expect(repaired(results)).rejects.toThrow(
      'r.ndjson:9: is damaged, and which rows it was about cannot be read',
    )
    expect(await readFile(results)).toEqual(text)
    expect(await readFile(intentLogPath(results))).toEqual(inFlight)
  })

  it.each([
    ['a byte of its key is missing', '"key":"eve"', '"key":"ve"'],
    ['a byte of its key is there twice', '"key":"eve"', '"key":"evve"'],
    ['two bytes of its key are changed', '"key":"eve"', '"key":"oma"'],
    ['a byte of its hash is missing', '"hash":"6234', '"hash":"234'],
  ])('a line with several changed bytes holds its row by what is right: %s', async (_, part, other) => {
    const results = await newResults()
    const damagedLine = (line = '') => line.replace(part, other).replace('fay', 'fa')
    const calls = sampleLines.inFlight.map(line => (line.includes('"fay"') ? damagedLine(line) : line))
    await writeLogs(results, textOf(sampleLines.log.with(9, damagedLine(sampleLines.log[9]))), textOf(calls))
    expect(await repaired(results)).toHaveLength(2)
    const checkpoint = await replay(results, {})
    expect(checkpoint.get('eve', '623456789abcdef0')?.status).toBe('in_doubt')
    expect(checkpoint.get('fay', '723456789abcdef0')?.status).toBe('in_doubt')
    const doubts = checkpoint.inDoubt
    checkpoint.add({ run: 'R3', key: 'eve', hash: '623456789abcdef0', status: 'created', record_id: 'r' })
    expect(checkpoint.inDoubt).toBeLessThan(doubts)
    expect(checkpoint.get('eve', '623456789abcdef0')?.status).toBe('settled')
  })
})

describe('finished log that was cut off', () => {
  it('a finished log that was cut off in a line is refused, and a repair holds its row', async () => {
    const results = await newResults()
    const cut = sampleLines.log.at(-1)?.slice(0, -60) ?? ''
    await writeFile(results, textOf(sampleLines.log.with(-1, cut)).subarray(0, -1))
    await expect(knownIn(results)).rejects.toThrow('r.ndjson:10: is not a line')
    expect((await repaired(results)).map(String)).toEqual([cut])
    expect((await replay(results, {})).get('eve', '623456789abcdef0')?.status).toBe('in_doubt')
  })
})

it('a file that is no result log is never repaired', async () => {
  const results = await newResults()
  for (const text of [
    'Name,E-mail\nAda,ada@x.example\n',
    '{"run":1}\n{"key":"a"}\n',
    'PK\0\0\n\0\0\n',
    '{"a":1}',
  ]) {
    await writeFile(results, text)
    for (const work of [knownIn, repaired]) await expect(work(results)).rejects.toThrow('is not a result log')
    expect(await readFile(results, 'utf8')).toBe(text)
  }
})

it('a log that gets a second name ends the run', async () => {
  const results = await newResults()
  await writeFile(results, log)
  const sink = await openResultLog(results, undefined, unlocked)
  await sink.append(closingLine('R2', new Date(0), { rows: 1 }))
  await link(results, `${results}.2`)
  await expect(sink.append(closingLine('R2', new Date(0), { rows: 1 }))).rejects.toThrow('got a second name')
  await sink.close()
})
