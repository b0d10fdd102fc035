import { createContext, Script } from 'node:vm'
import type { Expression } from 'jsonata'
import { type Problem, problems } from '../../model/problems.ts'

/** What an evaluation may take; an expression over one row needs some dozens of steps. */
const mostSteps = 200_000
export const mostItems = 200_000
const longestText = 10_000_000
const longestMs = 1_000

/** Ends an evaluation: with what is wrong, or with what it has to wait for. */
export class Cut {
  readonly result: unknown
  constructor(result: unknown) {
    this.result = result
  }
}

/**
 * Lets an expression end when it takes too many steps, or makes something too large: counted, so that a row has the same
 * fate on every machine. What hangs within a step is a matter of the clock, see `watched`.
 */
export function limit(expression: Expression): { restart(): void } {
  let steps = 0
  expression.assign('__evaluate_entry', () => {
    steps += 1
    if (steps > mostSteps) throw new Cut(problems.endless())
  })
  expression.assign('__evaluate_exit', (_: unknown, __: unknown, ___: unknown, result: unknown) => {
    const isTooLarge = Array.isArray(result)
      ? result.length > mostItems
      : typeof result === 'string' && result.length > longestText
    if (isTooLarge) throw new Cut(problems.tooMuch())
  })
  return {
    restart() {
      steps = 0
    },
  }
}

const room = createContext({ evaluate: () => {} })
const call = new Script('evaluate()')

/** Runs what may hang within one step, as a regular expression can, and ends it after a second: this costs a thread a call. */
export function watched(evaluate: () => unknown): unknown | Problem {
  let result: unknown
  room.evaluate = () => {
    result = evaluate()
  }
  try {
    call.runInContext(room, { timeout: longestMs })
    return result
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return problems.endless()
    throw error
  }
}
