import { z } from 'zod'
import { type FileProblem, fileProblem } from '../model/problem.ts'
import { durationUnits, inputUnits } from './transforms/duration.ts'

/** Adds what a key of the mapping file is for, and examples: editors show them. */
export const describe = <T extends z.ZodType>(schema: T, description: string, ...examples: unknown[]): T =>
  schema.meta({ description, shown: examples }) as T // zod drops `examples` where a schema transforms

/** A column's name; YAML reads `2024` as a number, which is a valid name too. */
export const column = z
  .union([z.string(), z.number()], { error: 'must be the name of a column' })
  .transform(name => String(name).trim())
const word = z.union([z.string(), z.number(), z.boolean()], { error: 'must be a word' }).transform(String)

const oneOrMore = <T extends z.ZodType>(item: T) => z.union([item, z.array(item).min(1)])

export const transformNames = [
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'duration',
  'email',
  'phone',
  'url',
  'domain',
  'html',
  'markdown',
  'uuid',
  'json',
] as const

/** An object in `body` with one of these keys is a rule. */
export const ruleMarks = ['from', 'join', 'expr', 'value'] as const

const replacement = z.strictObject({
  pattern: describe(z.string().min(1), 'A JavaScript regular expression; it has the flags g and u.', '\\s+'),
  with: describe(z.string(), 'The replacement of each match; $1 is the first group.', ' ', '$2 $1'),
})

/** A rule's parts, in the order in which they are applied. */
export const ruleSchema = z.strictObject({
  from: describe(
    oneOrMore(column),
    'The column to read, trimmed; of several, the first that is not empty. In NDJSON a key, else a dotted path. Inside each, "." is the item and ".name" one of its fields.',
    'Email',
    ['Mobile Phone', 'Work Phone'],
    'author.login',
    '.',
  ).optional(),
  join: describe(
    z.array(column).min(1),
    'Columns whose cells are joined into one text, without empty ones.',
    ['Street', 'City', 'Country'],
  ).optional(),
  with: describe(z.string(), 'The separator of join. By default ", ".', ' ', '\n').optional(),
  expr: describe(
    z.string(),
    'A JSONata expression over the row, for what no other part can do. $lookup(name, key), $date(value, format, zone), $phone(value, country) and $html(text) work as in rules; inside each, $item is the item.',
    '`First Name` or `Last Name` ? "person" : "organization"',
    '$lookup("organizations", Company)',
  ).optional(),
  value: describe(z.unknown(), 'A constant, for text that contains {{.', '{{not a template}}').optional(),
  optional: describe(
    z.boolean(),
    'The columns that this rule names may be missing from the header, or differ in case.',
    true,
  ).optional(),
  split: describe(
    z.string().min(1),
    'Splits the cell into a list; the parts from here to as apply to each item. A cell that is written as a list is read as one: [A, B], a JSON array, or "VIP","Blog".',
    ';',
    ' ::: ',
  ).optional(),
  replace: describe(
    z.array(replacement),
    'Regular expressions and their replacements, applied in this order.',
    [{ pattern: '\\s+', with: ' ' }],
  ).optional(),
  case: describe(z.enum(['lower', 'upper']), 'Converts the text to lower or upper case.', 'lower').optional(),
  map: describe(
    z.record(z.string(), z.unknown()),
    'A table from texts to values; see otherwise for all other texts.',
    { P1: 'high', P2: 'medium' },
  ).optional(),
  otherwise: describe(
    z.enum(['invalid', 'keep', 'omit']),
    'For a text that is not in map, or that as cannot read: the row is invalid (default), the text is kept, or the field is omitted.',
    'omit',
  ).optional(),
  lookup: describe(
    z.string(),
    'The name of the lookup in which the text is searched.',
    'organizations',
  ).optional(),
  missing: describe(
    z.enum(['invalid', 'omit']),
    'For a text that the lookup does not have: the row is invalid (default), or the field is omitted.',
    'omit',
  ).optional(),
  as: describe(
    z.enum(transformNames),
    'The type of the value. Without it everything stays text, with leading zeros.',
    ...transformNames,
  ).optional(),
  decimal: describe(
    z.enum(['.', ',']),
    "The decimal sign of as: number or integer, by default a point. The other sign, blanks and ' may separate thousands.",
    ',',
  ).optional(),
  true: describe(
    z.array(word).min(1),
    'The words that as: boolean reads as yes. By default true, yes, y, 1, on and x.',
    ['oui'],
  ).optional(),
  false: describe(
    z.array(word).min(1),
    'The words that as: boolean reads as no. By default false, no, n, 0 and off.',
    ['non'],
  ).optional(),
  format: describe(
    oneOrMore(z.string().min(1)),
    'The format of dates in Luxon tokens, or iso (default), epoch_ms, epoch_s or excel; several are tried in order.',
    'dd.MM.yyyy',
    ['yyyy-MM-dd', 'd/MMM/yy h:mm a'],
    'epoch_ms',
  ).optional(),
  zone: describe(
    z.string(),
    'The time zone of wall-clock times, by its IANA name. With it, as: datetime returns UTC.',
    'Europe/Berlin',
  ).optional(),
  locale: describe(
    z.string(),
    'The language of month and day names, as a language tag. By default en.',
    'de',
    'pt-BR',
  ).optional(),
  unit: describe(z.enum(durationUnits), 'The unit of the result of as: duration.', 'hours').optional(),
  hours_per_day: describe(
    z.number().positive().max(24),
    'The hours in a day of as: duration. With 24, a week has seven days, else five.',
    8,
  ).optional(),
  input_unit: describe(
    z.enum(inputUnits),
    'The unit of a number without one in a cell of as: duration. By default the unit of the result.',
    'seconds',
  ).optional(),
  country: describe(
    z.string(),
    'The country of phone numbers without a country code, as two capital letters.',
    'GB',
  ).optional(),
  extension: describe(
    z.enum(['keep', 'drop']),
    'The extension of a phone number is dropped (default), because E.164 has none, or kept after ;ext=.',
    'keep',
  ).optional(),
  default: describe(
    z.unknown(),
    'Replaces an empty value: a constant, a template, or another rule.',
    'medium',
    { from: 'Nickname' },
  ).optional(),
  required: describe(z.boolean(), 'An empty value makes the row invalid.', true).optional(),
  each: describe(
    z.unknown(),
    'The body of one list item; there "." is the item and ".name" one of its fields.',
    {
      email: { from: '.', as: 'email' },
    },
  ).optional(),
  empty: describe(
    z.null({ error: 'can only be null' }),
    'Sends null for an empty value, instead of omitting the field.',
    null,
  ).optional(),
})
export type Rule = z.infer<typeof ruleSchema>

