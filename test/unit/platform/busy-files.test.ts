import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkReplaceable, whenFree } from '../../../src/platform/busy-files.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { testClock } from '../../support/clock.ts'

/** A change that fails so often, and the times at which it was tried. */
function failing(times: number, code: string, path = 'x') {
  const clock = testClock()
  const triedMs: number[] = []
  const change = () => {
    triedMs.push(clock.elapsedMs())
    if (triedMs.length <= times) throw Object.assign(new Error(code), { code, path })
    return 'done'
  }
  return { clock, triedMs, change }
}

const always = Number.POSITIVE_INFINITY
const codeOf = (work: Promise<unknown>) => work.then(String, error => error.code)

describe('a file that another program has open', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'is changed on Windows after growing pauses if that was %s',
    async code => {
      const { clock, triedMs, change } = failing(3, code)
      const changed = whenFree(change, { clock, system: 'win32' })
      expect(triedMs).toEqual([0]) // in the same turn
      await clock.advance(2_000)
      expect(await changed).toBe('done')
      expect(triedMs).toEqual([0, 10, 30, 70])
    },
  )

  it('is not changed any more when the wait is over', async () => {
    const { clock, triedMs, change } = failing(always, 'EPERM')
    const changed = codeOf(whenFree(change, { clock, system: 'win32', busyMs: 100 }))
    await clock.advance(10_000)
    expect(await changed).toBe('EPERM')
    expect(triedMs).toEqual([0, 10, 30, 70])
  })

  it('is not changed if the machine slept during a pause', async () => {
    const { clock, triedMs, change } = failing(1, 'EPERM')
    let sleptMs = 0
    const sleepy = { ...clock, elapsedMs: () => clock.elapsedMs() + sleptMs }
    const changed = codeOf(whenFree(change, { clock: sleepy, system: 'win32' }))
    sleptMs = 60_000
    await clock.advance(1_000)
    expect(await changed).toBe('EPERM')
    expect(triedMs).toEqual([0])
  })

  it('is changed once elsewhere, and for other reasons', async () => {
    for (const [system, code] of [
      ['linux', 'EPERM'],
      ['win32', 'ENOSPC'],
    ] as const) {
      const { clock, triedMs, change } = failing(1, code)
      expect(await codeOf(whenFree(change, { clock, system }))).toBe(code)
      expect(triedMs).toEqual([0])
    }
  })

  it('is busy in the end if it may be written, and else what Windows says', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'rejects.csv')
    await writeFile(path, '')
    const inVain = (to: string) =>
      codeOf(
        whenFree(failing(always, 'EPERM', to).change, { clock: testClock(), system: 'win32', busyMs: 0 }),
      )
    expect(await inVain(path)).toBe('EBUSY')
    expect(await inVain(folder)).toBe('EPERM')
    await chmod(path, 0o444)
    expect(await inVain(path)).toBe('EPERM')
  })
})

it('a file that will be replaced is opened before on Windows, to see that nobody holds it', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'people.csv')
  checkReplaceable(path, 'win32')
  await writeFile(path, 'as it was')
  checkReplaceable(path, 'win32')
  await mkdir(join(folder, 'a folder'))
  checkReplaceable(join(folder, 'a folder'), 'win32')
})
