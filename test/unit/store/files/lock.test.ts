import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import {
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { every } from '../../../../src/model/clock.ts'
import { UsageError } from '../../../../src/model/errors.ts'
import type { LockOwner } from '../../../../src/model/lock-owner.ts'
import { isHeld, type Lock, type LockOptions, lockLog } from '../../../../src/store/files/lock.ts'
import { atEnd, tempFolder } from '../../../support/cleanup.ts'
import { type TestClock, testClock } from '../../../support/clock.ts'
import { here, holderOf, idleProcess, tellsProcesses } from '../../../support/processes.ts'

const timeoutMs = 5_000
const beatMs = timeoutMs / 5

const holder = (id: string): LockOwner => ({
  id,
  pid: 4711,
  host: 'night',
  since: '2026-11-21T02:00:00.000Z',
})

const newLog = async () => join(await tempFolder(), 'r.ndjson')

/** A clock that begins with that of the file system. */
const newClock = () => testClock(new Date())

interface Held extends Lock {
  /** Whom it watched before it had the lock. */
  readonly watched: unknown[]
  /** The words in which it heard that it has lost the lock. */
  readonly lost: string[]
}

/** Takes a lock for the length of a test. */
async function held(
  results: string,
  id: string,
  clock: TestClock,
  more: Partial<LockOptions> = {},
): Promise<Held> {
  const watched: unknown[] = []
  const lost: string[] = []
  const lock = await lockLog(results, {
    holder: holder(id),
    clock,
    timeoutMs,
    onWait: other => watched.push(other),
    onLost: ({ message }) => lost.push(message),
    ...more,
  })
  atEnd(() => lock.release())
  return { ...lock, watched, lost }
}

/** Takes a lock while time goes by. */
async function heldAfter(ms: number, results: string, id: string, clock = newClock()): Promise<Held> {
  const taking = held(results, id, clock)
  taking.catch(() => {}) // it is thrown when it is waited for
  await clock.advance(ms)
  return taking
}

/** Whether something has not ended when so much time has gone by. */
async function isStillWaiting(taking: Promise<unknown>, clock: TestClock, ms: number): Promise<boolean> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  taking.then(end, end)
  await clock.advance(ms)
  return !isOver
}

/** What a killed run leaves: a lock without a heartbeat. */
async function leftBehind(results: string, sinceMs: number, content: object = holder('dead'), id = 'dead') {
  const lock = `${results}.lock`
  await mkdir(lock)
  await writeFile(join(lock, id), JSON.stringify(content))
  const beat = new Date(Date.now() - sinceMs)
  await utimes(lock, beat, beat)
}

const filesIn = (folder: string) => readdir(folder).then(names => names.sort())

