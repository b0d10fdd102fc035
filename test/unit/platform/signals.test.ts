import { expect, it } from 'vitest'
import { onSignal } from '../../../src/platform/signals.ts'

it('Ctrl-Break counts as Ctrl-C, until nobody listens', () => {
  const heard: string[] = []
  const stop = onSignal(signal => heard.push(signal))
  const send = () => {
    for (const name of ['SIGBREAK', 'SIGINT', 'SIGHUP'] as const) process.emit(name)
  }
  send()
  expect(heard).toEqual(['SIGINT', 'SIGINT', 'SIGHUP'])
  stop()
  process.once('SIGINT', () => {}) // without a listener it would end this process
  send()
  expect(heard).toHaveLength(3)
})
