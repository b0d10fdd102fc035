import { expect, it } from 'vitest'
import { BufferedLines } from '../../../src/report/logger.ts'

it('holds the first lines, however many there are, and says how many more there were', () => {
  const held = new BufferedLines()
  for (let line = 0; line < 100_000; line += 1) held.print(`${line}\n`)
  const told: string[] = []
  held.flush(
    line => told.push(line),
    words => told.push(words),
  )
  expect(told.slice(0, 2)).toEqual(['0\n', '1\n'])
  expect(told).toHaveLength(101)
  expect(told.at(-1)).toBe('99900 more warnings and errors came after these')
})
