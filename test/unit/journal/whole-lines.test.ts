import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { withChecksum } from '../../../src/journal/checksum.ts'
import { readOrphans } from '../../../src/journal/intent-log.ts'
import { repairLog } from '../../../src/journal/repair.ts'
import { readResultLines } from '../../../src/journal/result-log.ts'
import {
  intentLogPath,
  readWholeLines,
  type TailRepair,
  unreadable,
} from '../../../src/journal/whole-lines.ts'
import { UsageError } from '../../../src/model/errors.ts'
import { describeProblem } from '../../../src/report/words.ts'
import { createdLine, newResults, repaired, sampleLines, unlocked } from '../../support/damaged-logs.ts'
import { openingLine, rowLine } from '../../support/log-files.ts'
import { timesOpen } from '../../support/open-files.ts'

const old = (line: object) => JSON.stringify(line)
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

describe('a log that is read', () => {
  it('needs no repair where its last line is whole, and a line end where only that is missing', async () => {
    for (const lines of [[opening, ofK1, ofK2].map(old), [opening, ofK1, ofK2].map(checked)]) {
      const text = lines.join('\n')
      const keys = [undefined, 'k1', 'k2']
      expect(await readFrom(`${text}\n`)).toEqual({ keys, tails: [] })
      expect(await readFrom(text)).toEqual({ keys, tails: [[text.length, '\n']] })
    }
  })

  it('has no lines once the run that wrote it has removed it, also for those who had seen it', async () => {
    const results = await newResults()
    const path = intentLogPath(results)
    const read = []
    for await (const lines of readWholeLines({ path, log: results })) read.push(...lines)
    expect(read).toEqual([])
  })

  it('loses what was begun of its last line, at whatever byte it breaks off', async () => {
    const whole = `${checked(opening)}\n${checked(ofK1)}\n`
    const begun = checked(ofK2)
    for (let length = 1; length < begun.length; length += length < 12 ? 1 : 17)
      expect(await readFrom(whole + begun.slice(0, length)), `${length}`).toEqual({
        keys: [undefined, 'k1'],
        tails: [[whole.length, '']],
      })
  })

  it.each(['\0', '\0\0\0'])('loses NUL bytes at its end: %j', async nuls => {
    const whole = `${checked(opening)}\n`
    expect(await readFrom(whole + nuls)).toEqual({ keys: [undefined], tails: [[whole.length, '']] })
  })

  it('keeps the whole lines behind one that a power cut took, which go where that one was', async () => {
    const whole = `${checked(opening)}\n`
    const lost = `${'\0'.repeat(70)}half a line"}`
    for (const end of ['\n', '']) {
      const read = await readFrom(`${whole}${lost}\n${checked(ofK1)}\n${checked(ofK2)}${end}`)
      expect(read.keys).toEqual([undefined, 'k1', 'k2'])
      expect(read.tails).toEqual([[whole.length, `${checked(ofK1)}\n${checked(ofK2)}\n`]])
    }
  })

  it('keeps the whole line behind a torn one, where what is left of that tells of no row', async () => {
    const read = await readFrom(`${checked(opening)}\n{"r${checked(ofK1)}\n`)
    expect(read).toEqual({ keys: [undefined, 'k1'], tails: [] })
    expect(await wrongWith(`${checked(opening)}\n{"run":"R1","key${checked(ofK1)}\n`)).toEqual([
      'bad_log_line',
      2,
    ])
  })

  it('may go on with an earlier version, but no line of it can lose its checksum', async () => {
    const [now, before] = [checked(opening), old({ ...opening, run: 'R0' })]
    expect((await readFrom(`${before}\n${old(ofK1)}\n${now}\n${checked(ofK2)}\n`)).keys).toHaveLength(4)
    expect((await readFrom(`${now}\n${checked(ofK1)}\n${before}\n${old(ofK2)}\n`)).keys).toHaveLength(4)
    expect(await wrongWith(`${now}\n${old(ofK1)}\n${checked(ofK2)}\n`)).toEqual(['bad_log_line', 2])
    expect(await wrongWith(`${before}\n${now}\n${old(ofK1)}\n`)).toEqual(['bad_log_line', 3])
  })

  it.each<[string, string, unknown]>([
    ['no opening', `${old(ofK1)}\n${old(opening)}\n`, ['not_a_log', undefined]],
    ['no opening, with checksums', `${checked(ofK1)}\n`, ['not_a_log', undefined]],
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
    ['an empty line', `${old(opening)}\n\n${old(ofK1)}\n`, ['bad_log_line', 2]],
    ['another text at its end', `${old(opening)}\n{"time":1`, ['bad_log_line', 2]],
    ['an old line whose line end was changed', `${old(opening)}\n${old(ofK1)}x`, ['bad_log_line', 2]],
    [
      'a line whose line end was changed',
      `${checked(opening)}\n${checked(ofK1).replace('k1', 'k7')}x`,
      ['bad_log_line', 2],
    ],
    ['one NUL byte', `${checked(opening)}\n${checked(ofK1).replace('k1', 'k\0')}\n`, ['bad_log_line', 2]],
  ])('is refused where it has %s', async (_, text, wrong) => {
    expect(await wrongWith(text)).toEqual(wrong)
  })

  it('is read whole, however long its lines are', async () => {
    const long = { ...ofK1, body: { text: 'é'.repeat(300_000) } }
    const lines = [checked(opening), checked(long), checked(ofK2)]
    expect((await readFrom(`${lines.join('\n')}\n`)).keys).toEqual([undefined, 'k1', 'k2'])
  })

  it('is named where it cannot be read', () => {
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

describe('a repair', () => {
  const damaged = (line = '') => line.replace('tasks.csv', 'tusks.cvs').replace(/.."}$/, 'zz"}')
  const textOf = (lines: readonly (string | undefined)[]) => lines.map(line => `${line}\n`).join('')
  const { log } = sampleLines

  it('takes away what a power cut took, as the next run does', async () => {
    const results = await interruptedLog()
    for (const [end, kept] of [
      [`${'\0'.repeat(80)}\n${log[9]}\n`, log],
      [`${log[9]}\n{"run":"R2","at":"20`, log],
      [`${log[9]}\n\0\0\0\0`, log],
    ] as const) {
      await writeFile(results, textOf(log.slice(0, 9).with(1, log[1]?.replace('"key"', '"kez"') ?? '')) + end)
      expect(await repaired(results)).toEqual({ restored: 1, moved: [] })
      expect(await readFile(results, 'utf8')).toBe(textOf(kept))
    }
    expect(await timesOpen(`${results}.damaged`)).toBe(0)
  })

  it('does not take a line away for NUL bytes where a whole one is in it, or where too many follow', async () => {
    const results = await interruptedLog()
    const nuls = '\0'.repeat(80)
    await writeFile(results, textOf([log[0], damaged(log[1]), `${nuls}${log[8]}`, log[9]]))
    expect((await repaired(results)).moved.map(String)).toEqual([damaged(log[1])])
    expect(await readFile(results, 'utf8')).toContain(`${log[8]}\n${log[9]}\n`)
    expect(await timesOpen(`${results}.damaged`)).toBe(0)

    const lostLine = `${nuls}"key":"x","hash":"5"}`
    for (const [count, code] of [
      [999, undefined],
      [1_000, 'unreadable_line'],
    ] as const) {
      const more = Array.from({ length: count }, (_, at) => createdLine(100 + at))
      await writeFile(results, textOf([log[0], log[1]?.replace('"key"', '"kez"'), lostLine, ...more]))
      const ended = await repaired(results).catch((error: UsageError) => error.code)
      expect(ended).toEqual(code ?? { restored: 1, moved: [] })
    }
  })

  it('writes a damaged call as a call, and adds to what earlier repairs moved', async () => {
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

  it('guesses nothing where the fields behind a hash cannot be read: they may be of another line', async () => {
    const results = await newResults()
    const line = log[9]?.replace('"status":"created"', '#status#created') ?? ''
    await writeFile(results, textOf(log.with(9, line)))
    await expect(repaired(results)).rejects.toThrow('r.ndjson:10: is damaged, and which rows it told of')
  })

  it('changes nothing of whole logs, and makes no file', async () => {
    const results = await newResults()
    await writeFile(results, textOf(log))
    const how = { run: '01JDBBBBBBBBBBBBBBBBBBBBBB', describe: describeProblem }
    expect(await repairLog(results, unlocked, how)).toEqual({ restored: 0, moved: [] })
    await expect(readFile(`${results}.damaged`)).rejects.toThrow('ENOENT')
  })
})
