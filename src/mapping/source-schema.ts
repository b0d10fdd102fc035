import { z } from 'zod'
import { column } from './rule.ts'

const headerSchema = z.union(
  [
    z.literal(true).transform(() => ({ is: 'first_line' as const })),
    z
      .strictObject({ starts_with: z.string().min(1) })
      .transform(({ starts_with }) => ({ is: 'starts_with' as const, cell: starts_with.trim() })),
    z
      .strictObject({ columns: z.array(column).min(1) })
      .transform(({ columns }) => ({ is: 'columns' as const, columns })),
  ],
  { error: 'must be true, { starts_with: CELL } or { columns: [NAME, …] }' },
)

/** `source:` of a mapping file. */
export const sourceSchema = z.strictObject({
  format: z.enum(['csv', 'ndjson']).optional(),
  delimiter: z
    .string()
    .min(1)
    .transform(delimiter => delimiter.replaceAll('\\t', '\t'))
    .optional(),
  encoding: z.string().optional(),
  header: headerSchema.default({ is: 'first_line' }),
  ragged: z.enum(['invalid', 'pad']).default('invalid'),
})
