import { expect } from 'vitest'
import { compileMapping } from '../../src/mapping/file.ts'
import { atPath } from '../../src/model/values.ts'
import type { Line } from './rowlift.ts'

/** What the expected outcomes leave to the program: its words, the row's hash, and the source that is always the same. */
export function comparable({ source, hash, errors, same_as, ...line }: Line): Line {
  return {
    ...line,
    ...(errors && { errors: errors.map(({ message, ...error }: Line) => error) }),
    ...(same_as && { same_as: { row: same_as.row } }),
  }
}

/** Runs the `tests:` of a mapping file, of which there must be some. */
export function expectItsTestsToHold(file: string, text: string): void {
  const compiled = compileMapping(file, text, '')
  expect(compiled.tests.length).toBeGreaterThan(0)
  for (const { row, body, errors } of compiled.tests) {
    const mapped: Line = compiled.map({
      source: 'test',
      row: 1,
      line: 1,
      value: name => (Object.hasOwn(row, name) ? row[name] : atPath(row, name)),
      cells: () => Object.entries(row),
    })
    if (body !== undefined) expect(mapped).toEqual({ body })
    if (errors !== undefined) expect(mapped.errors?.map((error: Line) => error.path)).toEqual(errors)
  }
}
