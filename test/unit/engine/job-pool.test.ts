import { describe, expect, it } from 'vitest'
import { JobPool } from '../../../src/engine/job-pool.ts'
import { turns } from '../../support/clock.ts'

describe('a pool of jobs', () => {
  it('runs as many jobs at once as its size, and no more', async () => {
    let running = 0
    let most = 0
    const pool = new JobPool(3, () => {})
    for (let at = 0; at < 20; at += 1)
      await pool.start(async () => {
        running += 1
        most = Math.max(most, running)
        await turns()
        running -= 1
      })
    await pool.drained()
    expect(most).toBe(3)
    expect(running).toBe(0)
  })

  it('takes a new job only when there is room', async () => {
    let finish = () => {}
    const pool = new JobPool(1, () => {})
    await pool.start(() => new Promise(resolve => (finish = resolve)))
    let taken = false
    const second = pool.start(async () => {}).then(() => (taken = true))
    await turns()
    expect(taken).toBe(false)
    finish()
    await second
    expect(taken).toBe(true)
  })

  it('goes on when a job fails, and passes the error on', async () => {
    const failures: unknown[] = []
    const pool = new JobPool(2, error => failures.push(error))
    await pool.start(() => Promise.reject(new Error('one')))
    let ran = false
    await pool.start(async () => {
      ran = true
    })
    await pool.drained()
    expect(ran).toBe(true)
    expect(failures).toEqual([new Error('one')])
  })

  it('is drained at once when nothing was started', async () => {
    await new JobPool(1, () => {}).drained()
  })
})
