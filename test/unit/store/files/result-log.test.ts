import { chmod, mkdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { LockError, LogError, UsageError } from '../../../../src/model/errors.ts'
import type { SyncPoints } from '../../../../src/store/files/chained-file.ts'
import { Chain } from '../../../../src/store/files/checksum.ts'
import type { Lock } from '../../../../src/store/files/lock.ts'
import {
  keysOfRecords,
  openPreview,
  openResultLog,
  readResultLines,
  resolveLink,
  streamSink,
} from '../../../../src/store/files/result-log.ts'
import { isThere, noEnd } from '../../../../src/store/files/whole-lines.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { turns } from '../../../support/clock.ts'
import { lineText, openingLine } from '../../../support/log-files.ts'
import { timesOpen } from '../../../support/open-files.ts'

describe('name of a result log', () => {
  it('the name of a result log is its own if it is no link, whether it exists or not', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    expect(await resolveLink(log)).toBe(log)
    await writeFile(log, '')
    expect(await resolveLink(log)).toBe(log)
    expect(await resolveLink('not/there')).toBe('not/there')
  })

  it('the name of a result log is what a link leads to, also over several and before it exists', async () => {
    const folder = await realpath(await tempFolder())
    const log = join(folder, 'sub', 'r.ndjson')
    await mkdir(join(folder, 'sub'))
    await symlink('sub/r.ndjson', join(folder, 'link'))
    await symlink('link', join(folder, 'link to link'))
    for (const isThere of [false, true]) {
      if (isThere) await writeFile(log, '')
      expect(await resolveLink(join(folder, 'link'))).toBe(log)
      expect(await resolveLink(join(folder, 'link to link'))).toBe(log)
    }
  })

  it('the name of a result log is the link itself if it leads in a circle', async () => {
    const link = join(await tempFolder(), 'link')
    await symlink(link, link)
    expect(await resolveLink(link)).toBe(link)
  })
})

describe('keys of records', () => {
  it('the keys of records are those of the first row of each, whatever else names the record', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    const lines = [
      { run: '1', rowlift: '0.1.0' },
      { run: '1', key: 'quotes r1', status: 'invalid', errors: [{ value: 'r1' }] },
      { run: '1', key: 'ada', status: 'created', record_id: 'r1' },
      { run: '1', key: 'bob', status: 'merged', record_id: 'r1' },
      { run: '1', key: 'cy', status: 'existing', record_id: 'r2' },
    ]
    await writeFile(log, lines.map(lineText).join(''))
    expect(await keysOfRecords(log, ['r1', 'r2', 'r3'])).toEqual(
      new Map([
        ['r1', 'ada'],
        ['r2', 'cy'],
      ]),
    )
  })
})

describe('existence of a log', () => {
  it('a log exists if its file has content', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    expect(await isThere(log)).toBe(false)
    await writeFile(log, '')
    expect(await isThere(log)).toBe(false)
    await writeFile(log, 'x')
    expect(await isThere(log)).toBe(true)
  })

  it('the existence of a log is unknown for a folder, or without access', async () => {
    const folder = await tempFolder()
    await expect(isThere(folder)).rejects.toThrow(new UsageError('log_not_a_file', { path: folder }))
    await writeFile(join(folder, 'file'), '')
    const path = join(folder, 'file', 'r.ndjson')
    const unreadable = new UsageError('file_unreadable', { what: 'result log', path, reason: 'ENOTDIR' })
    await expect(isThere(path)).rejects.toThrow(unreadable)
    await expect(readResultLines(path).next()).rejects.toThrow(unreadable)
    expect(await readResultLines(join(folder, 'none')).next()).toEqual({ done: true, value: undefined })
  })
})

const held: Lock = { check() {}, busyMs: 0, release: async () => {} }

