import { describe, expect, it } from 'vitest'
import { createWindow } from '../../../src/engine/window.ts'
import { turns } from '../../support/clock.ts'

describe('a window', () => {
  it('runs as many jobs at once as it has slots, and no more', async () => {
    let running = 0
    let most = 0
    const window = createWindow(3, () => {})
    for (let at = 0; at < 20; at += 1)
      await window.start(async () => {
        running += 1
        most = Math.max(most, running)
        await turns()
        running -= 1
      })
    await window.settled()
    expect(most).toBe(3)
    expect(running).toBe(0)
  })

  it('takes a new job only when a slot is free', async () => {
    let finish = () => {}
    const window = createWindow(1, () => {})
    await window.start(() => new Promise(resolve => (finish = resolve)))
    let taken = false
    const second = window.start(async () => {}).then(() => (taken = true))
    await turns()
    expect(taken).toBe(false)
    finish()
    await second
    expect(taken).toBe(true)
  })

  it('goes on when a job fails, and tells of it', async () => {
    const failures: unknown[] = []
    const window = createWindow(2, error => failures.push(error))
    await window.start(() => Promise.reject(new Error('one')))
    let ran = false
    await window.start(async () => {
      ran = true
    })
    await window.settled()
    expect(ran).toBe(true)
    expect(failures).toEqual([new Error('one')])
  })

  it('is settled at once when nothing was started', async () => {
    await createWindow(1, () => {}).settled()
  })
})
