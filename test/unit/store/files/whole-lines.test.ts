import { chown, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { LockError, UsageError } from '../../../../src/model/errors.ts'
import { withChecksum } from '../../../../src/store/files/checksum.ts'
import { readIntents } from '../../../../src/store/files/intent-log.ts'
import type { ResultLine } from '../../../../src/store/files/lines.ts'
import { readResultLines } from '../../../../src/store/files/result-log.ts'
import {
  intentLogPath,
  LineCheck,
  type LogEnd,
  readWholeLines,
  unreadable,
} from '../../../../src/store/files/whole-lines.ts'
import { newResults, repaired, sampleFiles, unlocked, writeFiles } from '../../../support/damaged-logs.ts'
import { openingLine, rowLine } from '../../../support/log-files.ts'

// Logs before 0.5, whose lines have no chain; damage.test.ts has those of today.

const unchecked = (line: object) => JSON.stringify(line)
const checked = (line: object) => withChecksum(JSON.stringify(line))
const [opening, ofK1, ofK2] = [openingLine(), rowLine('created', 1), rowLine('failed', 2)]

/** A log that a run was writing: an intent log is beside it. */
async function interruptedLog() {
  const results = await newResults()
  await writeFile(intentLogPath(results), '')
  return results
}

/** What is read of a log with this text: the keys of its lines, and where the next run goes on. */
async function readFrom(text: string) {
  const path = await interruptedLog()
  await writeFile(path, text)
  const keys: (string | undefined)[] = []
  let end: LogEnd | undefined
  const onEnd = (read: LogEnd) => {
    end = read
  }
  for await (const lines of readResultLines(path, { onEnd })) keys.push(...lines.map(({ line }) => line.key))
  return { keys, cutTo: end?.cutTo, isOpen: end?.isOpen }
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
    expect(await readFrom(`${text}\n`)).toEqual({ keys, cutTo: text.length + 1, isOpen: false })
    expect(await readFrom(text)).toEqual({ keys, cutTo: text.length, isOpen: true })
  })

  it('a log has no lines once the run that wrote it has removed it, also for those who had seen it', async () => {
    const results = await newResults()
    const path = intentLogPath(results)
    const read = []
    for await (const lines of readWholeLines(path, new LineCheck({ path, log: results }))) read.push(...lines)
    expect(read).toEqual([])
  })

  it('a log loses what was begun of its last line, at whatever byte it breaks off', async () => {
    const whole = `${checked(opening)}\n${checked(ofK1)}\n`
    const begun = checked(ofK2)
    for (let length = 1; length < begun.length; length += length < 12 ? 1 : 17)
      expect(await readFrom(whole + begun.slice(0, length)), `${length}`).toEqual({
        ...{ keys: [undefined, 'k1'], cutTo: whole.length, isOpen: false },
      })
  })

  it('a log loses a torn last line only if a run was writing it', async () => {
    const results = await newResults()
    await writeFile(results, `${checked(opening)}\n${checked(ofK1).slice(0, 150)}`)
    await expect(
      readResultLines(results)
        .next()
        .then(() => readAll(results)),
    ).rejects.toMatchObject({
      code: 'bad_log_line',
    })
  })

  it.each(['\0', '\0\0\0'])('a log loses NUL bytes at its end: %j', async nuls => {
    const whole = `${checked(opening)}\n`
    expect(await readFrom(whole + nuls)).toMatchObject({ keys: [undefined], cutTo: whole.length })
  })

  it.each<[string, string, unknown]>([
    ['no opening with a checksum', `${unchecked(opening)}\n${checked(ofK1)}\n`, ['not_a_log', undefined]],
    ['no opening', `${checked(ofK1)}\n`, ['lines_missing', 1]],
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
    [
      'a line without a checksum',
      `${checked(opening)}\n${unchecked(ofK1)}\n${checked(ofK2)}\n`,
      ['bad_log_line', 2],
    ],
    ['half a line before a whole one', `${checked(opening)}\n{"r${checked(ofK1)}\n`, ['bad_log_line', 2]],
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
  expect([...((await readIntents(results))?.calls.keys() ?? [])]).toEqual(['a'])
  await writeFile(path, `${checked(call)}\n`)
  await expect(readIntents(results)).rejects.toThrow(
    new UsageError('lines_missing', { path, log: results, line: 1 }),
  )
  await writeFile(path, `${checked(opening)}\n${checked({ run: 'R1', status: 'created' })}\n`)
  await expect(readIntents(results)).rejects.toThrow('has the unknown status "created"')
})

const readAll = async (path: string) => {
  for await (const _ of readResultLines(path));
}

describe('repair', async () => {
  const { finished } = await sampleFiles()
  const damaged = (text: Buffer) => Buffer.from(String(text).replace('"key":"ada"', '"key":"eda"'))

  it('a repair adds to what earlier repairs moved', async () => {
    const results = await newResults()
    await writeFiles(results, { ...finished, log: damaged(finished.log) })
    await writeFile(`${results}.damaged`, 'of yesterday\n')
    await repaired(results)
    expect(await readFile(`${results}.damaged`, 'utf8')).toMatch(/^of yesterday\n.*"key":"eda".*\n$/)
  })

  it('a repair changes nothing of whole logs, and makes no file', async () => {
    const results = await newResults()
    await writeFiles(results, finished)
    expect(await repaired(results)).toBeUndefined()
    expect(await readFile(results)).toEqual(finished.log)
    await expect(readFile(`${results}.damaged`)).rejects.toThrow('ENOENT')
  })

  it('a repair of a log before 0.5 holds the row of a damaged line', async () => {
    const results = await newResults()
    const lines = [opening, ofK1, ofK2].map(checked)
    await writeFile(results, `${lines[0]}\n${lines[1]?.replace('contacts', 'kontacts')}\n${lines[2]}\n`)
    await repaired(results)
    expect(await readFile(results, 'utf8')).toMatch(/"key":"k1".*"status":"in_doubt".*"damaged_line"/)
    await readAll(results)
  })

  it.runIf(process.getuid?.() === 0)(
    'a repair leaves a log its owner’s, whose next run has to read it',
    async () => {
      const results = await newResults()
      await writeFile(results, damaged(finished.log))
      await chown(results, 4711, 4712)
      await repaired(results)
      const { uid, gid, mode } = await stat(results)
      expect([uid, gid, mode & 0o777]).toEqual([4711, 4712, 0o600])
    },
  )

  it('a repair is left alone if the lock is lost', async () => {
    const results = await newResults()
    await writeFile(results, damaged(finished.log))
    const lost = new LockError('lock_lost', { log: results })
    const check = () => {
      throw lost
    }
    await expect(repaired(results, { ...unlocked, check })).rejects.toBe(lost)
    expect(await readFile(results)).toEqual(damaged(finished.log))
  })
})

describe('lines that come late', () => {
  it('an opening may follow the last line that its run read, though a late one came before it', () => {
    const check = new LineCheck({ path: 'r', log: 'r' })
    const follows = (line: object, chain: number, crc: number) =>
      check.follows({ line: line as ResultLine, chain, crc })
    expect(follows(openingLine('R1'), 0, 1)).toBe(true)
    expect(follows(ofK1, 1, 2)).toBe(true)
    expect(follows(ofK2, 2, 3)).toBe(true)
    expect(follows(openingLine('R2'), 2, 4)).toBe(true)
    expect(follows(openingLine('R3'), 3, 5)).toBe(false)
  })
})