describe('result log', () => {
  it('a result log has each line when its promise resolves, behind an end that was cut off', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    await writeFile(log, 'one\ntwo\nthr')
    const lines = await openResultLog(log, { ...noEnd, cutTo: 8, hasRest: true, groupAt: 4 }, held, {})
    expect(await readFile(log, 'utf8')).toBe('one\ntwo\n')
    await lines.append('{"n":3}')
    expect(await readFile(log, 'utf8')).toMatch(/^one\ntwo\n\{"n":3,"chain":"00000000","crc32":"\w{8}"\}\n$/)
    await lines.close()
    expect(await timesOpen(log)).toBe(0)
  })

  it('a result log has a line at the end of its turn, where a kill leaves it, and syncs it a turn later', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    const points: SyncPoints = {}
    const lines = await openResultLog(log, noEnd, held, points)
    const appended = lines.append('{"n":1}')
    for (let turn = 0; turn < 2; turn += 1) await endOfTurn()
    expect([points.log, await readFile(log, 'utf8')]).toEqual([undefined, expect.stringMatching(/^\{"n":1,/)])
    await appended
    expect(points.log?.[0]).toBe(1)
    await lines.close()
  })

  it('a result log whose only group is long is written again as it is, in parts', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    const text = Array.from({ length: 500 }, (_, at) => `${at}${'x'.repeat(20_000)}\n`).join('')
    await writeFile(log, text)
    const lines = await openResultLog(log, { ...noEnd, cutTo: text.length }, held, {})
    await lines.close()
    expect((await readFile(log, 'utf8')) === text).toBe(true)
  })

  it('a result log keeps a line of another run that came after it was read', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    await writeFile(log, 'one\nlate\n')
    await (await openResultLog(log, { ...noEnd, cutTo: 4 }, held, {})).close()
    expect(await readFile(log, 'utf8')).toBe('one\nlate\n')
  })

  it('a result log gets the line end that its last line lacks', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    await writeFile(log, 'one')
    await (await openResultLog(log, { ...noEnd, cutTo: 3, isOpen: true }, held, {})).close()
    expect(await readFile(log, 'utf8')).toBe('one\n')
  })

  it('a result log is left as it is if another run holds its lock', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    await writeFile(log, 'one\ntw')
    const lost = new LockError('lock_lost', { log })
    const check = () => {
      throw lost
    }
    await expect(openResultLog(log, { ...noEnd, cutTo: 4 }, { ...held, check }, {})).rejects.toBe(lost)
    expect(await readFile(log, 'utf8')).toBe('one\ntw')
  })

  it('a result log has no opening of a run that lost the lock, but outcomes that come late', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    const lost = new LockError('lock_lost', { log })
    let isLost = false
    const check = () => {
      if (isLost) throw lost
    }
    const slow = await openResultLog(log, noEnd, { ...held, check }, {})
    const lines = await openResultLog(log, noEnd, { ...held, check }, {})
    await lines.append('{"n":1}')
    isLost = true
    await expect(slow.append('{"n":0}')).rejects.toBe(lost)
    await lines.append('{"n":2}')
    expect((await readFile(log, 'utf8')).match(/\d(?=,"chain)/g)).toEqual(['1', '2'])
    for (const each of [slow, lines]) await each.close()
  })

  it('a result log is not refused because a run began after its intents were read', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    const lines = await openResultLog(log, noEnd, held, {})
    await lines.append(JSON.stringify(openingLine()))
    await lines.close()
    await writeFile(`${log}.inflight`, new Chain(0).add(JSON.stringify(openingLine())))
    const read = async () => {
      for await (const _ of readResultLines(log, { intents: undefined }));
    }
    await expect(read()).resolves.toBeUndefined()
    await rm(`${log}.inflight`)
    await expect(read()).rejects.toThrow(
      new UsageError('intents_missing', { path: log, inFlight: `${log}.inflight` }),
    )
  })

  it('a result log is named if it cannot be written', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'none', 'r.ndjson')
    await expect(openResultLog(path, noEnd, held, {})).rejects.toThrow(
      new LogError('cannot_write', { path, reason: 'ENOENT' }),
    )
    const log = join(folder, 'r.ndjson')
    const lines = await openResultLog(log, noEnd, held, {})
    await rm(log)
    await expect(lines.append('{}')).rejects.toThrow(new LogError('log_moved', { path: log }))
    await lines.close()
    await expect(lines.append('{}')).rejects.toThrow(new LogError('log_moved', { path: log }))
  })
})

