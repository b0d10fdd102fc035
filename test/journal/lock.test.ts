import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Lock, lockLog } from '../../src/journal/lock.ts'
import type { Holder } from '../../src/model/holder.ts'
import { atEnd, tempFolder } from '../support/cleanup.ts'

const holder = (id: string): Holder => ({ id, pid: 4711, host: 'night', since: '2026-11-21T02:00:00.000Z' })

const newLog = async () => join(await tempFolder(), 'r.ndjson')

/** Takes a lock for the length of a test. */
async function held(results: string, id: string): Promise<Lock & { readonly watched: unknown[] }> {
  const watched: unknown[] = []
  const lock = await lockLog(results, {
    holder: holder(id),
    onWait: other => watched.push(other),
    onLost: () => {},
  })
  atEnd(() => lock.release())
  return { ...lock, watched }
}

/** What a run leaves that was killed: a folder whose heartbeat stands still. */
async function leftBehind(results: string, sinceMs: number): Promise<void> {
  await mkdir(`${results}.lock`)
  await writeFile(join(`${results}.lock`, 'dead'), JSON.stringify(holder('dead')))
  const beat = new Date(Date.now() - sinceMs)
  await utimes(`${results}.lock`, beat, beat)
}

describe('the lock of a result log', () => {
  it('is held by one, and names who it is to the next, who is refused', async () => {
    const results = await newLog()
    const lock = await held(results, 'first')
    lock.check()
    await expect(held(results, 'second')).rejects.toThrow(
      'r.ndjson: another run holds this result log (pid 4711 on night, since 2026-11-21T02:00:00.000Z)',
    )
    lock.check()
  })

  it('leaves nothing behind, and is free again', async () => {
    const results = await newLog()
    const lock = await held(results, 'first')
    await lock.release()
    expect(await readdir(join(results, '..'))).toEqual([])
    expect((await held(results, 'second')).check()).toBeUndefined()
  })

  it.each([
    ['a while ago', 60_000],
    ['just now', 0],
    ['by a clock that is ahead', -3_600_000],
  ])(
    'is taken over within seconds from a run that was killed %s, and says whom it watches',
    async (_, sinceMs) => {
      const results = await newLog()
      await leftBehind(results, sinceMs)
      const lock = await held(results, 'next')
      lock.check()
      expect(lock.watched).toEqual([holder('dead')])
      expect(await readdir(`${results}.lock`)).toEqual(['next'])
    },
  )

  it('is not taken from a run that lives, whatever its clock says', async () => {
    const results = await newLog()
    await leftBehind(results, 3_600_000)
    let beats = 0
    const heart = setInterval(() => {
      const beat = new Date(Date.now() - 3_600_000 + ++beats)
      void utimes(`${results}.lock`, beat, beat)
    }, 200)
    atEnd(() => clearInterval(heart))
    await expect(held(results, 'next')).rejects.toThrow('another run holds this result log')
  })

  it('leaves nothing of a takeover that was killed half way', async () => {
    const results = await newLog()
    await leftBehind(results, 60_000)
    await rename(`${results}.lock`, `${results}.lock.reclaim-1-x`)
    await leftBehind(results, 60_000)
    await rename(`${results}.lock`, `${results}.lock.01M7Z7ZASX6Z5G15ZPZZ5GDP4P`)
    await writeFile(`${results}.lock.notes`, "a person's own")
    await utimes(`${results}.lock.notes`, 0, 0)
    const lock = await held(results, 'next')
    expect(await readdir(join(results, '..'))).toEqual(['r.ndjson.lock', 'r.ndjson.lock.notes'])
    await lock.release()
  })

  it('goes to one of several that find it left behind', async () => {
    const results = await newLog()
    await leftBehind(results, 60_000)
    const ends = await Promise.allSettled(['a', 'b', 'c', 'd'].map(id => held(results, id)))
    expect(ends.filter(end => end.status === 'fulfilled')).toHaveLength(1)
  }, 20_000)

  it('that another run took is not ours any more, and not ours to remove', async () => {
    const results = await newLog()
    const lock = await held(results, 'first')
    await rename(`${results}.lock`, `${results}.gone`)
    await leftBehind(results, 0)
    expect(() => lock.check()).toThrow('no longer')
    await lock.release()
    expect(await readdir(`${results}.lock`)).toEqual(['dead'])
    await rm(`${results}.gone`, { recursive: true })
  })

  it('cannot be had where nothing can be written', async () => {
    await expect(held(join(await tempFolder(), 'no folder', 'r.ndjson'), 'x')).rejects.toThrow(
      /r\.ndjson\.lock: cannot be written \(ENOENT\)/,
    )
  })
})
