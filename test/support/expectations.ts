import { expect } from 'vitest'
import { runTests } from '../../src/features/mapping-tests/run-tests.ts'
import { compileMapping } from '../../src/mapping/mapping.ts'
import type { Line } from './rowlift.ts'

/** What the expected outcomes leave to the program: its sentences, the row's hash, and the source that is always the same. */
export function comparable({ source, hash, errors, same_as, ...line }: Line): Line {
  return {
    ...line,
    ...(errors && { errors: errors.map(({ message, ...error }: Line) => error) }),
    ...(same_as && { same_as: { row: same_as.row } }),
  }
}

/** Runs the `tests:` of a mapping file, of which there must be some. */
export function expectItsTestsToHold(file: string, text: string): void {
  const results = runTests(compileMapping(file, text, ''))
  expect(results.length).toBeGreaterThan(0)
  expect(results.filter(({ differences }) => differences.length > 0)).toEqual([])
}
