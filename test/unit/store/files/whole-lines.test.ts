import { chown, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { repairLog } from '../../../../src/features/log-tools/repair.ts'
import { LockError, UsageError } from '../../../../src/model/errors.ts'
import { withChecksum } from '../../../../src/store/files/checksum.ts'
import { readOrphans } from '../../../../src/store/files/intent-log.ts'
import { readResultLines } from '../../../../src/store/files/result-log.ts'
import {
  intentLogPath,
  readWholeLines,
  type TailRepair,
  unreadable,
} from '../../../../src/store/files/whole-lines.ts'
import { createdLine, newResults, repaired, sampleLines, unlocked } from '../../../support/damaged-logs.ts'
import { openingLine, rowLine } from '../../../support/log-files.ts'

const unchecked = (line: object) => JSON.stringify(line)
const checked = (line: object) => withChecksum(JSON.stringify(line))
const [opening, ofK1, ofK2] = [openingLine(), rowLine('created', 1), rowLine('failed', 2)]

/** A log that a run was writing: an intent log is beside it. */
async function interruptedLog() {
  const results = await newResults()
  await writeFile(intentLogPath(results), '')
  return results
}

/** What is read of a log with this text: the keys of its lines, and what its end needs. */
async function readFrom(text: string) {
  const path = await interruptedLog()
  await writeFile(path, text)
  const keys: (string | undefined)[] = []
  const tails: TailRepair[] = []
  for await (const lines of readResultLines(path, tail => tails.push(tail)))
    keys.push(...lines.map(({ line }) => line.key))
  return { keys, tails: tails.map(({ cutTo, add }) => [cutTo, String(add)]) }
}

/** The code of what is wrong with a log of this text, and the line that it names. */
async function wrongWith(text: string): Promise<unknown> {
  const error = await readFrom(text).catch((error: UsageError) => error)
  return error instanceof UsageError && [error.code, (error.params as { line?: number }).line]
}

describe('log', () => {
  it('a log needs no repair if its last line is whole, and a line end if only that is missing', async () => {
    const text = [opening, ofK1, ofK2].map(checked).join('\n')
    const keys = [undefined, 'k1', 'k2']
    expect(await readFrom(`${text}\n`)).toEqual({ keys, tails: [] })
    expect(await readFrom(text)).toEqual({ keys, tails: [[text.length, '\n']] })
  })

  it('a log has no lines once the run that wrote it has removed it, also for those who had seen it', async () => {
    const results = await newResults()
    const path = intentLogPath(results)
    const read = []
    for await (const lines of readWholeLines({ path, log: results })) read.push(...lines)
    expect(read).toEqual([])
  })

  it('a log loses what was begun of its last line, at whatever byte it breaks off', async () => {
    const whole = `${checked(opening)}\n${checked(ofK1)}\n`
    const begun = checked(ofK2)
    for (let length = 1; length < begun.length; length += length < 12 ? 1 : 17)
      expect(await readFrom(whole + begun.slice(0, length)), `${length}`).toEqual({
        keys: [undefined, 'k1'],
        tails: [[whole.length, '']],
      })
  })

  it('a log loses a torn last line whose first byte a power cut took, but only if a run was writing it', async () => {
    const whole = `${checked(opening)}\n`
    const torn = `\0${checked(ofK1).slice(1, 90)}`
    expect(await readFrom(whole + torn)).toEqual({ keys: [undefined], tails: [[whole.length, '']] })
    for (const text of [torn, torn.slice(0, 20)]) {
      const results = await newResults()
      await writeFile(results, whole + text)
      const reading = readResultLines(results)
      await reading.next() // the line before it
      await expect(reading.next()).rejects.toMatchObject({ code: 'bad_log_line' })
    }
  })

  it.each(['\0', '\0\0\0'])('a log loses NUL bytes at its end: %j', async nuls => {
    const whole = `${checked(opening)}\n`
    expect(await readFrom(whole + nuls)).toEqual({ keys: [undefined], tails: [[whole.length, '']] })
  })

  it('a log keeps the whole lines behind one that a power cut took, which go where that one was', async () => {
    const whole = `${checked(opening)}\n`
    const lost = `${'\0'.repeat(70)}half a line"}`
    for (const end of ['\n', '']) {
      const read = await readFrom(`${whole}${lost}\n${checked(ofK1)}\n${checked(ofK2)}${end}`)
      expect(read.keys).toEqual([undefined, 'k1', 'k2'])
      expect(read.tails).toEqual([[whole.length, `${checked(ofK1)}\n${checked(ofK2)}\n`]])
    }
  })

  it.each<[string, string, unknown]>([
    ['no opening with a checksum', `${unchecked(opening)}\n${checked(ofK1)}\n`, ['not_a_log', undefined]],
    ['no opening', `${checked(ofK1)}\n`, ['not_a_log', undefined]],
    [
      'a status of a newer version',
      `${checked(opening)}\n${checked({ ...ofK1, status: 'archived' })}\n`,
      ['unknown_line', 2],
    ],
    [
      'a line of nothing known',
      `${checked(opening)}\n${withChecksum('{"run":"R1"}')}\n`,
      ['unknown_line', 2],
    ],
    [
      'a line that is none, with a checksum',
      `${checked(opening)}\n${withChecksum('{"key":"k1"}')}\n`,
      ['unknown_line', 2],
    ],
    ['an empty line', `${checked(opening)}\n\n${checked(ofK1)}\n`, ['bad_log_line', 2]],
    ['another text at its end', `${checked(opening)}\n{"time":1`, ['bad_log_line', 2]],
    [
      'a line without a checksum',
      `${checked(opening)}\n${unchecked(ofK1)}\n${checked(ofK2)}\n`,
      ['bad_log_line', 2],
    ],
    ['half a line before a whole one', `${checked(opening)}\n{"r${checked(ofK1)}\n`, ['bad_log_line', 2]],
    [
      'a line whose line end was changed',
      `${checked(opening)}\n${checked(ofK1).replace('k1', 'k7')}x`,
      ['bad_log_line', 2],
    ],
    ['one NUL byte', `${checked(opening)}\n${checked(ofK1).replace('k1', 'k\0')}\n`, ['bad_log_line', 2]],
  ])('a log is refused if it has %s', async (_, text, wrong) => {
    expect(await wrongWith(text)).toEqual(wrong)
  })

  it('a log is read whole, however long its lines are', async () => {
    const long = { ...ofK1, body: { text: 'é'.repeat(300_000) } }
    const lines = [checked(opening), checked(long), checked(ofK2)]
    expect((await readFrom(`${lines.join('\n')}\n`)).keys).toEqual([undefined, 'k1', 'k2'])
  })

  it('a log is named if it cannot be read', () => {
    const error = Object.assign(new Error('x'), { code: 'EIO' })
    expect(unreadable('r.ndjson', error)).toMatchObject({
      code: 'file_unreadable',
      params: { path: 'r.ndjson', reason: 'EIO' },
    })
  })
})

it('an intent log has an opening, and calls', async () => {
  const results = await newResults()
  const path = intentLogPath(results)
  const call = { run: 'R1', key: 'a', body: {} }
  await writeFile(path, `${checked(opening)}\n${checked(call)}\n`)
  expect([...((await readOrphans(results))?.calls.keys() ?? [])]).toEqual(['a'])
  await writeFile(path, `${checked(call)}\n`)
  await expect(readOrphans(results)).rejects.toThrow(new UsageError('bad_in_flight_file', { path }))
  await writeFile(path, `${checked(opening)}\n${checked({ run: 'R1', status: 'created' })}\n`)
  await expect(readOrphans(results)).rejects.toThrow('has the unknown status "created"')
})

describe('repair', () => {
  const damaged = (line = '') => line.replace('tasks.csv', 'tusks.cvs').replace(/.."}$/, 'zz"}')
  const textOf = (lines: readonly (string | undefined)[]) => lines.map(line => `${line}\n`).join('')
  const { log } = sampleLines

  it('a repair takes away what a power cut took, as the next run does', async () => {
    const results = await interruptedLog()
    for (const [end, kept] of [
      [`${'\0'.repeat(80)}\n${log[9]}\n`, log[9]],
      [`${log[9]}\n{"run":"R2","at":"20`, log[9]],
      [`${log[9]}\n\0\0\0\0`, log[9]],
    ] as const) {
      await writeFile(results, textOf([...log.slice(0, 9), damaged(log[1])]) + end)
      expect((await repaired(results)).map(String)).toEqual([damaged(log[1])])
      expect(await readFile(results, 'utf8')).toMatch(
        new RegExp(`"damaged_line".*\n.*${kept?.slice(-20)}\n$`),
      )
    }
  })

  it('a repair keeps a line with NUL bytes if a whole one is in it, or too many follow', async () => {
    const results = await interruptedLog()
    const nuls = '\0'.repeat(80)
    await writeFile(results, textOf([log[0], damaged(log[1]), `${nuls}${log[8]}`, log[9]]))
    expect((await repaired(results)).map(String)).toEqual([damaged(log[1])])
    expect(await readFile(results, 'utf8')).toContain(`${log[8]}\n${log[9]}\n`)

    const lostLine = `${nuls}"key":"x","hash":"5"}`
    for (const [count, code] of [
      [999, undefined],
      [1_000, 'unreadable_line'],
    ] as const) {
      const more = Array.from({ length: count }, (_, at) => createdLine(100 + at))
      await writeFile(results, textOf([log[0], damaged(log[1]), lostLine, ...more]))
      const ended = await repaired(results).catch((error: UsageError) => error.code)
      expect(ended).toEqual(code ?? [Buffer.from(damaged(log[1]))])
    }
  })

  it('a repair writes a damaged call as a call, and adds to what earlier repairs moved', async () => {
    const results = await newResults()
    const calls = sampleLines.inFlight.with(3, damaged(sampleLines.inFlight[3]))
    await writeFile(results, textOf(log))
    await writeFile(intentLogPath(results), textOf(calls))
    await writeFile(`${results}.damaged`, 'of yesterday\n')
    await repaired(results)
    expect(await readFile(`${results}.damaged`, 'utf8')).toBe(`of yesterday\n${calls[3]}\n`)
    const text = await readFile(intentLogPath(results), 'utf8')
    expect(text).not.toContain('"status"')
    expect(text).toContain('"body":{"name":"fay","n":7}')
  })

  it('a repair guesses nothing if the fields after a hash cannot be read', async () => {
    const results = await newResults()
    const line = log[9]?.replace('"status":"created"', '#status#created') ?? ''
    await writeFile(results, textOf(log.with(9, line)))
    await expect(repaired(results)).rejects.toThrow('r.ndjson:10: is damaged, and which rows it was about')
  })

  it('a repair changes nothing of whole logs, and makes no file', async () => {
    const results = await newResults()
    await writeFile(results, textOf(log))
    const run = '01JDBBBBBBBBBBBBBBBBBBBBBB'
    expect(await repairLog(results, unlocked, run)).toEqual([])
    await expect(readFile(`${results}.damaged`)).rejects.toThrow('ENOENT')
  })

  it.runIf(process.getuid?.() === 0)(
    'a repair leaves a log its owner’s, whose next run has to read it',
    async () => {
      const results = await newResults()
      await writeFile(results, textOf(log.with(2, damaged(log[2]))))
      await chown(results, 4711, 4712)
      await repaired(results)
      const { uid, gid, mode } = await stat(results)
      expect([uid, gid, mode & 0o777]).toEqual([4711, 4712, 0o600])
    },
  )

  it('a repair is left alone if the lock is lost', async () => {
    const results = await newResults()
    await writeFile(results, textOf(log.with(2, damaged(log[2]))))
    const lost = new LockError('lock_lost', { log: results })
    const check = () => {
      throw lost
    }
    const run = '01JDBBBBBBBBBBBBBBBBBBBBBB'
    await expect(repairLog(results, { ...unlocked, check }, run)).rejects.toBe(lost)
    expect(await readFile(results, 'utf8')).toBe(textOf(log.with(2, damaged(log[2]))))
  })
})
