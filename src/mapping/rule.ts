import { z } from 'zod'
import { mappingFaults } from '../model/mapping-faults.ts'
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

/** A rule's parts, in the order in which they are applied (DESIGN 2.2). */
export const ruleSchema = z.strictObject({
  from: oneOrMore(column).optional(),
  join: z.array(column).min(1).optional(),
  optional: z.boolean().optional(),
  with: z.string().optional(),
  expr: z.string().optional(),
  value: z.json().optional(),
  split: z.string().min(1).optional(),
  replace: z.array(z.strictObject({ pattern: z.string().min(1), with: z.string() })).optional(),
  case: z.enum(['lower', 'upper']).optional(),
  map: z.record(z.string(), z.json()).optional(),
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
  default: z.json().optional(),
  required: z.boolean().optional(),
  each: z.json().optional(),
  empty: z.null({ error: 'can only be null' }).optional(),
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
export function ruleFaults(rule: Rule): readonly (readonly [part: keyof Rule, message: string])[] {
  const marks = ruleMarks.filter(mark => rule[mark] !== undefined)
  const faults: (readonly [keyof Rule, string])[] = marks
    .slice(1)
    .map(mark => [mark, mappingFaults.twoMarks(ruleMarks, String(marks[0]))] as const)
  for (const [part, needs, holds] of companions)
    if (rule[part] !== undefined && !holds(rule)) faults.push([part, mappingFaults.lonely(part, needs)])
  if (rule.as === 'duration' && rule.unit === undefined)
    faults.push(['as', mappingFaults.noUnit(durationUnits)])
  return faults
}
