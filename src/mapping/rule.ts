import { z } from 'zod'
import { type FileProblem, fileProblem } from '../model/problem.ts'

/** A name of a column. YAML reads `2024` as a number, which is a valid name too. */
export const column = z
  .union([z.string(), z.number()], { error: 'must be the name of a column' })
  .transform(name => String(name).trim())
const scalar = (error: string) => z.union([z.string(), z.number(), z.boolean()], { error }).transform(String)
export const cell = scalar('must be a value or a list of values')

/** The parts of a key: each has one name, or alternative ones. */
export const keySchema = z.union(
  [
    column.transform(name => [[name]]),
    z.array(z.union([column.transform(name => [name]), z.array(column).min(1)])).min(1),
  ],
  { error: 'must be a column or a list of columns; a list in the list has names for the same column' },
)
const word = scalar('must be a word')

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

const durationUnits = ['seconds', 'minutes', 'hours'] as const
const inputUnits = ['milliseconds', ...durationUnits] as const

export const ruleMarks = ['from', 'join', 'expr', 'value'] as const

/** Distinguishes rules from nested objects of `body`. */
export const isRule = (node: object): boolean =>
  ruleMarks.some(mark => Object.hasOwn(node, mark)) && !Object.hasOwn(node, 'custom_field_id') // its value has a kind

/** A column in a text. */
export const slotPattern = /\{\{(.*?)\}\}/gs

export const isTemplate = (text: string): boolean => text.search(slotPattern) !== -1

const replacement = z.strictObject({ pattern: z.string().min(1), with: z.string() })

/** Parts are applied in this order; scripts/mapping-keys.yaml says what each is for. */
export const ruleSchema = z.strictObject({
  from: oneOrMore(column).optional(),
  join: z.array(column).min(1).optional(),
  with: z.string().optional(),
  expr: z.string().optional(),
  value: z.unknown().optional(),
  optional: z.boolean().optional(),
  split: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  replace: z.array(replacement).optional(),
  case: z.enum(['lower', 'upper']).optional(),
  map: z.record(z.string(), z.unknown()).optional(),
  map_file: z.string().min(1).optional(),
  otherwise: z.enum(['invalid', 'keep', 'omit']).optional(),
  lookup: z.string().optional(),
  missing: z.enum(['invalid', 'omit']).optional(),
  as: z.enum(transformNames).optional(),
  decimal: z.enum(['.', ',']).optional(),
  true: z.array(word).min(1).optional(),
  false: z.array(word).min(1).optional(),
  format: oneOrMore(z.string().min(1)).optional(),
  zone: z.string().optional(),
  locale: z.string().optional(),
  unit: z.enum(durationUnits).optional(),
  hours_per_day: z.number().positive().max(24).optional(),
  input_unit: z.enum(inputUnits).optional(),
  country: z.string().optional(),
  extension: z.enum(['keep', 'drop']).optional(),
  default: z.unknown().optional(),
  required: z.boolean().optional(),
  each: z.unknown().optional(),
  empty: z.null({ error: 'can only be null' }).optional(),
})
export type Rule = z.infer<typeof ruleSchema>

/** The types that a setting is for. */
const typeSettings: { readonly [part in keyof Rule]?: readonly (typeof transformNames)[number][] } = {
  decimal: ['number', 'integer'],
  true: ['boolean'],
  false: ['boolean'],
  format: ['date', 'datetime'],
  unit: ['duration'],
  hours_per_day: ['duration'],
  input_unit: ['duration'],
  country: ['phone'],
  extension: ['phone'],
}

export type NoteFault = (part: keyof Rule, problem: FileProblem) => void

/** Notes faults that the schema cannot find. */
export function noteRuleFaults(rule: Rule, note: NoteFault): void {
  const need = (part: keyof Rule, needs: string, isMet: boolean) => {
    if (rule[part] !== undefined && !isMet) note(part, fileProblem('requires_other_key', { part, needs }))
  }
  const [first, ...others] = ruleMarks.filter(mark => rule[mark] !== undefined)
  for (const mark of others)
    note(mark, fileProblem('conflicting_keys', { marks: ruleMarks, first: String(first) }))
  const isDate = rule.as === 'date' || rule.as === 'datetime'
  need('with', 'join', rule.join !== undefined)
  need('otherwise', 'map, map_file or as', (rule.map ?? rule.map_file ?? rule.as) !== undefined)
  need('missing', 'lookup or expr', rule.lookup !== undefined || rule.expr !== undefined)
  for (const part of ['locale', 'zone'] as const)
    need(part, 'as: date or datetime, or expr', isDate || rule.expr !== undefined)
  for (const [part, types] of Object.entries(typeSettings))
    need(part as keyof Rule, `as: ${types.join(' or ')}`, rule.as !== undefined && types.includes(rule.as))
  if (rule.as === 'duration' && rule.unit === undefined)
    note('as', fileProblem('no_duration_unit', { units: durationUnits }))
}
