import jsonata, { type Expression } from 'jsonata'
import { mappingFaults } from '../../model/mapping-faults.ts'
import { Problem, problems } from '../../model/problems.ts'
import { isTooDeep, mostLevels } from '../../model/values.ts'
import type { Workshop } from '../columns.ts'
import type { DocumentPath } from '../located-yaml.ts'
import { Pending } from '../lookups/looked-up.ts'
import type { Rule } from '../rule.ts'
import type { Evaluate } from '../scope.ts'
import { boundFunctions } from './bound-functions.ts'
import { Ended, limit, watched } from './limits.ts'
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
  const emptied = (value: unknown) => columns.emptied(value)
  return {
    columns: columnsIn(syntax),
    evaluate({ row, item }) {
      const input = rowInput(row, emptied)
      const once = () => expression.evaluate(input, { item })
      limits.restart()
      try {
        return plain(isWatched ? watched(once) : once(), source)
      } catch (error) {
        return error instanceof Ended
          ? named(error.result, source)
          : problems.notEvaluated(source, reasonOf(error))
      }
    },
  }
}

function parsed(source: string): Expression | Problem {
  try {
    return jsonata(source)
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

/** The value as JSON has it: without the marks that JSONata puts on its lists, and without functions. */
function plain(value: unknown, source: string): unknown {
  if (value instanceof Problem) return named(value, source)
  if (value instanceof Pending || typeof value !== 'object' || value === null)
    return typeof value === 'function' ? problems.notEvaluated(source, notAValue) : value
  if (isTooDeep(value)) return problems.notEvaluated(source, problems.tooDeep(mostLevels).message)
  const text = JSON.stringify(value, (_, each) => (isFunction(each) ? undefined : each))
  return text === undefined ? problems.notEvaluated(source, notAValue) : JSON.parse(text)
}

const notAValue = 'it gives a function, not a value'
const isFunction = (value: unknown) =>
  typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value)
