import type { Expression } from 'jsonata'
import { mappingFaults } from '../../model/mapping-faults.ts'
import { Problem, problems } from '../../model/problems.ts'
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
  const expression = parsed(source)
  if (expression instanceof Problem) {
    yaml.fault(at, mappingFaults.notAnExpression(expression.message))
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
          : problems.notEvaluated(source, reasonOf(error))
      }
    },
  }
}

function parsed(source: string): Expression | Problem {
  try {
    return jsonata()(source)
  } catch (error) {
    return new Problem(reasonOf(error))
  }
}

const reasonOf = (error: unknown) => {
  const { message, position } = error as { message: string; position?: number }
  return position === undefined ? message : `${message}, at its character ${position}`
}

/** What is wrong names the expression. */
const named = (result: unknown, source: string) =>
  result instanceof Problem ? problems.notEvaluated(source, result.message) : result
