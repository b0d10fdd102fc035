import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { rowsOrShare } from '../model/expectations.ts'
import { recordTypes } from '../records/kinds.ts'
import { cell, column, describe, keySchema, optional } from './rule.ts'
import { conditionSchema, whereSchema } from './where.ts'

const startsWith = z.strictObject({
  starts_with: describe(
    z.string().min(1),
    'The header is the first line with this as its first cell.',
    'First Name',
  ),
})
const columns = z.strictObject({
  columns: describe(z.array(column).min(1), 'The file has no header line; these are its columns.', [
    'Name',
    'Email',
  ]),
})
const header = z.union(
  [
    z.literal(true).transform(() => ({ type: 'first_line' as const })),
    startsWith.transform(({ starts_with }) => ({ type: 'starts_with' as const, cell: starts_with.trim() })),
    columns.transform(({ columns }) => ({ type: 'columns' as const, columns })),
  ],
  { error: 'must be true, { starts_with: CELL } or { columns: [NAME, …] }' },
)

/** `source:` of a mapping file, and of a table in `lookups:`. */
const sourceSchema = z.strictObject({
  format: optional(z.enum(['csv', 'ndjson']), 'By default by the name of the file, else csv.', 'csv'),
  delimiter: optional(
    z
      .string()
      .min(1)
      .transform(delimiter => delimiter.replaceAll('\\t', '\t')),
    'What separates cells, \\t for a tab. By default a comma, in .tsv files a tab.',
    ';',
  ),
  encoding: optional(
    z.string(),
    'The encoding, by any name that iconv knows. By default utf-8. A byte-order mark wins.',
    'windows-1252',
  ),
  header: describe(
    header.default({ type: 'first_line' }),
    'Where the column names are: the first line (true, the default), the first line that starts with a cell, or here.',
    true,
    { starts_with: 'First Name' },
    { columns: ['Name', 'Email'] },
  ),
  ragged: describe(
    z.enum(['invalid', 'pad']).default('invalid'),
    'A row with more or fewer cells than the header is invalid (default), or padded with empty cells. Cells are never shifted.',
    'pad',
  ),
})

const results = z.strictObject({
  results: describe(
    z.string().min(1),
    'The result log of an earlier import, relative to the mapping file: finds the record_id of a key.',
    'organizations.results.ndjson',
  ),
})
const step = z.strictObject({
  step: describe(
    z.string().min(1),
    'A step of the same plan (import --plan): finds the record_id of a key.',
    'organizations',
  ),
})
const table = z.strictObject({
  file: describe(z.string().min(1), 'Any CSV or NDJSON file, relative to the mapping file.', 'users.csv'),
  key: describe(column, 'The column of that file that is searched.', 'email'),
  value: describe(column, 'The column of that file that has the result.', 'user_id'),
  source: describe(sourceSchema.prefault({}), 'How that file is read.', { delimiter: ';' }),
})
const rowBy = z.strictObject({
  self: describe(z.literal(true), 'Another row of this import, before or after this one.', true),
  by: describe(column, 'The column whose value names the other row.', 'Task ID'),
})
const rowAbove = z.strictObject({
  self: describe(z.literal(true), 'Another row of this import.', true),
  indent: describe(
    column,
    'The column with the depth of a row in a tree of rows: finds the nearest row above with a smaller depth.',
    'INDENT',
  ),
})

const lookupSchema = z.union([results, step, table, rowBy, rowAbove], {
  error:
    'must be { results: LOG }, { step: NAME }, { file: TABLE, key: COLUMN, value: COLUMN }, { self: true, by: COLUMN } or { self: true, indent: COLUMN }',
})
export type LookupSpec = z.infer<typeof lookupSchema>
export type ResultsSpec = z.infer<typeof results>
export type StepSpec = z.infer<typeof step>
export type TableSpec = z.infer<typeof table>

const testSchema = z
  .strictObject({
    name: optional(
      z.string().min(1),
      'A name for the output of rowlift test.',
      'a person without a last name',
    ),
    row: describe(z.record(z.string(), z.unknown()), 'The cells of a row by their columns.', {
      'First Name': 'Ada',
      Email: 'ADA@example.com',
    }),
    lookups: optional(
      z.record(z.string(), z.record(z.string(), z.unknown())),
      'The keys and values that lookups have in this test, by the name of the lookup.',
      { organizations: { Acme: '9d2f8a54-6f0e-4c1b-9a77-3f2f1c0b5e11' } },
    ),
    body: optional(z.record(z.string(), z.unknown()), 'The expected body.', {
      name: 'Ada',
      emails: [{ email: 'ada@example.com' }],
    }),
    errors: optional(
      z.array(z.string()),
      'The paths in the body at which errors are expected; an empty list expects none.',
      ['emails.0.email'],
    ),
    left_out: optional(z.boolean(), 'Whether where is expected to leave the row out.', true),
  })
  .refine(
    test => test.body !== undefined || test.errors !== undefined || test.left_out !== undefined,
    'must expect a body, errors, or left_out',
  )

