import { z } from 'zod'
import { explained } from '../explained.ts'
import { column } from '../rule.ts'
import { sourceSchema } from '../source-schema.ts'

const results = z.strictObject({
  results: explained(
    z.string().min(1),
    'The result log of an earlier import, relative to the mapping file: its keys give their record_id.',
    'organizations.results.ndjson',
  ),
})
const step = z.strictObject({
  step: explained(
    z.string().min(1),
    'A step of the plan that this mapping is a part of (import --plan): the keys of its rows give their record_id.',
    'organizations',
  ),
})
const table = z.strictObject({
  file: explained(z.string().min(1), 'Any CSV or NDJSON file, relative to the mapping file.', 'users.csv'),
  key: explained(column, 'The column of that file that is looked up.', 'email'),
  value: explained(column, 'The column of that file that holds what is found.', 'user_id'),
  source: explained(sourceSchema.prefault({}), 'How that file is read.', { delimiter: ';' }),
})
const self = z.strictObject({
  self: explained(z.literal(true), 'Another row of this same import, before or after this one.', true),
  by: explained(column, 'The column whose value names the other row.', 'Task ID'),
})

const above = z.strictObject({
  self: explained(z.literal(true), 'Another row of this same import.', true),
  indent: explained(
    column,
    'The column that tells how deep a row stands in a tree of rows: the row that is found is the nearest one before it that stands less deep.',
    'INDENT',
  ),
})

/** One of `lookups:` in a mapping file: an earlier result log, a step of the same plan, a table, or the rows of the import itself (DESIGN 2.3). */
export const lookupSchema = z.union([results, step, table, self, above], {
  error:
    'must be { results: LOG }, { step: NAME }, { file: TABLE, key: COLUMN, value: COLUMN }, { self: true, by: COLUMN } or { self: true, indent: COLUMN }',
})
export type LookupSpec = z.infer<typeof lookupSchema>
export type ResultsSpec = z.infer<typeof results>
export type StepSpec = z.infer<typeof step>
export type TableSpec = z.infer<typeof table>
