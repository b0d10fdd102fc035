import { describe, expect, it } from 'vitest'
import { Stop } from '../../../src/model/stop.ts'

const signal = { code: 'signal', params: { signal: 'SIGINT' } } as const
const log = {
  code: 'log',
  params: { problem: { code: 'cannot_write', params: { path: 'a', reason: 'ENOSPC' } } },
} as const

describe('stop of a run', () => {
  it('the stop of a run keeps its first reason, and tells all that wait', () => {
    const stop = new Stop()
    expect([stop.reason, stop.signal.aborted]).toEqual([undefined, false])
    stop.request(signal)
    stop.request({
      code: 'source',
      params: { problem: { code: 'no_header', params: { source: 'a' } } },
    })
    expect([stop.reason, stop.signal.aborted]).toEqual([signal, true])
  })

  it('the stop of a run lets a log that cannot be written outrank earlier reasons', () => {
    const stop = new Stop()
    stop.request(signal)
    stop.request(log)
    stop.request(signal)
    expect(stop.reason).toEqual(log)
  })
})
