import { z } from 'zod'
import { type FileProblem, fileProblem } from '../model/problem.ts'
import { explained } from './explained.ts'
import { durationUnits, inputUnits } from './transforms/duration.ts'

/** A column's name; YAML reads `2024` as a number, which names a column all the same. */
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

/** The keys of which one makes an object in `body` a rule (DESIGN 2.1). */
export const ruleMarks = ['from', 'join', 'expr', 'value'] as const

const replacement = z.strictObject({
  pattern: explained(z.string().min(1), 'A JavaScript regular expression; it has the flags g and u.', '\\s+'),
  with: explained(z.string(), 'What takes the place of each match; $1 is the first group.', ' ', '$2 $1'),
})

/** A rule's parts, in the order in which they are applied (DESIGN 2.2). */
export const ruleSchema = z.strictObject({
  from: explained(
    oneOrMore(column),
    'The column whose cell is taken, trimmed; of several, the first that is not empty. In NDJSON the own key, else a dotted path. Inside each, "." is the item and ".name" a field of it.',
    'Email',
    ['Mobile Phone', 'Work Phone'],
    'author.login',
    '.',
  ).optional(),
  join: explained(
    z.array(column).min(1),
    'Columns whose cells are put together into one text, empty ones left out.',
    ['Street', 'City', 'Country'],
  ).optional(),
  with: explained(
    z.string(),
    'What stands between the cells of join. By default ", ".',
    ' ',
    '\n',
  ).optional(),
  expr: explained(
    z.string(),
    'A JSONata expression over the row, for what no other part says. $lookup(name, key), $date(value, format, zone), $phone(value, country) and $html(text) do what the rules do; inside each, $item is the item.',
    '`First Name` or `Last Name` ? "person" : "organization"',
    '$lookup("organizations", Company)',
  ).optional(),
  value: explained(z.unknown(), 'A constant, for text that holds {{.', '{{not a template}}').optional(),
  optional: explained(
    z.boolean(),
    'The columns that this rule names may be missing from the header, or stand there in other letters.',
    true,
  ).optional(),
  split: explained(
    z.string().min(1),
    'Takes the cell apart into a list; the parts from here to as apply to each item. A cell that is written as a list, [A, B], a JSON array or "VIP","Blog", is taken for what it says.',
    ';',
    ' ::: ',
  ).optional(),
  replace: explained(
    z.array(replacement),
    'Regular expressions and what takes the place of their matches, one after the other.',
    [{ pattern: '\\s+', with: ' ' }],
  ).optional(),
  case: explained(
    z.enum(['lower', 'upper']),
    'Turns the text into small or capital letters.',
    'lower',
  ).optional(),
  map: explained(
    z.record(z.string(), z.unknown()),
    'A table from texts to values; otherwise says what becomes of the rest.',
    { P1: 'high', P2: 'medium' },
  ).optional(),
  otherwise: explained(
    z.enum(['invalid', 'keep', 'omit']),
    'What becomes of a text that map does not hold, or that as cannot read: the row is invalid (default), the text is kept as it stands, or the field is left out.',
    'omit',
  ).optional(),
  lookup: explained(
    z.string(),
    'The name of one of lookups, in which the text is looked up.',
    'organizations',
  ).optional(),
  missing: explained(
    z.enum(['invalid', 'omit']),
    'What becomes of a text that the lookup does not know: the row is invalid (default), or the field is left out.',
    'omit',
  ).optional(),
  as: explained(
    z.enum(transformNames),
    'What the text is read as. Without it everything stays text: leading zeros are kept.',
    ...transformNames,
  ).optional(),
  decimal: explained(
    z.enum(['.', ',']),
    "The decimal sign of as: number or integer. By default a point; the other sign, blanks and ' may separate thousands.",
    ',',
  ).optional(),
  true: explained(
    z.array(word).min(1),
    'The words that as: boolean takes for yes. By default true, yes, y, 1, on and x.',
    ['oui'],
  ).optional(),
  false: explained(
    z.array(word).min(1),
    'The words that as: boolean takes for no. By default false, no, n, 0 and off.',
    ['non'],
  ).optional(),
  format: explained(
    oneOrMore(z.string().min(1)),
    'How a date is written, in Luxon tokens, or iso (default), epoch_ms, epoch_s or excel; several are tried in order.',
    'dd.MM.yyyy',
    ['yyyy-MM-dd', 'd/MMM/yy h:mm a'],
    'epoch_ms',
  ).optional(),
  zone: explained(
    z.string(),
    'The time zone of wall-clock times, by its IANA name: as: datetime gives UTC then.',
    'Europe/Berlin',
  ).optional(),
  locale: explained(
    z.string(),
    'The language of month and day names, as a language tag. By default en.',
    'de',
    'pt-BR',
  ).optional(),
  unit: explained(
    z.enum(durationUnits),
    'What the number that as: duration gives counts.',
    'hours',
  ).optional(),
  hours_per_day: explained(
    z.number().positive().max(24),
    'How long a day of as: duration is; of 24 a week has seven days, of any other number five.',
    8,
  ).optional(),
  input_unit: explained(
    z.enum(inputUnits),
    'What a number counts that stands alone in a cell of as: duration. By default the unit of the result.',
    'seconds',
  ).optional(),
  country: explained(
    z.string(),
    'The country of phone numbers that are written without, by its two capital letters.',
    'GB',
  ).optional(),
  extension: explained(
    z.enum(['keep', 'drop']),
    'What becomes of the extension of a phone number: it is dropped (default), for E.164 has none, or kept behind ;ext=.',
    'keep',
  ).optional(),
  default: explained(
    z.unknown(),
    'What stands in the place of an empty value: a constant, a template, or another rule.',
    'medium',
    { from: 'Nickname' },
  ).optional(),
  required: explained(z.boolean(), 'An empty value makes the row invalid.', true).optional(),
  each: explained(
    z.unknown(),
    'The body of one list item; there "." is the item and ".name" a field of it.',
    {
      email: { from: '.', as: 'email' },
    },
  ).optional(),
  empty: explained(
    z.null({ error: 'can only be null' }),
    'Sends null where the value is empty, instead of leaving the field out.',
    null,
  ).optional(),
})
export type Rule = z.infer<typeof ruleSchema>

/** Which parts make sense only beside which others. */
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

/** What is wrong with a rule that zod cannot see: the part, and why. */
export function ruleFaults(rule: Rule): readonly (readonly [part: keyof Rule, problem: FileProblem])[] {
  const marks = ruleMarks.filter(mark => rule[mark] !== undefined)
  const faults: (readonly [keyof Rule, FileProblem])[] = marks
    .slice(1)
    .map(mark => [mark, fileProblem('two_marks', { marks: ruleMarks, first: String(marks[0]) })] as const)
  for (const [part, needs, holds] of companions)
    if (rule[part] !== undefined && !holds(rule)) faults.push([part, fileProblem('lonely', { part, needs })])
  if (rule.as === 'duration' && rule.unit === undefined)
    faults.push(['as', fileProblem('no_unit', { units: durationUnits })])
  return faults
}
