import { expect, it } from 'vitest'
import { paceBar } from './latency-lines.ts'

it.each([
  [0.2, 0.95],
  [0.3, 0.95],
  [0.31, 0.9],
  [0.5, 0.9],
])('where a sync takes %d ms, an import reaches at least %d of the ideal', (syncMs, ratio) => {
  expect(paceBar(syncMs, 0.9)).toEqual({ is: 'at least', ratio })
})
