import { z } from 'zod'
import type { RowError } from '../model/outcome.ts'
import { isProblem, type Problem } from '../model/problem.ts'
import type { Row } from '../model/row.ts'
import { present, textOf } from '../model/values.ts'
import type { CompileContext } from './columns.ts'
import { compilePattern } from './pattern.ts'
import { cell, keySchema } from './rule.ts'
import { type Evaluate, quoteValue, scopeOf } from './scope.ts'

const cells = z
  .union([cell.transform(value => [value]), z.array(cell).min(1)], {
    error: 'must be a value or a list of values',
  })
  .transform(values => values.map(value => value.trim()))

const names = 'in, not, empty or matches'

/** Of a column; all must hold. */
export const conditionSchema = z
  .strictObject({
    in: cells.optional(),
    not: cells.optional(),
    empty: z.boolean().optional(),
    matches: z.string().min(1).optional(),
  })
  .refine(conditions => Object.keys(conditions).length > 0, `must have ${names}`)

type Conditions = z.output<typeof conditionSchema>
export interface Where {
  readonly distinct: z.output<typeof keySchema> | undefined
  readonly conditions: Readonly<Record<string, Conditions>>
}
export type WhereInput = Record<string, z.input<typeof cells | typeof conditionSchema | typeof keySchema>>

export const whereSchema: z.ZodType<Where, WhereInput> = z
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

/** Whether a row is imported, or why nobody knows. `distinct` reads columns of which one must be filled. */
export function compileWhere(
  conditions: Where['conditions'],
  distinct: readonly Evaluate[] | undefined,
  context: CompileContext,
): (row: Row) => boolean | RowError {
  const tests = Object.entries(conditions).map(([column, condition]) => {
    const holds = compileCondition(condition, column, context)
    const mayLack = context.isOptional && holds('') === true
    return { column, holds, read: context.columns.reader(column, ['where', column], mayLack) }
  })
  return row => {
    const scope = scopeOf(row)
    if (distinct?.every(read => read(scope) === undefined)) return false
    for (const { column, read, holds } of tests) {
      const text = textOf(present(read(scope)) ?? '')
      const result = holds(isProblem(text) ? undefined : text)
      if (isProblem(result)) return { path: '', column, value: quoteValue(text), ...result }
      if (!result) return false
    }
    return true
  }
}

/** An object is no text: it is not empty, equals nothing and matches nothing. */
function compileCondition(
  { in: included, not, empty, matches }: z.infer<typeof conditionSchema>,
  column: string,
  { yaml }: CompileContext,
): (text: string | undefined) => boolean | Problem {
  const pattern = matches && compilePattern(matches, fault => yaml.fault(['where', column, 'matches'], fault))
  const values = included && new Set<unknown>(included)
  const others = new Set<unknown>(not)
  return text => {
    if (values?.has(text) === false || others.has(text)) return false
    if (empty !== undefined && empty !== (text === '')) return false
    return !pattern || (text !== undefined && pattern.isIn(text))
  }
}
