import { LookupTable } from '../../mapping/lookups/table.ts'
import type { Mapping, MappingTest } from '../../mapping/mapping.ts'
import { bodyIn } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import type { Row } from '../../model/row.ts'
import { atPath, type FieldDifference, fieldDifferences } from '../../model/values.ts'

export interface TestDifference extends FieldDifference {
  readonly problem?: Problem | undefined
}

export interface TestResult {
  readonly name: string | undefined
  /** The first cells of the row, for a test without a name. */
  readonly start: string
  readonly number: number
  readonly line: number
  readonly differences: readonly TestDifference[]
  /** What the test would have to expect. */
  readonly received: Received
}

export type Received = Pick<MappingTest, 'body'> | Pick<MappingTest, 'errors'> | Pick<MappingTest, 'left_out'>

/** Runs the tests of a mapping. Each has the content of its lookups; no other file is read. */
export const runTests = (mapping: Mapping): TestResult[] =>
  mapping.tests.map((test, at) => ({
    name: test.name,
    start: startOf(test),
    number: at + 1,
    line: test.line,
    ...compare(mapping, test),
  }))

const longestStart = 60

function startOf({ row }: MappingTest): string {
  const texts = Object.values(row).filter(value => typeof value === 'string' && value.trim() !== '')
  const start = texts.slice(0, 2).join(', ').replaceAll(/\s+/g, ' ')
  return start.length > longestStart ? `${start.slice(0, longestStart)}…` : start
}

function compare(mapping: Mapping, test: MappingTest): Pick<TestResult, 'differences' | 'received'> {
  provideLookups(mapping, test)
  const row = rowOf(test)
  if (test.left_out !== undefined) {
    const left_out = !mapping.selects(row)
    return { differences: fieldDifferences(test.left_out, left_out, 'left_out'), received: { left_out } }
  }
  const mapped = mapping.map(row)
  if ('waitsOn' in mapped) throw new Error('a test waits for a row')
  const errors = 'errors' in mapped ? mapped.errors : []
  const expected = test.errors ?? []
  const unexpected = errors
    .filter(({ path = '' }) => !expected.includes(path))
    .map(error => ({ path: error.path ?? '', expected: undefined, received: error.value, problem: error }))
  const missing = expected
    .filter(expected => !errors.some(({ path = '' }) => path === expected))
    .map(path => ({ path, expected: 'an error', received: undefined }))
  const isBodyOpen = test.body === undefined || errors.length > 0
  const others = isBodyOpen ? [] : fieldDifferences(test.body, bodyIn(mapped))
  return {
    differences: [...unexpected, ...missing, ...others],
    received:
      'errors' in mapped ? { errors: errors.map(({ path = '' }) => path) } : { body: { ...mapped.body } },
  }
}

function provideLookups(mapping: Mapping, { lookups = {} }: MappingTest): void {
  for (const [name, spec] of Object.entries(mapping.lookupSpecs)) {
    if ('indent' in spec && lookups[name] === undefined) {
      mapping.lookups.provide(name, () => ({ type: 'found', value: undefined })) // no other row is above it
      continue
    }
    const table = new LookupTable(`lookups.${name} of the test`)
    for (const [key, value] of Object.entries(lookups[name] ?? {})) table.add(key, value ?? undefined, 1)
    mapping.lookups.provide(name, table.find)
  }
}

const rowOf = ({ row, line }: MappingTest): Row => ({
  source: 'test',
  row: 1,
  line,
  value: name => (Object.hasOwn(row, name) ? row[name] : atPath(row, name)),
  cells: () => Object.entries(row),
})
