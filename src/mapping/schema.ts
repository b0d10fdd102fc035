import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { formats } from '../model/format.ts'
import { recordTypes } from '../records/record-types.ts'
import { delimiterWord, notRowsOrShare, rowsOrShareWord, shareWord } from '../settings/option-values.ts'
import { cell, column, keySchema } from './rule.ts'

const startsWith = z.strictObject({ starts_with: z.string().min(1) })
const columns = z.strictObject({ columns: z.array(column).min(1) })
const header = z.union(
  [
    z.literal(true).transform(() => ({ type: 'first_line' as const })),
    startsWith.transform(({ starts_with }) => ({ type: 'starts_with' as const, cell: starts_with.trim() })),
    columns.transform(({ columns }) => ({ type: 'columns' as const, columns })),
  ],
  { error: 'must be true, { starts_with: CELL } or { columns: [NAME, …] }' },
)

const cells = z
  .union([cell.transform(value => [value]), z.array(cell).min(1)], {
    error: 'must be a value or a list of values',
  })
  .transform(values => values.map(value => value.trim()))

const names = 'in, not, empty or matches'

/** Conditions of a column; all must hold. */
const conditionSchema = z
  .strictObject({
    in: cells.optional(),
    not: cells.optional(),
    empty: z.boolean().optional(),
    matches: z.string().min(1).optional(),
  })
  .refine(conditions => Object.keys(conditions).length > 0, `must have ${names}`)

export type Conditions = z.output<typeof conditionSchema>
const whereSchema = z
  .object({
    distinct: z
      .union([keySchema, conditionSchema], {
        error: 'must be a column or a list of columns, or conditions on a column of this name',
      })
      .optional(),
  })
  .catchall(
    z.union([cells.transform(values => ({ in: values })), conditionSchema], {
      error: `must be a value, a list of values, or an object with ${names}`,
    }),
  )
  .transform(({ distinct, ...columns }) =>
    Array.isArray(distinct)
      ? { distinct, conditions: columns }
      : { distinct: undefined, conditions: { ...columns, ...(distinct && { distinct }) } },
  )

/** Settings of a source; scripts/mapping-keys.yaml explains each key. This is `source:` of a mapping file, and of a table in `lookups:`. */
const sourceSchema = z.strictObject({
  format: z.enum(formats).optional(),
  sheet: z.union([z.string().min(1), z.int().min(1)]).optional(),
  rows: z.string().min(1).optional(),
  delimiter: delimiterWord.optional(),
  encoding: z.string().optional(),
  header: header.default({ type: 'first_line' }),
  ragged: z.enum(['invalid', 'pad']).default('invalid'),
})

const results = z.strictObject({ results: z.string().min(1) })
const step = z.strictObject({ step: z.string().min(1) })
/** Table of a lookup; without a file, a list of the sources. */
const table = z
  .strictObject({
    file: z.string().min(1).optional(),
    sheet: sourceSchema.shape.sheet,
    rows: sourceSchema.shape.rows,
    key: column,
    value: column,
    source: sourceSchema.prefault({}),
  })
  .refine(({ file, rows }) => file !== undefined || rows !== undefined)
  .transform(({ file, key, value, source, sheet = source.sheet, rows = source.rows }) => ({
    ...{ file, key, value },
    source: { ...source, sheet, rows },
  }))
const rowBy = z.strictObject({ self: z.literal(true), by: column })
const rowAbove = z.strictObject({ self: z.literal(true), indent: column })

const lookupSchema = z.union([results, step, table, rowBy, rowAbove], {
  error:
    'must be { results: LOG }, { step: NAME }, { file: TABLE, key: COLUMN, value: COLUMN }, { rows: LIST, key: COLUMN, value: COLUMN }, { self: true, by: COLUMN } or { self: true, indent: COLUMN }',
})
export type LookupSpec = z.infer<typeof lookupSchema>
export type TableSpec = z.infer<typeof table>

/** Map files as tables of lookups, by their paths. */
export const mapTables = (files: Iterable<string>): Record<string, LookupSpec> =>
  Object.fromEntries([...files].map(file => [file, table.parse({ file, key: 'name', value: 'use' })]))

const testSchema = z
  .strictObject({
    name: z.string().min(1).optional(),
    row: z.record(z.string(), z.unknown()),
    lookups: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
    body: z.record(z.string(), z.unknown()).optional(),
    errors: z.array(z.string()).optional(),
    left_out: z.boolean().optional(),
  })
  .refine(
    test => test.body !== undefined || test.errors !== undefined || test.left_out !== undefined,
    'must expect a body, errors, or left_out',
  )

const most = z.union([z.number(), z.string()], notRowsOrShare).transform(String).pipe(rowsOrShareWord)

const shareOfValues = shareWord.pipe(z.number().max(100, 'must be at most 100%'))

const expectSchema = z.strictObject({
  rows: z.strictObject({ min: z.int().min(0).optional(), of_last: shareWord.optional() }).optional(),
  merged: most.optional(),
  conflicts: most.optional(),
  changed: most.optional(),
  unclear: most.optional(),
  omitted: shareOfValues.optional(),
  kept: shareOfValues.optional(),
  invalid: most.optional(),
  answers: z.enum(['told', 'complete']).optional(),
})

const mappingObject = z.strictObject({
  record: z.enum(recordTypes),
  key: keySchema.optional(),
  identity: z.strictObject({ without: z.array(column).min(1) }).optional(),
  respelled: z.literal('new').optional(),
  use_created: z.boolean().optional(),
  source: sourceSchema.prefault({}),
  where: whereSchema.optional(),
  allow_unknown_fields: z.boolean().default(false),
  optional_columns: z.boolean().default(false),
  empty_values: z.array(cell).min(1).optional(),
  lookups: z.record(z.string(), lookupSchema).default({}),
  expect: expectSchema.optional(),
  body: z.record(z.string(), z.unknown()),
  tests: z.array(testSchema).optional(),
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
  identity: ['without'],
  'expect.rows': ['min', 'of_last'],
}

/** Keys for suggestions. */
export const knownKeysAt = (path: readonly (string | number)[]): readonly string[] =>
  keysAt[path.join('.')] ??
  Object.keys({ tests: testSchema, where: conditionSchema }[String(path[0])]?.shape ?? {})