/** Parts that need another part. */
const companions: readonly (readonly [part: keyof Rule, needs: string, holds: (rule: Rule) => boolean])[] = [
  ['with', 'join', rule => rule.join !== undefined],
  ['otherwise', 'map or as', rule => rule.map !== undefined || rule.as !== undefined],
  ['missing', 'lookup or expr', rule => rule.lookup !== undefined || rule.expr !== undefined],
  ['decimal', 'as: number or integer', rule => rule.as === 'number' || rule.as === 'integer'],
  ['true', 'as: boolean', rule => rule.as === 'boolean'],
  ['false', 'as: boolean', rule => rule.as === 'boolean'],
  ['format', 'as: date or datetime', rule => rule.as === 'date' || rule.as === 'datetime'],
  ['zone', 'as: date or datetime', rule => rule.as === 'date' || rule.as === 'datetime'],
  [
    'locale',
    'as: date or datetime, or expr',
    rule => rule.as === 'date' || rule.as === 'datetime' || rule.expr !== undefined,
  ],
  ['unit', 'as: duration', rule => rule.as === 'duration'],
  ['hours_per_day', 'as: duration', rule => rule.as === 'duration'],
  ['input_unit', 'as: duration', rule => rule.as === 'duration'],
  ['country', 'as: phone', rule => rule.as === 'phone'],
  ['extension', 'as: phone', rule => rule.as === 'phone'],
]

/** The problems of a rule that its schema cannot see, each with the part that has it. */
export function ruleFaults(rule: Rule): readonly (readonly [part: keyof Rule, problem: FileProblem])[] {
  const marks = ruleMarks.filter(mark => rule[mark] !== undefined)
  const faults: (readonly [keyof Rule, FileProblem])[] = marks
    .slice(1)
    .map(
      mark => [mark, fileProblem('conflicting_keys', { marks: ruleMarks, first: String(marks[0]) })] as const,
    )
  for (const [part, needs, holds] of companions)
    if (rule[part] !== undefined && !holds(rule))
      faults.push([part, fileProblem('requires_other_key', { part, needs })])
  if (rule.as === 'duration' && rule.unit === undefined)
    faults.push(['as', fileProblem('no_duration_unit', { units: durationUnits })])
  return faults
}
