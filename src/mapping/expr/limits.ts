import { createContext, Script } from 'node:vm'
import type { Expression } from 'jsonata'
import { lazyLibrary } from '../../model/package.ts'
import { isProblem, problem } from '../../model/problem.ts'
import { mostLevels } from '../../model/values.ts'

export const jsonata = lazyLibrary<typeof import('jsonata')>('jsonata')

/** An expression over one row needs some dozens. */
const mostSteps = 200_000
const mostItems = 200_000
const longestText = 10_000_000
const longestMs = 1_000

/** Ends an evaluation with a Problem or a Pending. */
export class EvaluationEnd {
  readonly result: unknown
  constructor(result: unknown) {
    this.result = result
  }
}

/** Stops too many steps and too large values; counts are the same on every machine. Call the result before each evaluation. */
export function limit(expression: Expression): () => void {
  let steps = 0
  expression.registerFunction('pad', limitedPad(), '<s-ns?:s>')
  expression.assign('__evaluate_entry', () => {
    steps += 1
    if (steps > mostSteps) throw new EvaluationEnd(problem('too_many_steps'))
  })
  expression.assign('__evaluate_exit', (_: unknown, __: unknown, ___: unknown, result: unknown) => {
    const isTooLarge = Array.isArray(result)
      ? result.length > mostItems
      : typeof result === 'string' && result.length > longestText
    if (isTooLarge) throw new EvaluationEnd(problem('result_too_large'))
  })
  return () => {
    steps = 0
  }
}

type Pad = (text: unknown, width: number, filler?: string) => unknown

/** JSONata's own `$pad` makes a list of that many items, and ends the process when the filler is long. */
function limitedPad(): Pad {
  const pad: Pad = jsonata()('$pad').evaluate(undefined).implementation
  return (text, width, filler) => {
    if (Math.abs(width) * (filler?.length || 1) > longestText)
      throw new EvaluationEnd(problem('result_too_large'))
    return pad(text, width, filler)
  }
}

const context = createContext({ evaluate: () => {} })
const call = new Script('evaluate()')

/** Ends a single step that hangs, such as a regular expression, after a second. It costs a thread for each call. */
export function evaluateWithTimeout(evaluate: () => unknown): unknown {
  let result: unknown
  context.evaluate = () => {
    result = evaluate()
  }
  try {
    call.runInContext(context, { timeout: longestMs })
    return result
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return problem('too_many_steps')
    throw error
  }
}

/** Copies a value of JSONata as plain JSON. Throws an EvaluationEnd where it is none, or too large. */
export function plainValue(value: unknown): unknown {
  let items = 0
  return copy(value, 0)

  function copy(each: unknown, level: number): unknown {
    items += 1
    if (items > mostItems) throw new EvaluationEnd(problem('result_too_large'))
    if (level > mostLevels) throw new EvaluationEnd(problem('too_deep', { levels: mostLevels }))
    if (isProblem(each)) return each
    if (typeof each === 'number' && !Number.isFinite(each))
      throw new EvaluationEnd(problem('result_not_finite'))
    if (isFunction(each)) throw new EvaluationEnd(problem('result_is_function'))
    if (typeof each !== 'object' || each === null) return each
    if (Array.isArray(each)) return each.map(item => copy(item, level + 1))
    return Object.fromEntries(Object.entries(each).map(([name, field]) => [name, copy(field, level + 1)]))
  }
}

const isFunction = (value: unknown) =>
  typeof value === 'function' ||
  (typeof value === 'object' &&
    value !== null &&
    ('_jsonata_lambda' in value || '_jsonata_function' in value))