describe('lock of a result log', () => {
  it('the lock is held by one run; the next is refused, and the error names the holder', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const lock = await held(results, 'first', clock)
    lock.check()
    await expect(heldAfter(beatMs + 100, results, 'second', clock)).rejects.toThrow(
      'r.ndjson: another run holds this result log (pid 4711 on night, since 2026-11-21T02:00:00.000Z)',
    )
    lock.check()
    expect(lock.lost).toEqual([])
  })

  it('the lock says who holds it, and its timeout', async () => {
    const results = await newLog()
    await held(results, 'first', newClock())
    expect(JSON.parse(await readFile(join(`${results}.lock`, 'first'), 'utf8'))).toEqual({
      ...holder('first'),
      lock_timeout_ms: timeoutMs,
    })
  })

  it('the lock leaves nothing behind when it is released', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const lock = await held(results, 'first', clock)
    await lock.release()
    await lock.release()
    expect(await readdir(join(results, '..'))).toEqual([])
    expect(clock.timers).toBe(0)
    const next = await held(results, 'second', clock)
    next.check()
    expect(next.watched).toEqual([])
  })

  it('the lock is free when its folder is empty, as between the two steps of a release', async () => {
    const results = await newLog()
    await mkdir(`${results}.lock`)
    const lock = await held(results, 'next', newClock())
    lock.check()
    expect(lock.watched).toEqual([])
  })

  it.each([
    ['a while ago', 60_000],
    ['just now', 0],
    ['by a clock that is ahead', -3_600_000],
  ])(
    'the lock is taken over within seconds from a run that was killed %s, and says whom it watches',
    async (_, sinceMs) => {
      const [results, clock] = [await newLog(), newClock()]
      await leftBehind(results, sinceMs)
      const taking = held(results, 'next', clock)
      expect(await isStillWaiting(taking, clock, timeoutMs - 1)).toBe(true)
      await clock.advance(1)
      const lock = await taking
      lock.check()
      expect(lock.watched).toEqual([holder('dead')])
      expect(await readdir(`${results}.lock`)).toEqual(['next'])
    },
  )

  it('the lock is not taken from a live run, whatever its clock says', async () => {
    const [results, clock] = [await newLog(), newClock()]
    await leftBehind(results, 3_600_000)
    let beats = 0
    const heart = every(clock, 900, () => utimesSync(join(`${results}.lock`, 'dead'), ++beats, beats))
    await expect(heldAfter(1_000, results, 'next', clock)).rejects.toThrow(
      'another run holds this result log (pid 4711 on night',
    )
    heart()
  })

  it('the lock is taken over after the longer of both timeouts', async () => {
    const [results, theirs] = [await newLog(), newClock()]
    await held(results, 'first', theirs, { timeoutMs: 60_000 })
    const clock = newClock()
    const taking = held(results, 'next', clock)
    expect(await isStillWaiting(taking, clock, 59_999)).toBe(true)
    await clock.advance(1)
    const lock = await taking
    const slow = held(results, 'slow', theirs, { timeoutMs: 90_000 })
    expect(await isStillWaiting(slow, theirs, 89_999)).toBe(true)
    await theirs.advance(1)
    await slow
    expect(lock.check).toThrow('no longer')
  })

  it.each<[name: string, timeout: unknown]>([
    ['a word', 'later'],
    ['null', null],
    ['a negative number', -1],
    ['an object', {}],
    ['a list', [60_000]],
  ])('the lock is taken over in the usual time if the timeout of its holder is %s', async (_, timeout) => {
    const results = await newLog()
    await leftBehind(results, 0, { ...holder('dead'), lock_timeout_ms: timeout })
    ;(await heldAfter(timeoutMs, results, 'next')).check()
  })

  /** Takes the lock of a dead run; `happen` is called after it was watched, just before it is taken over. */
  async function heldLate(results: string, clock: TestClock, happen: () => void) {
    await leftBehind(results, 0)
    const happens = { once: happen }
    const next: LockOwner = {
      ...holder('next'),
      get since() {
        happens.once()
        happens.once = () => {}
        return '2026-11-21T08:00:00.000Z'
      },
    }
    const taking = held(results, 'next', clock, { holder: next })
    await clock.advance(timeoutMs)
    return { taking }
  }

  it('the lock is not taken over when its heartbeat comes at the very last moment', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const { taking } = await heldLate(results, clock, () => utimesSync(join(`${results}.lock`, 'dead'), 1, 1))
    expect(await isStillWaiting(taking, clock, timeoutMs - 1)).toBe(true)
    await clock.advance(1)
    await taking
  })

  it('the lock is free when it is released at the very last moment', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const { taking } = await heldLate(results, clock, () => rmSync(`${results}.lock`, { recursive: true }))
    ;(await taking).check()
  })

  it('the lock is taken over after a short timeout too', async () => {
    const [results, clock] = [await newLog(), newClock()]
    await leftBehind(results, 0)
    const taking = held(results, 'next', clock, { timeoutMs: 150 })
    expect(await isStillWaiting(taking, clock, 149)).toBe(true)
    await clock.advance(1)
    await taking
  })

  it('the lock is watched anew by a machine that slept meanwhile', async () => {
    const [results, clock] = [await newLog(), newClock()]
    await leftBehind(results, 0)
    let sleptMs = 0
    const sleepy: TestClock = {
      ...clock,
      now: () => new Date(clock.now().getTime() + sleptMs),
      elapsedMs: () => clock.elapsedMs() + sleptMs,
    }
    const taking = held(results, 'next', sleepy)
    await clock.advance(1_000)
    sleptMs = 3_600_000
    expect(await isStillWaiting(taking, clock, timeoutMs - 1_001)).toBe(true)
    await clock.advance(1)
    await taking
  })

  it('the lock is watched anew when it is released or changes hands', async () => {
    const [results, clock] = [await newLog(), newClock()]
    await leftBehind(results, 0)
    const taking = held(results, 'next', clock)
    await clock.advance(4_000)
    await rename(join(`${results}.lock`, 'dead'), join(`${results}.lock`, 'other'))
    expect(await isStillWaiting(taking, clock, timeoutMs)).toBe(true)
    await rm(`${results}.lock`, { recursive: true })
    await clock.advance(100)
    expect((await taking).watched).toEqual([holder('dead'), undefined])
  })

  it('the lock leaves nothing of a takeover that was killed halfway', async () => {
    const results = await newLog()
    const remains = ['01M7Z7ZASX6Z5G15ZPZZ5GDP4P', '01M7Z7ZASX6Z5G15ZPZZ5GDP4R']
    for (const name of remains) {
      const sinceMs = name.endsWith('R') ? timeoutMs - 1_000 : timeoutMs + 1_000
      await leftBehind(results, sinceMs, holder(name), name)
      await rename(`${results}.lock`, `${results}.lock.${name}`)
    }
    await writeFile(`${results}.lock.notes`, "a person's own")
    await utimes(`${results}.lock.notes`, 0, 0)
    await symlink('nowhere', `${results}.lock.01M7Z7ZASX6Z5G15ZPZZ5GDP4S`)
    await held(results, 'next', newClock())
    expect(await filesIn(join(results, '..'))).toEqual([
      'r.ndjson.lock',
      'r.ndjson.lock.01M7Z7ZASX6Z5G15ZPZZ5GDP4R', // it may be about to become the lock
      'r.ndjson.lock.01M7Z7ZASX6Z5G15ZPZZ5GDP4S',
      'r.ndjson.lock.notes',
    ])
  })

  it('the lock is stale after an interrupted takeover', async () => {
    const results = await newLog()
    await leftBehind(results, 60_000, holder('dead'), 'taker')
    const clock = newClock()
    const taking = held(results, 'next', clock)
    expect(await isStillWaiting(taking, clock, timeoutMs - 1)).toBe(true)
    await clock.advance(1)
    expect((await taking).watched).toEqual([undefined])
    expect(await readdir(`${results}.lock`)).toEqual(['next'])
  })

  it.each([2, 4])('the lock goes to one of %i runs that find it left over', async count => {
    for (let round = 0; round < 25; round += 1) {
      const [results, clock] = [await newLog(), newClock()]
      await leftBehind(results, 60_000)
      const takers = Array.from({ length: count }, (_, at) => held(results, `taker ${at}`, clock))
      const ended = Promise.allSettled(takers)
      await clock.advance(timeoutMs + beatMs + 200)
      const ends = (await ended).map(({ status }) => status)
      expect(ends.filter(status => status === 'fulfilled')).toHaveLength(1)
      expect(readdirSync(`${results}.lock`)).toEqual([`taker ${ends.indexOf('fulfilled')}`])
    }
  })

  it('the lock goes to one of several runs that find it free', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const takers = ['a', 'b', 'c'].map(id => held(results, id, clock))
    const ended = Promise.allSettled(takers)
    await clock.advance(beatMs + 200)
    expect((await ended).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(await filesIn(join(results, '..'))).toEqual(['r.ndjson.lock'])
  })

  it('the lock that another run took is not ours to remove', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const lock = await held(results, 'first', clock)
    await rename(`${results}.lock`, `${results}.gone`)
    await leftBehind(results, 0)
    expect(() => lock.check()).toThrow('no longer')
    await lock.release()
    expect(await readdir(`${results}.lock`)).toEqual(['dead'])
    await rm(`${results}.gone`, { recursive: true })
  })

  it('the lock is lost after too long a sleep, which is reported once', async () => {
    const [results, stopped, clock] = [await newLog(), newClock(), newClock()]
    const sleeper = await held(results, 'sleeper', stopped)
    const next = await heldAfter(timeoutMs, results, 'next', clock)
    expect(() => sleeper.check()).toThrow(/r\.ndjson: .*another run took over its stale lock/)
    await stopped.advance(beatMs)
    expect(sleeper.lost).toEqual([expect.stringContaining('another run took over its stale lock')])
    await stopped.advance(10 * beatMs)
    expect(sleeper.lost).toHaveLength(1)
    expect(stopped.timers).toBe(0)
    await sleeper.release()
    next.check()
    await clock.advance(10 * beatMs)
    expect(next.lost).toEqual([])
    expect(await readdir(`${results}.lock`)).toEqual(['next'])
  })

  it('the lock survives a failed heartbeat, and is lost when none succeeds for the whole timeout', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const lock = await held(results, 'first', clock)
    const path = `${results}.lock`
    const isBroken = async (is: boolean) => {
      if (!is) await rm(path)
      await rename(is ? path : `${path}ed`, is ? `${path}ed` : path)
      if (is) await writeFile(path, 'no folder')
    }
    await isBroken(true)
    await clock.advance(4 * beatMs)
    await isBroken(false)
    await clock.advance(beatMs)
    lock.check()
    await isBroken(true)
    await clock.advance(4 * beatMs)
    expect(lock.lost).toEqual([])
    await clock.advance(beatMs)
    expect(lock.lost).toHaveLength(1)
    await clock.advance(10 * beatMs)
    expect(lock.lost).toHaveLength(1)
    await isBroken(false)
  })

  it('the lock has a heartbeat each fifth of the timeout, by the time of its own file', async () => {
    const [results, clock] = [await newLog(), newClock()]
    await held(results, 'first', clock, { timeoutMs: 50_000 })
    const beat = async () => (await stat(join(`${results}.lock`, 'first'))).mtime
    await clock.advance(10_000)
    expect(await beat()).toEqual(clock.now())
    await clock.advance(9_999)
    expect(await beat()).not.toEqual(clock.now())
    await clock.advance(1)
    expect(await beat()).toEqual(clock.now())
  })

  it('the lock is not confused by files that a system adds', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const first = await held(results, 'first', clock)
    await writeFile(join(`${results}.lock`, '.DS_Store'), '')
    await expect(heldAfter(beatMs, results, 'next', clock)).rejects.toThrow('(pid 4711 on night')
    await first.release()
    expect(await readdir(`${results}.lock`)).toEqual(['.DS_Store'])
    ;(await heldAfter(timeoutMs, results, 'next', clock)).check()
  })

  it.each([
    ['a file', (path: string) => writeFile(path, 'mine')],
    ['a folder of folders', (path: string) => mkdir(join(path, 'mine'), { recursive: true })],
    [
      'a folder with a link that leads nowhere',
      (path: string) => mkdir(path).then(() => symlink('none', join(path, 'x'))),
    ],
  ])('the lock is not made, and nothing is touched, where %s is in its place', async (_, make) => {
    const results = await newLog()
    await make(`${results}.lock`)
    await expect(held(results, 'first', newClock())).rejects.toThrow(
      "r.ndjson.lock: has the name of the result log's lock",
    )
    expect(await readdir(join(results, '..'))).toEqual(['r.ndjson.lock'])
  })

  it('the lock is not made for a log that has a second name, whose lock another run may hold', async () => {
    const results = await newLog()
    await writeFile(results, '')
    ;(await held(results, 'first', newClock())).release()
    await link(results, join(results, '..', 'other'))
    await expect(held(results, 'next', newClock())).rejects.toThrow(
      new UsageError('log_linked', { path: results, names: 2 }),
    )
    expect(await filesIn(join(results, '..'))).toEqual(['other', 'r.ndjson'])
  })

  it('the lock is made for a log that is no file', async () => {
    const results = await newLog()
    await mkdir(results) // a folder has more than one link
    ;(await held(results, 'first', newClock())).check()
  })

  it('the lock cannot be taken if nothing can be written', async () => {
    const folder = await tempFolder()
    const taken = (name: string) => held(join(folder, name), 'x', newClock())
    await expect(taken('no folder/r.ndjson')).rejects.toThrow(/r\.ndjson\.lock: cannot be written \(ENOENT\)/)
    await writeFile(join(folder, 'file'), '')
    await expect(taken('file/r.ndjson')).rejects.toThrow(/r\.ndjson\.lock: cannot be written \(ENOTDIR\)/)
    await symlink('nowhere', join(folder, 'x.lock'))
    await expect(taken('x')).rejects.toThrow(/x\.lock: cannot be written \(ENOTDIR\)/)
    expect(await filesIn(folder)).toEqual(['file', 'x.lock'])
  })

  it('the lock cannot be taken if something else appears in its place', async () => {
    const results = await newLog()
    const taking = held(results, 'first', newClock())
    writeFileSync(`${results}.lock`, 'mine') // it has seen that there is no lock, and has not made its own
    await expect(taking).rejects.toThrow("has the name of the result log's lock")
    expect(await filesIn(join(results, '..'))).toEqual(['r.ndjson.lock'])
  })

  it('the lock cannot be taken over if its own name in it is a folder', async () => {
    const [results, clock] = [await newLog(), newClock()]
    await leftBehind(results, 0)
    await mkdir(join(`${results}.lock`, 'next', 'x'), { recursive: true })
    await expect(heldAfter(timeoutMs, results, 'next', clock)).rejects.toThrow('cannot be written (EISDIR)')
    expect(await filesIn(`${results}.lock`)).toEqual(['dead', 'next'])
  })
})

