import { createContext, Script } from 'node:vm'
import type { Expression, ExprNode } from 'jsonata'
import { type Problem, problem } from '../../model/problem.ts'
import { jsonata } from '../libraries.ts'

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
 * fate on every machine, and where its size can be told beforehand, before it is made. What hangs within a step is a matter
 * of the clock, see `watched`.
 */
export function limit(expression: Expression): { restart(): void } {
  let steps = 0
  const ranges = new Ranges()
  boundPad(expression)
  expression.assign('__evaluate_entry', (node: ExprNode) => {
    steps += 1
    if (steps > mostSteps) throw new Cut(problem('endless'))
    ranges.enter(node)
  })
  expression.assign('__evaluate_exit', (node: ExprNode, _: unknown, __: unknown, result: unknown) => {
    ranges.exit(node, result)
    const isTooLarge = Array.isArray(result)
      ? result.length > mostItems
      : typeof result === 'string' && result.length > longestText
    if (isTooLarge) throw new Cut(problem('too_much'))
  })
  return {
    restart() {
      steps = 0
      ranges.restart()
    },
  }
}

/** Knows the ranges that are being evaluated, one within the other. */
class Ranges {
  #open: { readonly node: ExprNode; from: unknown }[] = []

  restart(): void {
    if (this.#open.length > 0) this.#open = []
  }

  enter(node: ExprNode): void {
    if (node.value === '..' && node.type === 'binary') this.#open.push({ node, from: undefined })
  }

  /** Throws a Cut once both ends of a range are known that holds too much. */
  exit(node: ExprNode, result: unknown): void {
    const range = this.#open.at(-1)
    if (range === undefined) return
    if (node === range.node.lhs) range.from = only(result)
    else if (node === range.node.rhs) {
      if (Number(only(result)) - Number(range.from) >= mostItems) throw new Cut(problem('too_much'))
    } else if (node === range.node) this.#open.pop()
  }
}

/** A path gives a list even where it found one value. */
const only = (result: unknown) => (Array.isArray(result) && result.length === 1 ? result[0] : result)

type Pad = (text: unknown, width: number, filler?: string) => unknown

/** JSONata's own `$pad` makes a list of so many items first, and ends the process where the filler is long. */
function boundPad(expression: Expression): void {
  const own: Pad = jsonata()('$pad').evaluate(undefined).implementation
  const pad: Pad = (text, width, filler) => {
    if (Math.abs(width) * (filler?.length || 1) > longestText) throw new Cut(problem('too_much'))
    return own(text, width, filler)
  }
  expression.registerFunction('pad', pad, '<s-ns?:s>')
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
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return problem('endless')
    throw error
  }
}
