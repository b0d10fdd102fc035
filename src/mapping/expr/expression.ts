import type { Expression } from 'jsonata'
import { fileProblem, isProblem, problem } from '../../model/problem.ts'
import type { Workshop } from '../columns.ts'
import { jsonata } from '../libraries.ts'
import type { DocumentPath } from '../located-yaml.ts'
import type { Rule } from '../rule.ts'
import type { Evaluate } from '../scope.ts'
import { boundFunctions } from './bound-functions.ts'
import { Cut, limit, watched } from './limits.ts'
import { plainValue } from './plain-value.ts'
import { rowInput } from './row-input.ts'
import { columnsIn, hasLongSteps } from './syntax.ts'

/** An expression made ready, and the columns of the row that it names. */
export interface CompiledExpression {
  readonly columns: readonly string[]
  /** Gives its value, a Problem, or what it waits for. */
  readonly evaluate: Evaluate
}

/**
 * Makes a JSONata expression ready, once for all rows; the row is its input, in `each` the item is `$item`. Notes a fault
 * where it cannot be parsed.
 */
export function compileExpression(
  source: string,
  rule: Rule,
  at: DocumentPath,
  { yaml, columns, lookups, lookupNames }: Workshop,
): CompiledExpression {
  const expression = parse(source)
  if ('reason' in expression) {
    yaml.fault(at, fileProblem('not_an_expression', expression))
    return { columns: [], evaluate: () => undefined }
  }
  const { missing = 'invalid', locale = 'en' } = rule
  for (const [name, bound] of Object.entries(boundFunctions({ lookups, lookupNames, missing, locale })))
    expression.registerFunction(name, bound)
  const limits = limit(expression)
  const syntax: unknown = expression.ast()
  const isWatched = hasLongSteps(syntax)
  return {
    columns: columnsIn(syntax),
    evaluate({ row, item }) {
      const input = rowInput(row, columns)
      const once = () => expression.evaluate(input, { item })
      limits.restart()
      try {
        return named(plainValue(isWatched ? watched(once) : once()), source)
      } catch (error) {
        return error instanceof Cut
          ? named(error.result, source)
          : problem('not_evaluated', { expression: source, reason: reasonOf(error) })
      }
    },
  }
}

function parse(source: string): Expression | { readonly reason: string } {
  try {
    return jsonata()(source)
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

const reasonOf = (error: unknown) => {
  const { message, position } = error as { message: string; position?: number }
  return position === undefined ? message : `${message}, at its character ${position}`
}

/** What is wrong names the expression. */
const named = (result: unknown, source: string) =>
  isProblem(result) ? problem('not_evaluated', { expression: source, reason: result }) : result
