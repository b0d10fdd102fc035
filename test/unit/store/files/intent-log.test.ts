import { appendFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LockError } from '../../../../src/model/errors.ts'
import type { Body, Call } from '../../../../src/model/row.ts'
import { openIntentLog, readIntents, removeIntentLog } from '../../../../src/store/files/intent-log.ts'
import type { Opening } from '../../../../src/store/files/lines.ts'
import type { Lock } from '../../../../src/store/files/lock.ts'
import { intentLogPath } from '../../../../src/store/files/whole-lines.ts'
import { atEnd, tempFolder } from '../../../support/cleanup.ts'
import { lineText } from '../../../support/log-files.ts'
import { timesOpen } from '../../../support/open-files.ts'

const opening = { run: 'run-1', rowlift: '0.1.0', record: 'task' } as Opening
const ours: Lock = { check: () => {}, busyMs: 0, release: async () => {} }
const at = new Date('2026-11-21T08:00:00.000Z')

const call = (key: string, body: Body = { name: key }): Call => ({
  identity: { source: 'a.csv', row: 1, line: 2, key, hash: '0123456789abcdef' },
  body,
  json: JSON.stringify(body),
  before: undefined,
})

const optionsOf = (opening: Opening) => ({ opening, orphans: [], crc: 0, points: {}, now: () => at })

async function opened(lock = ours) {
  const results = join(await tempFolder(), 'r.ndjson')
  const inFlight = await openIntentLog(results, lock, optionsOf(opening))
  atEnd(() => inFlight.close(false).catch(() => {}))
  return { results, inFlight }
}

const keysUnderWay = async (results: string) => [...((await readIntents(results))?.calls.keys() ?? [])]

describe('intent log', () => {
  it('the intent log has a call with its identity and body before it may go out', async () => {
    const { results, inFlight } = await opened()
    await inFlight.add(call('a'))
    expect(await readIntents(results)).toMatchObject({
      opening,
      calls: new Map([
        ['a', { run: 'run-1', at: at.toISOString(), ...call('a').identity, body: { name: 'a' } }],
      ]),
    })
    expect((await stat(intentLogPath(results))).mode & 0o777).toBe(0o600)
  })

  it('the intent log drops a call that was removed, until it is added again', async () => {
    const { results, inFlight } = await opened()
    await inFlight.add(call('a'))
    inFlight.remove('a')
    await inFlight.add(call('b'))
    expect(await keysUnderWay(results)).toEqual(['b'])
    await inFlight.add(call('a'))
    expect(await keysUnderWay(results)).toEqual(['b', 'a'])
  })

  it('the intent log is removed when the result log has every outcome, and stays when it does not', async () => {
    const settled = await opened()
    await settled.inFlight.add(call('a'))
    settled.inFlight.forget('a')
    await settled.inFlight.close(true)
    expect(await readIntents(settled.results)).toBeUndefined()

    const left = await opened()
    await left.inFlight.add(call('a'))
    await left.inFlight.close(false)
    expect(await keysUnderWay(left.results)).toEqual(['a'])
    expect(await timesOpen(intentLogPath(left.results))).toBe(0)
  })

  it('the intent log keeps a call in flight that could not be written a second time', async () => {
    const { results, inFlight } = await opened()
    await inFlight.add(call('a'))
    await rename(intentLogPath(results), `${results}.elsewhere`)
    await expect(inFlight.add(call('a'))).rejects.toThrow('was removed')
    await rename(`${results}.elsewhere`, intentLogPath(results))
    await inFlight.close(false)
    expect(await keysUnderWay(results)).toEqual(['a'])
  })

  it('the intent log is not rewritten for each call while long ones are in flight', async () => {
    const { results, inFlight } = await opened()
    const fileOf = async () => (await stat(intentLogPath(results))).ino
    const first = await fileOf()
    const padding = 'x'.repeat(1_000_000)
    for (let at = 0; at < 6; at += 1) await inFlight.add(call(`long ${at}`, { padding }))
    const second = await fileOf()
    expect(second).not.toBe(first)
    for (let at = 0; at < 3; at += 1) {
      await inFlight.add(call(`short ${at}`))
      expect(await fileOf()).toBe(second)
    }
    await inFlight.close(false)
  })

  it('the intent log may be missing where it is to be removed', async () => {
    const path = intentLogPath(join(await tempFolder(), 'r.ndjson'))
    expect(() => removeIntentLog(path, ours)).not.toThrow()
  })

  it('the intent log stays small however many calls there were', async () => {
    const { results, inFlight } = await opened()
    await inFlight.add(call('the first'))
    const padding = 'x'.repeat(100_000)
    for (let at = 0; at < 200; at += 1) {
      await inFlight.add(call(`k${at}`, { padding }))
      inFlight.forget(`k${at}`)
      expect((await stat(intentLogPath(results))).size).toBeLessThan(4_300_000)
    }
    await inFlight.add(call('the last'))
    const keys = await keysUnderWay(results)
    expect(keys[0]).toBe('the first')
    expect(keys.at(-1)).toBe('the last')
  })

  it('the intent log lets no call out and touches no file once another run holds the lock', async () => {
    let isOurs = true
    const { results, inFlight } = await opened({
      ...ours,
      check() {
        if (!isOurs) throw new LockError('lock_lost', { log: 'r.ndjson' })
      },
    })
    await inFlight.add(call('a'))
    isOurs = false
    await expect(inFlight.add(call('b'))).rejects.toThrow('no longer')
    await expect(inFlight.add(call('c', { big: 'x'.repeat(5_000_000) }))).rejects.toThrow()
    inFlight.forget('a')
    expect(() => inFlight.isOver()).toThrow('no longer')
    await expect(inFlight.close(true)).rejects.toThrow('no longer')
    expect(await keysUnderWay(results)).toContain('a')
  })

  it('the intent log lets no call out when its file was removed', async () => {
    const { results, inFlight } = await opened()
    await inFlight.add(call('a'))
    await rename(intentLogPath(results), `${results}.elsewhere`)
    await expect(inFlight.add(call('b'))).rejects.toThrow(
      'r.ndjson.inflight: was removed, renamed or cut short',
    )
  })
})

