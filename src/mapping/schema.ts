import { z } from 'zod'
import { recordTypes } from '../records/kinds.ts'
import { explained } from './explained.ts'
import { lookupSchema } from './lookups/specs.ts'
import { column } from './rule.ts'
import { sourceSchema } from './source-schema.ts'

const cell = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be a value or a list of values' })
  .transform(String)

const testSchema = z
  .strictObject({
    name: explained(
      z.string().min(1),
      'What the test shows; it stands in the output of rowlift test.',
      'a person without a last name',
    ).optional(),
    row: explained(z.record(z.string(), z.unknown()), 'The cells of a row by their columns.', {
      'First Name': 'Ada',
      Email: 'ADA@example.com',
    }),
    lookups: explained(
      z.record(z.string(), z.record(z.string(), z.unknown())),
      'What lookups know in this test: by the name of the lookup, the keys and their values.',
      { organizations: { Acme: '9d2f8a54-6f0e-4c1b-9a77-3f2f1c0b5e11' } },
    ).optional(),
    body: explained(z.record(z.string(), z.unknown()), 'The body that the row must give.', {
      name: 'Ada',
      emails: [{ email: 'ada@example.com' }],
    }).optional(),
    errors: explained(
      z.array(z.string()),
      'The paths in the body at which the row must be refused; an empty list expects none.',
      ['emails.0.email'],
    ).optional(),
    left_out: explained(z.boolean(), 'Whether where must leave the row out.', true).optional(),
  })
  .refine(
    test => test.body !== undefined || test.errors !== undefined || test.left_out !== undefined,
    'must expect a body, errors, or left_out',
  )

/** The mapping file (DESIGN 2), but for `body`, whose parts are checked where they are compiled. */
export const mappingSchema = z.strictObject({
  record: explained(z.enum(recordTypes), 'What is created of each row.', ...recordTypes),
  key: explained(
    z.union(
      [
        column.transform(name => [[name]]),
        z.array(z.union([column.transform(name => [name]), z.array(column).min(1)])).min(1),
      ],
      { error: 'must be a column or a list of columns; a list in the list has names for the same column' },
    ),
    'The column, or list of columns, that names a row from run to run: a row whose key has its record is not created again. Without it a row is named by what stands in it. A list in the list has several names for one column, of which the first that the header has is taken.',
    'Email',
    ['Project', 'Number'],
    [['Record ID', 'Contact ID']],
  ).optional(),
  use_created: explained(
    z.boolean(),
    'For contacts: whether the service is to return a similar contact that exists instead of creating one.',
    true,
  ).optional(),
  source: explained(sourceSchema.prefault({}), 'How the file is read; flags win.', {
    delimiter: ';',
    encoding: 'windows-1252',
  }),
  where: explained(
    z.record(
      z.string(),
      z.union([cell.transform(value => [value]), z.array(cell).min(1)], {
        error: 'must be a value or a list of values',
      }),
    ),
    'Only rows whose column equals this value, or one of a list ("" is an empty cell); the others are counted and left out.',
    { TYPE: 'task' },
  ).optional(),
  allow_unknown_fields: explained(
    z.boolean().default(false),
    'Lets fields of the body through that the known record does not have.',
    true,
  ),
  optional_columns: explained(
    z.boolean().default(false),
    'The columns that this mapping names may be missing from the header, or stand there in other letters, but for those of where that have to hold something; a header that has none of them is refused.',
    true,
  ),
  empty_values: explained(z.array(cell).min(1), 'Words that stand for an empty cell.', [
    'null',
    'N/A',
  ]).optional(),
  lookups: explained(
    z.record(z.string(), lookupSchema).default({}),
    'Where the ids of other records are found, each by a name that rules use.',
    { organizations: { results: 'organizations.results.ndjson' } },
  ),
  body: explained(
    z.record(z.string(), z.unknown()),
    'The record that is created, field by field: a constant, a template with {{Column}}, a rule (from, join, expr or value), a nested object, or a list.',
    { name: '{{First Name}} {{Last Name}}', emails: [{ email: { from: 'Email', as: 'email' } }] },
  ),
  tests: explained(z.array(testSchema), 'Rows and what is expected of them; rowlift test runs them.', [
    { row: { Email: 'nope' }, errors: ['emails.0.email'] },
  ]).optional(),
})

const keysAt: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(mappingSchema.shape),
  source: Object.keys(sourceSchema.shape),
  'source.header': ['starts_with', 'columns'],
}

/** The keys that are known at a path of the mapping file, to suggest the one that was meant. */
export const knownKeysAt = (path: readonly (string | number)[]): readonly string[] =>
  keysAt[path.join('.')] ?? (path[0] === 'tests' ? Object.keys(testSchema.shape) : [])