describe('lines to a stream', () => {
  /** A stream whose reader takes a chunk at each call of `take`. */
  function slowStream() {
    const taken: string[] = []
    const waiting: { chunk: string; done: (error?: Error) => void }[] = []
    const stream = new Writable({
      highWaterMark: 10,
      decodeStrings: false,
      write: (chunk, _encoding, done) => void waiting.push({ chunk, done }),
    })
    const take = async (error?: Error) => {
      const next = waiting.shift()
      if (next !== undefined && error === undefined) taken.push(next.chunk)
      next?.done(error)
      await turns()
    }
    return { stream, taken, take }
  }

  it('lines to a stream come as fast as its reader takes them', async () => {
    const { stream, taken, take } = slowStream()
    const { append, close } = streamSink(stream, 'out')
    expect(append('one')).toBeUndefined()
    const ended: string[] = []
    const waiting = [append('twelve'), append('three')]
    waiting.forEach((each, at) => void each?.then(() => ended.push(String(at))))
    for (const words of [['one'], ['one', 'twelve']]) {
      await take()
      expect([taken, ended]).toEqual([words.map(word => `${word}\n`), []])
    }
    await take()
    expect(ended).toEqual(['0', '1'])
    expect(append('four')).toBeUndefined()
    void append('a long line')?.then(() => ended.push('2'))
    await take()
    expect(ended).toEqual(['0', '1'])
    await take()
    expect(ended).toEqual(['0', '1', '2'])
    const closed = { is: false }
    const closing = close().then(() => {
      closed.is = true
    })
    await turns()
    expect(closed.is).toBe(false)
    while (stream.writableLength > 0) await take()
    await take()
    await closing
    expect(stream.writableEnded).toBe(false)
    expect(taken.filter(text => text !== '').slice(3)).toEqual(['four\n', 'a long line\n'])
  })

  it('lines to a stream are refused once it takes no more, also those that waited', async () => {
    const { stream, take } = slowStream()
    const { append, close } = streamSink(stream, 'out')
    const waiting = append('a long first line')
    const refused = new LogError('cannot_write', { path: 'out', reason: 'EPIPE' })
    const rejected = expect(waiting).rejects.toThrow(refused)
    await take(Object.assign(new Error('gone'), { code: 'EPIPE' }))
    await rejected
    expect(() => append('next')).toThrow(refused)
    await expect(close()).rejects.toThrow(refused)
  })

  it('lines to a stream cannot end well if the reader left at the end', async () => {
    const { stream, take } = slowStream()
    const { append, close } = streamSink(stream, 'out')
    append('one')
    const rejected = expect(close()).rejects.toThrow('out: cannot be written')
    await take(new Error('gone'))
    await rejected
  })
})

describe('preview', () => {
  it('a preview is a new file for its owner alone, whatever was there', async () => {
    const path = join(await tempFolder(), 'preview.ndjson')
    await writeFile(path, 'of yesterday, and longer')
    await chmod(path, 0o644)
    const { append, close } = await openPreview(path)
    await append('one')
    await append('two')
    await close()
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await timesOpen(path)).toBe(0)
  })

  it('a preview may go to a device, whose mode stays', async () => {
    const { mode } = await stat('/dev/null')
    const { append, close } = await openPreview('/dev/null')
    await append('one')
    await close()
    expect((await stat('/dev/null')).mode).toBe(mode)
  })

  it('a preview is named if it cannot be written', async () => {
    const path = join(await tempFolder(), 'none', 'preview.ndjson')
    await expect(openPreview(path)).rejects.toThrow(new LogError('cannot_write', { path, reason: 'ENOENT' }))
  })
})
