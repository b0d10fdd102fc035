import { stringify } from 'yaml'
import { compileMapping, type Mapping } from '../../src/mapping/mapping.ts'
import { UsageError } from '../../src/model/errors.ts'
import type { Mapped, RowError } from '../../src/model/outcome.ts'
import type { Row } from '../../src/model/row.ts'
import { atPath } from '../../src/model/values.ts'
import { describeProblem } from '../../src/output/words.ts'

type Cells = Readonly<Record<string, unknown>>

/** A row as it was read: `cells` by their columns, keys with dots in them being paths. */
export const rowOf = (cells: Cells, row = 1): Row => ({
  source: 'rows.csv',
  row,
  line: row + 1,
  value: column => (Object.hasOwn(cells, column) ? cells[column] : atPath(cells, column)),
  cells: () => Object.entries(cells),
})

/** A mapping file made ready. */
export const mappingFrom = (text: string): Mapping => compileMapping('m.yaml', text, 'its sha256')

/** A mapping of contacts with any fields, of a body written as an object. */
export const mappingOf = (body: unknown, more: Cells = {}): Mapping =>
  mappingFrom(stringify({ record: 'contact', allow_unknown_fields: true, body, ...more }))

/** What a body makes of a row. */
export const mapped = (body: unknown, cells: Cells): Mapped => mappingOf(body).map(rowOf(cells))

/** The body that comes of a row; the row's errors fail the test. */
export function bodyOf(body: unknown, cells: Cells): unknown {
  const result = mapped(body, cells)
  if ('body' in result) return result.body
  throw new Error(`the row has no body: ${JSON.stringify(result)}`)
}

/** What is wrong with a row; a row that is right fails the test. */
export function errorsOf(body: unknown, cells: Cells): readonly RowError[] {
  const result = mapped(body, cells)
  if ('errors' in result) return result.errors
  throw new Error(`the row is not invalid: ${JSON.stringify(result)}`)
}

const ruleMappings = new Map<string, Mapping>()

/** A mapping with a rule of these parts at the field `x`, made once. */
function ruleMapping(parts: object): Mapping {
  const name = JSON.stringify(parts)
  const mapping = ruleMappings.get(name) ?? mappingOf({ x: { from: 'A', ...parts }, here: '{{Always}}' })
  ruleMappings.set(name, mapping)
  return mapping
}

/** What a rule at the field `x` makes of a cell: the value, or the words of the one thing that is wrong with it. */
export function made(parts: object, cell: unknown): unknown {
  const result = ruleMapping(parts).map(rowOf({ A: cell, Always: 'yes' }))
  if ('body' in result) return result.body.x
  if ('waitsOn' in result) throw new Error('the row waits for another')
  return { refused: result.errors.map(error => describeProblem(error)).join(' and ') }
}

/** The faults of a mapping file, one a line. */
export function faultsIn(text: string): string[] {
  try {
    mappingFrom(text)
  } catch (error) {
    if (error instanceof UsageError) return error.message.split('\n')
    throw error
  }
  throw new Error('the mapping has no fault')
}
