// The one list of the fields of a run's result for programs; config/summary.schema.json is made of it.
import { z } from 'zod'
import type { StopReason } from '../model/errors.ts'
import { recordTypes } from '../records/record-types.ts'
import { badStatuses } from './reasons.ts'

const stopCodes = [
  'unauthorized',
  'not_answering',
  'asked_to_wait',
  'throttled',
  'too_many_failures',
  'log',
  'lock',
  'source',
  'signal',
  'aborted',
  'reader_gone',
  'defect',
] as const satisfies readonly StopReason['code'][]

const count = (what: string) => z.int().min(0).describe(what)
const text = (what: string) => z.string().describe(what)
const counts = (what: string) => z.record(z.string(), z.int().min(0)).describe(what)
const texts = (what: string) => z.array(z.string()).describe(what)
const utcTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const instant = (what: string) => z.string().regex(utcTime).describe(what)
const object = <Shape extends z.ZodRawShape>(what: string, shape: Shape) =>
  z.strictObject(shape).describe(what)
const list = <Shape extends z.ZodRawShape>(what: string, shape: Shape) =>
  z.array(z.strictObject(shape)).describe(what)
const place = {
  source: text('The source, as it was named.'),
  row: count('The data row, from 1.'),
}
const placeWithLine = { ...place, line: count('The line on which the row starts.') }

const ends = {
  created: count('The service made the record.'),
  existing: count('The service had the record before: it returned it, or an export shows it.'),
  merged: count('Their record is that of another row; the values of these rows are nowhere.'),
  duplicate: count('The key is that of another row of this import.'),
  invalid: count('Refused before anything was sent.'),
  failed: count('Refused by the service, or never reached it; no record was made.'),
  in_doubt: count('Sent, and no answer tells whether the record exists.'),
  held: count(
    'Left in doubt by an earlier run, or perhaps known under another name, and not sent by this one.',
  ),
  left_out: count('Left out by where.'),
  valid: count('Of a dry run: they would be sent.'),
}
const leftAlone = count('They have their record from an earlier run.')

