import { z } from 'zod'
import { type FileProblem, fileProblem } from '../model/problem.ts'
import { durationUnits, inputUnits } from './transforms/duration.ts'

/** Sets the description and examples of a key, for editors. */
export const describe = <T extends z.ZodType>(schema: T, description: string, ...examples: unknown[]): T =>
  schema.meta({ description, shown: examples }) as T // zod drops `examples` where a schema transforms

export const optional = <T extends z.ZodType>(schema: T, description: string, ...examples: unknown[]) =>
  describe(schema, description, ...examples).optional()

/** YAML reads `2024` as a number, which is a valid name too. */
export const column = z
  .union([z.string(), z.number()], { error: 'must be the name of a column' })
  .transform(name => String(name).trim())
export const cell = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be a value or a list of values' })
  .transform(String)

/** The parts of a key: each has one name, or alternative ones. */
export const keySchema = z.union(
  [
    column.transform(name => [[name]]),
    z.array(z.union([column.transform(name => [name]), z.array(column).min(1)])).min(1),
  ],
  { error: 'must be a column or a list of columns; a list in the list has names for the same column' },
)
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

export const ruleMarks = ['from', 'join', 'expr', 'value'] as const

const replacement = z.strictObject({
  pattern: describe(z.string().min(1), 'A JavaScript regular expression; it has the flags g and u.', '\\s+'),
  with: describe(z.string(), 'The replacement of each match; $1 is the first group.', ' ', '$2 $1'),
})

/** Parts are applied in this order. */
export const ruleSchema = z.strictObject({
  from: optional(
    oneOrMore(column),
    'The column to read, trimmed; of several, the first that is not empty. In NDJSON a key, else a dotted path. Inside each, "." is the item and ".name" one of its fields.',
    'Email',
    ['Mobile Phone', 'Work Phone'],
    'author.login',
    '.',
  ),
  join: optional(
    z.array(column).min(1),
    'Columns whose cells are joined into one text, without empty ones.',
    ['Street', 'City', 'Country'],
  ),
  with: optional(z.string(), 'The separator of join. By default ", ".', ' ', '\n'),
  expr: optional(
    z.string(),
    'A JSONata expression over the row, for what no other part can do. $lookup(name, key), $date(value, format, zone), $day(value, format, zone), $phone(value, country) and $html(text) work as in rules; inside each, $item is the item.',
    '`First Name` or `Last Name` ? "person" : "organization"',
    '$lookup("organizations", Company)',
  ),
  value: optional(z.unknown(), 'A constant, for text that contains {{.', '{{not a template}}'),
  optional: optional(z.boolean(), 'The columns of this rule may be missing, or differ in case.', true),
  split: optional(
    z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
    'Splits the cell into a list, at this or at each of several separators; the parts from here to as apply to each item. A cell that is written as a list is read as one: [A, B], a JSON array, or "VIP","Blog".',
    ';',
    [';', ','],
  ),
  replace: optional(
    z.array(replacement),
    'Regular expressions and their replacements, applied in this order.',
    [{ pattern: '\\s+', with: ' ' }],
  ),
  case: optional(z.enum(['lower', 'upper']), 'Converts the text to this case.', 'lower'),
  map: optional(
    z.record(z.string(), z.unknown()),
    'A table from texts to values; see otherwise for all other texts.',
    { P1: 'high', P2: 'medium' },
  ),
  otherwise: optional(
    z.enum(['invalid', 'keep', 'omit']),
    'For a text that is not in map, or that as cannot read: the row is invalid (default), the text is kept, or the field is omitted.',
    'omit',
  ),
  lookup: optional(z.string(), 'The lookup in which the text is searched.', 'organizations'),
  missing: optional(
    z.enum(['invalid', 'omit']),
    'For a text that the lookup does not have: the row is invalid (default), or the field is omitted.',
    'omit',
  ),
  as: optional(
    z.enum(transformNames),
    'The type of the value. Without it everything stays text, with leading zeros.',
    ...transformNames,
  ),
  decimal: optional(
    z.enum(['.', ',']),
    "The decimal sign of as: number or integer, by default a point. The other sign, blanks and ' may separate thousands.",
    ',',
  ),
  true: optional(z.array(word).min(1), 'The words for yes. By default true, yes, y, 1, on and x.', ['oui']),
  false: optional(z.array(word).min(1), 'The words for no. By default false, no, n, 0 and off.', ['non']),
  format: optional(
    oneOrMore(z.string().min(1)),
    'The format of dates in Luxon tokens, or iso (default), epoch_ms, epoch_s or excel; several are tried in order.',
    'dd.MM.yyyy',
    ['yyyy-MM-dd', 'd/MMM/yy h:mm a'],
    'epoch_ms',
  ),
  zone: optional(
    z.string(),
    'The time zone of wall-clock times, by its IANA name. With it, as: datetime returns UTC.',
    'Europe/Berlin',
  ),
  locale: optional(
    z.string(),
    'The language of month and day names, as a language tag. By default en.',
    'de',
    'pt-BR',
  ),
  unit: optional(z.enum(durationUnits), 'The unit of the result of as: duration.', 'hours'),
  hours_per_day: optional(
    z.number().positive().max(24),
    'The hours in a day of as: duration. With 24, a week has seven days, else five.',
    8,
  ),
  input_unit: optional(
    z.enum(inputUnits),
    'The unit of a number without one in a cell of as: duration. By default the unit of the result.',
    'seconds',
  ),
  country: optional(z.string(), 'The country of phone numbers without a country code.', 'GB'),
  extension: optional(
    z.enum(['keep', 'drop']),
    'The extension of a phone number is dropped (default), because E.164 has none, or kept after ;ext=.',
    'keep',
  ),
  default: optional(
    z.unknown(),
    'Replaces an empty value: a constant, a template, or another rule.',
    'medium',
    { from: 'Nickname' },
  ),
  required: optional(z.boolean(), 'An empty value makes the row invalid.', true),
  each: optional(
    z.unknown(),
    'The body of one list item; there "." is the item and ".name" one of its fields.',
    { email: { from: '.', as: 'email' } },
  ),
  empty: optional(z.null({ error: 'can only be null' }), 'Sends null for an empty value.', null),
})
export type Rule = z.infer<typeof ruleSchema>

