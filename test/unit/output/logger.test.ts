import { expect, it } from 'vitest'
import { BufferedLines } from '../../../src/output/logger.ts'

it('the held lines of a logger are the first ones, with the number of the others', () => {
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