/** Fields of an import that began. */
const ofStarted = {
  run: text('The id of this run, by which the lines of the result log name it.'),
  base_url: text('The service; of a dry run only if it was named.').optional(),
  organization_id: count(
    'The organization that gets the records; of a dry run only if it was named.',
  ).optional(),
  record: z.enum(recordTypes).describe('What is created of each row.'),
  delivery: text('at-most-once or at-least-once.'),
  stopped: text('Why the run stopped early, in words, and what to do.').optional(),
  stop_reason: z.enum(stopCodes).describe('The same in one word.').optional(),
  rows: count('Rows that came to an end.'),
  row_counts: object('These rows by their end in this run; the sum is rows.', {
    ...ends,
    left_alone: leftAlone,
  }),
  ...ends,
  done: leftAlone,
  known: count('Of the invalid and failed rows: an earlier run refused them, and they read the same.'),
  changed: count('Of the rows that were left alone: they have changed since they were created.'),
  no_longer_valid: count('Of the changed rows: they could not be sent now.'),
  conflicts: count('Of the duplicates: they differ from the row that has their key.'),
  respelled: count('Of the held rows: the log may know them under another name.'),
  ambiguous: count('Of the held rows: several records of an export of the service match them.'),
  renamed: count(
    'Of the rows that were left alone: they got their record under a new name (--respelled same).',
  ),
  equal_rows: count(
    'Rows without a key that equal an earlier row in all cells, and are records of their own.',
  ).optional(),
  near_duplicates: object('Rows that may be one record (--near-duplicates).', {
    groups: count('Groups of rows that are like each other.'),
    rows: count('The rows in them.'),
    first: list('The first groups.', {
      by: texts('What they share: email, phone, name_and_domain, name.'),
      size: count('How many rows.'),
      rows: list('The first of them.', placeWithLine),
    }),
    key: object('The column that as key: makes the most groups one row each.', {
      column: text('A column.'),
      groups: count('How many groups.'),
    }).optional(),
  }).optional(),
  tried_again: count('Rows that an earlier run refused or left in doubt, and this one tried again.'),
  settled_doubts: count('Rows that an earlier run left in doubt and that have their record now.'),
  abandoned: count('Calls that were under way when an earlier run was killed; their rows are in doubt.'),
  in_doubt_total: count('Rows that the result log holds in doubt now, those of earlier runs among them.'),
  unclear: count('Rows that were sent again after an unclear answer, and may be there twice.'),
  retries: count('Attempts that were repeated.'),
  throttled: count('Of these: attempts that the service asked to make later.'),
  reasons: list('Why rows have no record, the most frequent reasons first.', {
    status: z.enum(badStatuses).describe('What became of these rows.'),
    code: text('Why, in one word that does not change between releases (docs/usage/errors.md).').optional(),
    reason: text('The same in words, without what stood in the rows.'),
    count: count('How many rows; a row with two reasons counts in both.'),
    examples: list('The first of them.', placeWithLine),
  }),
  merged_rows: list('The first 10 merged rows.', {
    record_id: text('The record.'),
    row: object('The merged row.', place),
    same_as: object('The row whose record it is.', place),
  }),
  omitted: counts('How many values of each column a rule with omit left out.'),
  kept: counts('How many values of each column a rule with keep sent as they are.'),
  lookups_without_hits: list('Lookups that found none of the values, as by a wrong key.', {
    name: text('The name of the lookup.'),
    asked: count('How many values were looked up.'),
    table: text('The table or result log.').optional(),
    column: text('The column in which they were searched.').optional(),
  }),
  not_in_answer: counts(
    'How many answers lack each field that was sent; # stands for the position in a list.',
  ),
  unmet: list('Expectations that do not hold.', {
    code: text('Which expectation, in one word that does not change between releases.'),
    params: z.record(z.string(), z.unknown()).describe('What was expected, and what was found.'),
    message: text('The same in words.'),
  }),
  estimated_seconds: count(
    'Of a dry run: how long the calls would take, as fast as those in the result log, or at 200 ms a call.',
  ).optional(),
  open_questions: texts('The lines of open questions in the mapping: FILE:LINE.').optional(),
  unseen_columns: texts('Keys that the mapping names and no row had.'),
  unused_columns: texts('Of a dry run: columns that the mapping does not use.').optional(),
  missing_key: texts('Columns of key: that no source has.').optional(),
  answer_differences: counts(
    'In what answers differ from the known record, and how often. Nothing is lost by it.',
  ),
  limit_reached: count('The --limit at which the run stopped.').optional(),
  written: text('The result log, or the preview of a dry run.').optional(),
  ledger: object('Where several machines share the import; exit_code is by the rows of all.', {
    import: text('The name of the import.'),
    worker: text('The worker, whose own rows all other counts are.'),
    all: counts('The rows of all workers by status, once every row is accounted for.').optional(),
  }).optional(),
  rejects: text('The file of --rejects.').optional(),
  rejected_rows: count('How many rows were written there.').optional(),
  changes: text('The file of --changes, if it lists all rows that changed.').optional(),
}

/** Fields of every import, even if it could not begin. */
const ofAll = {
  exit_code: count('The exit code, see the README.'),
  finished: z.boolean().describe('Whether all rows were read: false if it stopped early or could not begin.'),
  sources: texts('The sources, as they were named.'),
}

const ofCommand = {
  mapping: text('The mapping file, as it was named.'),
  results: text('The result log.'),
  duration_ms: count('How long the rows took, from when everything was checked to the end, in milliseconds.'),
}

const optional = z.strictObject({ ...ofCommand, ...ofStarted }).partial()

/** One import: a step of a plan. */
const stepSchema = z.strictObject({ ...ofAll, ...optional.shape })

/** The file of --summary. Fields that are not known, as when the run could not begin, are absent. */
export const summarySchema = z.strictObject({
  schema_version: z
    .literal(2)
    .describe('Of this format; raised when a field changes its meaning or goes, not when one is added.'),
  rowlift: text('The version of rowlift.'),
  started_at: instant('When the command started, in UTC.'),
  ended_at: instant('When it ended, in UTC.'),
  dry_run: z.boolean().describe('Whether nothing was to be sent.'),
  exit_code: ofAll.exit_code,
  finished: ofAll.finished,
  error: text('Why the command could not begin, or what could not be written at its end.').optional(),
  next: text(
    'What to do next, line by line: a sentence, then its command. Absent if nothing is left to do. Of a plan for all steps together.',
  ).optional(),
  ...z.strictObject({ sources: ofAll.sources }).partial().shape,
  ...optional.shape,
  steps: z
    .record(z.string(), stepSchema)
    .describe('Of a plan: each step by its name, with the fields of one import.')
    .optional(),
})
export type Summary = z.infer<typeof summarySchema>

export type RunFields = z.infer<z.ZodObject<typeof ofStarted>>
