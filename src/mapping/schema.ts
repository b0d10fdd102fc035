import { z } from 'zod'
import { recordTypes } from '../records/kinds.ts'
import { lookupSchema } from './lookups/specs.ts'
import { column } from './rule.ts'
import { sourceSchema } from './source-schema.ts'

const cell = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be a value or a list of values' })
  .transform(String)

const testSchema = z
  .strictObject({
    name: z.string().min(1).optional(),
    row: z.record(z.string(), z.json()),
    lookups: z.record(z.string(), z.record(z.string(), z.json())).optional(),
    body: z.record(z.string(), z.json()).optional(),
    errors: z.array(z.string()).optional(),
    left_out: z.boolean().optional(),
  })
  .refine(
    test => test.body !== undefined || test.errors !== undefined || test.left_out !== undefined,
    'must expect a body, errors, or left_out',
  )

/** The mapping file (DESIGN 2), but for `body`, whose parts are checked where they are compiled. */
export const mappingSchema = z.strictObject({
  record: z.enum(recordTypes),
  key: z
    .union([column.transform(name => [name]), z.array(column).min(1)], {
      error: 'must be a column or a list of columns',
    })
    .optional(),
  use_created: z.boolean().optional(),
  source: sourceSchema.prefault({}),
  where: z
    .record(
      z.string(),
      z.union([cell.transform(value => [value]), z.array(cell).min(1)], {
        error: 'must be a value or a list of values',
      }),
    )
    .optional(),
  allow_unknown_fields: z.boolean().default(false),
  optional_columns: z.boolean().default(false),
  empty_values: z.array(cell).min(1).optional(),
  lookups: z.record(z.string(), lookupSchema).default({}),
  body: z.record(z.string(), z.json()),
  tests: z.array(testSchema).optional(),
})

const keysAt: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(mappingSchema.shape),
  source: Object.keys(sourceSchema.shape),
  'source.header': ['starts_with', 'columns'],
}

/** The keys that are known at a path of the mapping file, to suggest the one that was meant. */
export const knownKeysAt = (path: readonly (string | number)[]): readonly string[] =>
  keysAt[path.join('.')] ?? (path[0] === 'tests' ? Object.keys(testSchema.shape) : [])