describe('orphaned calls', () => {
  const line = (key: string) => lineText({ run: 'run-1', key, body: {} })

  it('orphaned calls do not include a torn last line: its call never went out', async () => {
    const { results, inFlight } = await opened()
    await inFlight.add(call('a'))
    await appendFile(intentLogPath(results), '{"run":"run-1","key":"b","bo')
    expect(await keysUnderWay(results)).toEqual(['a'])
    await appendFile(intentLogPath(results), '\0\0\0\0\n')
    expect(await keysUnderWay(results)).toEqual(['a'])
  })

  it('orphaned calls are refused if the file has another first line', async () => {
    const results = join(await tempFolder(), 'r.ndjson')
    await writeFile(intentLogPath(results), `garbage\n${line('a')}`)
    await expect(readIntents(results)).rejects.toThrow('r.ndjson.inflight:1: is not a line')
  })

  it('orphaned calls are none if there is no file, or an empty one', async () => {
    const results = join(await tempFolder(), 'r.ndjson')
    expect(await readIntents(results)).toBeUndefined()
    await writeFile(intentLogPath(results), '')
    expect(await readIntents(results)).toBeUndefined()
    expect(await readFile(intentLogPath(results), 'utf8')).toBe('')
  })

  it('orphaned calls are not overwritten by a run that lost the lock while it wrote its file', async () => {
    const results = join(await tempFolder(), 'r.ndjson')
    const longer = { ...opening, run: 'run-0', sources: ['a.csv'.repeat(1_000)] } as Opening
    let isLost = false
    const lost: Lock = {
      ...ours,
      check: () => {
        if (isLost) throw new LockError('lock_lost', { log: 'r.ndjson' })
      },
    }
    const asleep = openIntentLog(results, lost, optionsOf(longer)) // it has passed its first look at the lock
    isLost = true
    const [ended, taker] = await Promise.all([
      asleep.catch(error => error),
      openIntentLog(results, ours, optionsOf(opening)).then(async inFlight => {
        await inFlight.add(call('a'))
        return inFlight
      }),
    ])
    expect(ended).toBeInstanceOf(LockError)
    expect(await readIntents(results)).toMatchObject({ opening, calls: new Map([['a', { key: 'a' }]]) })
    expect(await readdir(dirname(results))).toEqual(['r.ndjson.inflight'])
    await taker.close(false)
  })

  it('orphaned calls are safe from a run that lost the lock', async () => {
    let isLost = false
    const lost: Lock = {
      ...ours,
      check: () => {
        if (isLost) throw new LockError('lock_lost', { log: 'r.ndjson' })
      },
    }
    const { results, inFlight } = await opened(lost)
    const taker = await openIntentLog(results, ours, optionsOf({ ...opening, run: 'run-2' }))
    isLost = true
    await expect(inFlight.add(call('a'))).rejects.toThrow(LockError)
    expect(await keysUnderWay(results)).toEqual([])
    await taker.close(false)
  })

  it('orphaned calls are in a file that replaces the unfinished ones of killed runs', async () => {
    const results = join(await tempFolder(), 'r.ndjson')
    for (const name of ['.inflight.01JDBBBBBBBBBBBBBBBBBBBBBB.new', '.inflight.notes', '.inflight.notes.new'])
      await writeFile(`${results}${name}`, 'half a li')
    const inFlight = await openIntentLog(results, ours, optionsOf(opening))
    const left = ['r.ndjson.inflight', 'r.ndjson.inflight.notes', 'r.ndjson.inflight.notes.new']
    expect((await readdir(dirname(results))).sort()).toEqual(left)
    await inFlight.close(false)
  })
})