describe('result log that is held', () => {
  const looked = async (results: string, advanceMs: number) => {
    const clock = newClock()
    const answer = isHeld(results, { clock, timeoutMs, host: here })
    await clock.advance(advanceMs)
    return answer
  }

  it('whether a log is held is seen from its lock, which is left alone', async () => {
    const [results, clock] = [await newLog(), newClock()]
    expect(await looked(results, 0)).toBe(false)
    const lock = await held(results, 'first', clock)
    const answer = isHeld(results, { clock, timeoutMs, host: here })
    await clock.advance(beatMs)
    expect(await answer).toBe(true)
    expect(await looked(results, timeoutMs)).toBe(false)
    lock.check()
    await lock.release()
    await mkdir(`${results}.lock`)
    expect(await looked(results, 0)).toBe(false)
    expect(await readdir(join(results, '..'))).toEqual(['r.ndjson.lock'])
  })

  it('whether a log is held is denied if something else has the name of its lock', async () => {
    const results = await newLog()
    await writeFile(`${results}.lock`, 'mine')
    expect(await looked(results, 0)).toBe(false)
  })

  it.runIf(tellsProcesses)('whether a log is held is known at once of a killed process', async () => {
    const results = await newLog()
    const { holder: killed, kill } = await idleProcess('killed')
    await leftBehind(results, 0, killed, 'killed')
    await kill()
    expect(await looked(results, 0)).toBe(false)
    expect(await readdir(`${results}.lock`)).toEqual(['killed'])
  })
})