const dates = ['date', 'datetime'] as const

/** The types that a setting is for. */
const typeSettings: { readonly [part in keyof Rule]?: readonly (typeof transformNames)[number][] } = {
  decimal: ['number', 'integer'],
  true: ['boolean'],
  false: ['boolean'],
  format: dates,
  zone: dates,
  unit: ['duration'],
  hours_per_day: ['duration'],
  input_unit: ['duration'],
  country: ['phone'],
  extension: ['phone'],
}

/** Faults that the schema cannot find, each with its part. */
export function ruleFaults(rule: Rule): readonly (readonly [part: keyof Rule, problem: FileProblem])[] {
  const faults: (readonly [keyof Rule, FileProblem])[] = []
  const need = (part: keyof Rule, needs: string, isMet: boolean) => {
    if (rule[part] !== undefined && !isMet)
      faults.push([part, fileProblem('requires_other_key', { part, needs })])
  }
  const [first, ...others] = ruleMarks.filter(mark => rule[mark] !== undefined)
  for (const mark of others)
    faults.push([mark, fileProblem('conflicting_keys', { marks: ruleMarks, first: String(first) })])
  const isDate = rule.as === 'date' || rule.as === 'datetime'
  need('with', 'join', rule.join !== undefined)
  need('otherwise', 'map or as', rule.map !== undefined || rule.as !== undefined)
  need('missing', 'lookup or expr', rule.lookup !== undefined || rule.expr !== undefined)
  need('locale', 'as: date or datetime, or expr', isDate || rule.expr !== undefined)
  for (const [part, types] of Object.entries(typeSettings))
    need(part as keyof Rule, `as: ${types.join(' or ')}`, rule.as !== undefined && types.includes(rule.as))
  if (rule.as === 'duration' && rule.unit === undefined)
    faults.push(['as', fileProblem('no_duration_unit', { units: durationUnits })])
  return faults
}
