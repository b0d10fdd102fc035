import { z } from 'zod'
import { explained } from './explained.ts'
import { column } from './rule.ts'

const startsWith = z.strictObject({
  starts_with: explained(
    z.string().min(1),
    'The header is the first line whose first cell is this: exports open with notes.',
    'First Name',
  ),
})
const columns = z.strictObject({
  columns: explained(z.array(column).min(1), 'The file has no header line; these are its columns.', [
    'Name',
    'Email',
  ]),
})

const headerSchema = z.union(
  [
    z.literal(true).transform(() => ({ type: 'first_line' as const })),
    startsWith.transform(({ starts_with }) => ({ type: 'starts_with' as const, cell: starts_with.trim() })),
    columns.transform(({ columns }) => ({ type: 'columns' as const, columns })),
  ],
  { error: 'must be true, { starts_with: CELL } or { columns: [NAME, …] }' },
)

/** `source:` of a mapping file. */
export const sourceSchema = z.strictObject({
  format: explained(
    z.enum(['csv', 'ndjson']),
    'The format of the file; by default what its name says, else csv.',
    'csv',
  ).optional(),
  delimiter: explained(
    z
      .string()
      .min(1)
      .transform(delimiter => delimiter.replaceAll('\\t', '\t')),
    'What separates cells, \\t for a tab; by default a comma, in .tsv files a tab.',
    ';',
  ).optional(),
  encoding: explained(
    z.string(),
    'The encoding of the file, by any name that iconv knows; by default utf-8. A byte-order mark wins.',
    'windows-1252',
  ).optional(),
  header: explained(
    headerSchema.default({ type: 'first_line' }),
    'Where the names of the columns stand: the first line (true, the default), the first line that starts with a cell, or here.',
    true,
    { starts_with: 'First Name' },
    { columns: ['Name', 'Email'] },
  ),
  ragged: explained(
    z.enum(['invalid', 'pad']).default('invalid'),
    'What becomes of a row with more or fewer cells than the header: it is invalid (default), or padded with empty cells. It is never shifted.',
    'pad',
  ),
})
