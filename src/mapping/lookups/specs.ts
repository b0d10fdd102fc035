import { z } from 'zod'
import { column } from '../rule.ts'
import { sourceSchema } from '../source-schema.ts'

/** One of `lookups:` in a mapping file: an earlier result log, a table, or the rows of the import itself (DESIGN 2.3). */
export const lookupSchema = z.union(
  [
    z.strictObject({ results: z.string().min(1) }),
    z.strictObject({
      file: z.string().min(1),
      key: column,
      value: column,
      source: sourceSchema.prefault({}),
    }),
    z.strictObject({ self: z.literal(true), by: column }),
  ],
  {
    error:
      'must be { results: LOG }, { file: TABLE, key: COLUMN, value: COLUMN } or { self: true, by: COLUMN }',
  },
)
export type LookupSpec = z.infer<typeof lookupSchema>
export type TableSpec = Extract<LookupSpec, { file: string }>

/** The columns by which rows of the import are named, each once. */
export const selfColumns = (specs: Readonly<Record<string, LookupSpec>>): string[] => [
  ...new Set(Object.values(specs).flatMap(spec => ('self' in spec ? spec.by : []))),
]