const share = z
  .string('must be a share such as 80%')
  .regex(/^\d+(\.\d+)?%$/, 'must be a share such as 80%')
  .transform(Number.parseFloat)
const most = z
  .union([z.number(), z.string()], 'must be a number of rows or a share such as 5%')
  .transform(String)
  .pipe(z.string().regex(/^\d+(\.\d+%|%)?$/, 'must be a number of rows or a share such as 5%'))
  .transform(rowsOrShare)

const expectSchema = z.strictObject({
  rows: optional(
    z.strictObject({
      min: optional(z.int().min(0), 'At least so many rows. By default 1.', 1000),
      of_last: optional(share, 'At least this share of the rows of the last run.', '80%'),
    }),
    'How many rows a run has, without those that where leaves out.',
    { min: 1000, of_last: '80%' },
  ),
  merged: optional(most, 'So many rows may get the record of another row. By default none.', 5, '2%'),
  omitted: optional(
    share.pipe(z.number().max(100, 'must be at most 100%')),
    'So large a share of the values of a column may be left out.',
    '10%',
  ),
  invalid: optional(most, 'So many rows may be invalid. By default none.', 5, '1%'),
  answers: optional(
    z.enum(['told', 'complete']),
    'Whether answers that lack fields that were sent are only told, or end with exit code 1.',
    'complete',
  ),
})

const mappingObject = z.strictObject({
  record: describe(z.enum(recordTypes), 'The type of record to create for each row.', ...recordTypes),
  key: optional(
    keySchema,
    'The column, or list of columns, that identifies a row in every run: a row whose key has a record is not created again. Without a key, a row is identified by its content. A list in the list has several names for one column; the first that the header has is used.',
    'Email',
    ['Project', 'Number'],
    [['Record ID', 'Contact ID']],
  ),
  use_created: optional(
    z.boolean(),
    'For contacts: the service returns a similar existing contact instead of creating one. What a second row has for that contact is nowhere then; expect: { merged: N } allows so many.',
    true,
  ),
  source: describe(sourceSchema.prefault({}), 'How the file is read. Flags win.', {
    delimiter: ';',
    encoding: 'windows-1252',
  }),
  where: optional(
    whereSchema,
    'Only rows in which these columns have this value, or one of a list ("" is an empty cell), or fit the conditions in, not, empty and matches. Other rows are counted and left out.',
    { TYPE: 'task' },
    { Status: { not: ['Completed', 'Deleted'] }, Email: { matches: '@' } },
    { distinct: 'Company' },
  ),
  allow_unknown_fields: describe(
    z.boolean().default(false),
    'Allows fields that the known record does not have.',
    true,
  ),
  optional_columns: describe(
    z.boolean().default(false),
    'The columns that this mapping names may be missing from the header, or differ in case, except those of where that need a value. A header with none of them is refused.',
    true,
  ),
  empty_values: optional(z.array(cell).min(1), 'Words that mean an empty cell.', ['null', 'N/A']),
  lookups: describe(
    z.record(z.string(), lookupSchema).default({}),
    'Where the ids of other records are found, each by a name that rules use.',
    { organizations: { results: 'organizations.results.ndjson' } },
  ),
  expect: optional(
    expectSchema,
    'What a run has to find. What does not hold is told first, and the exit code is 1.',
    { rows: { of_last: '80%' }, merged: '2%' },
  ),
  body: describe(
    z.record(z.string(), z.unknown()),
    'The record to create, field by field: a constant, a template with {{Column}}, a rule (from, join, expr or value), a nested object, or a list.',
    { name: '{{First Name}} {{Last Name}}', emails: [{ email: { from: 'Email', as: 'email' } }] },
  ),
  tests: optional(z.array(testSchema), 'Rows and their expected results; rowlift test runs them.', [
    { row: { Email: 'nope' }, errors: ['emails.0.email'] },
  ]),
})

/** `body` is checked when it is compiled. */
export const mappingSchema = mappingObject.refine(
  ({ key, where }) => !key || !where?.distinct || isDeepStrictEqual(key, where.distinct),
  { path: ['key'], error: 'must be left out, because the columns of where.distinct identify the rows' },
)
export type MappingDocument = z.infer<typeof mappingObject>

const keysAt: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(mappingSchema.shape),
  source: Object.keys(sourceSchema.shape),
  'source.header': ['starts_with', 'columns'],
  expect: Object.keys(expectSchema.shape),
  'expect.rows': ['min', 'of_last'],
}

/** For suggestions. */
export const knownKeysAt = (path: readonly (string | number)[]): readonly string[] =>
  keysAt[path.join('.')] ??
  Object.keys({ tests: testSchema, where: conditionSchema }[String(path[0])]?.shape ?? {})