describe.runIf(tellsProcesses)('lock of a process of this machine', () => {
  const ofThisMachine = (id: string): Partial<LockOptions> => ({ holder: holderOf(id, process.pid) })

  it('the lock of a local process leaves nothing of one that a dead process began', async () => {
    const results = await newLog()
    const [dead, living] = [
      await idleProcess('01M7Z7ZASX6Z5G15ZPZZ5GDP4T'),
      await idleProcess('01M7Z7ZASX6Z5G15ZPZZ5GDP4V'),
    ]
    for (const { holder } of [dead, living]) {
      await leftBehind(results, 0, holder, holder.id)
      await rename(`${results}.lock`, `${results}.lock.${holder.id}`)
    }
    await mkdir(`${results}.lock.01M7Z7ZASX6Z5G15ZPZZ5GDP4W`) // it was killed before it wrote its name
    await dead.kill()
    await held(results, 'next', newClock(), ofThisMachine('next'))
    expect(await filesIn(join(results, '..'))).toEqual(['r.ndjson.lock', `r.ndjson.lock.${living.holder.id}`])
  })

  it('the lock of a local process is taken over at once when its process is dead', async () => {
    const results = await newLog()
    const { holder: killed, kill } = await idleProcess('killed')
    await leftBehind(results, 0, { ...killed, lock_timeout_ms: 600_000 }, 'killed')
    await kill()
    const lock = await held(results, 'next', newClock(), ofThisMachine('next'))
    lock.check()
    expect(lock.watched).toEqual([])
    expect(await readdir(`${results}.lock`)).toEqual(['next'])
  })

  it('the lock of a local process is taken over as soon as its process is killed', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const { holder: killed, kill } = await idleProcess('killed')
    await leftBehind(results, 0, killed, 'killed')
    const taking = held(results, 'next', clock, ofThisMachine('next'))
    expect(await isStillWaiting(taking, clock, 1_000)).toBe(true)
    await kill()
    await clock.advance(100)
    ;(await taking).check()
  })

  it.each(['lives', 'is stopped'])('the lock of a local process is watched while it %s', async state => {
    const [results, clock] = [await newLog(), newClock()]
    const { holder: alive, stop } = await idleProcess('alive')
    if (state === 'is stopped') stop()
    await leftBehind(results, 0, alive, 'alive')
    const taking = held(results, 'next', clock, ofThisMachine('next'))
    expect(await isStillWaiting(taking, clock, timeoutMs - 1)).toBe(true)
    await clock.advance(1)
    expect((await taking).watched).toEqual([alive])
  })

  it('the lock of a local process is watched after an interrupted takeover', async () => {
    const [results, clock] = [await newLog(), newClock()]
    const { holder: killed, kill } = await idleProcess('killed')
    await leftBehind(results, 0, killed, 'taker')
    await kill()
    const taking = held(results, 'next', clock, ofThisMachine('next'))
    expect(await isStillWaiting(taking, clock, timeoutMs - 1)).toBe(true)
    await clock.advance(1)
    expect((await taking).watched).toEqual([undefined])
  })

  it('the lock of a local process goes to one of several runs that find it stale', async () => {
    const results = await newLog()
    const { holder: killed, kill } = await idleProcess('killed')
    await kill()
    for (let round = 0; round < 25; round += 1) {
      const clock = newClock()
      await leftBehind(results, 0, killed, 'killed')
      const takers = ['a', 'b', 'c', 'd'].map(id => held(results, id, clock, ofThisMachine(id)))
      const ended = Promise.allSettled(takers)
      await clock.advance(beatMs + 200)
      const ends = await ended
      expect(ends.map(({ status }) => status).sort()).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'rejected',
      ])
      for (const end of ends) if (end.status === 'fulfilled') await end.value.release()
    }
  })
})

describe('changes under a lock', () => {
  it.each([0.2, 1, 5, 60])(
    'changes under a lock are tried for less than half of a timeout of %d s',
    async timeoutS => {
      const lock = await held(await newLog(), 'first', newClock(), { timeoutMs: timeoutS * 1000 })
      expect(lock.busyMs).toBeLessThan(timeoutS * 500)
      expect(lock.busyMs).toBeLessThanOrEqual(2_000)
    },
  )
})
