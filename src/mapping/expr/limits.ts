import type { Expression } from 'jsonata'
import { lazyLibrary } from '../../model/package.ts'
import { isProblem, problem } from '../../model/problem.ts'
import { isObject, mostLevels } from '../../model/values.ts'
import { cpuMs } from '../../platform/process-info.ts'
import { inTime, longestQuick, tooLarge } from '../pattern.ts'
import { EvaluationEnd, longestText } from '../scope.ts'

export const jsonata = lazyLibrary<typeof import('jsonata')>('jsonata')

/** An expression over one row needs some dozens. */
const mostSteps = 200_000
const mostItems = 200_000
/** `$distinct` compares all of them with each other. */
const mostDistinct = 10_000

/** A search of its own that may take long counts by its time. */
const stepsPerMs = 200

/** Limits steps and sizes, which are counts and the same on every machine; only a slow search is ended by time. */
export function limit(expression: Expression) {
  let steps = 0
  let isTimed = false
  const count = (more: number) => {
    steps += more
    if (steps > mostSteps) throw new EvaluationEnd(problem('too_many_steps'))
  }
  limitFunction(expression, 'pad', '<s-ns?:s>', (_: unknown, width: number, filler?: string) => {
    if (Math.abs(width) * (filler?.length || 1) > longestText) throw tooLarge()
  })
  limitFunction(expression, 'distinct', '<x:x>', (values: unknown) => {
    if (Array.isArray(values) && values.length > mostDistinct) count(mostSteps)
  })
  limitFunction(expression, 'fromMillis', '<n-s?s?:s>', (ms: number) => {
    if (!(Math.abs(ms) <= 8.64e15)) throw new EvaluationEnd(problem('result_not_finite'))
  })
  expression.assign('__evaluate_entry', () => count(1))
  expression.assign('__evaluate_exit', (_: unknown, __: unknown, ___: unknown, result: unknown) => {
    if (!Array.isArray(result) && typeof result !== 'string') return
    if (result.length > (typeof result === 'string' ? longestText : mostItems)) throw tooLarge()
    count(result.length / (typeof result === 'string' ? 10_000 : 100))
  })
  const quick = Math.min(...patternsIn(expression.ast()).map(longestQuick))
  class RegexEngine extends RegExp {
    override exec(text: string): RegExpExecArray | null {
      count(0.1) // a long text has many matches
      if (isTimed || text.length <= quick) return super.exec(text)
      const startMs = cpuMs()
      const match = inTime(() => super.exec(text))
      count((cpuMs() - startMs) * stepsPerMs)
      return match
    }
  }
  /** Evaluates all in limited time if a text of the row may take long: a limit for each search would take longer than they do. */
  return (input: unknown, bindings: Record<string, unknown>): unknown => {
    steps = 0
    isTimed = quick < longestText && JSON.stringify(input).length > quick
    const evaluate = () => expression.evaluate(input, bindings)
    const library = Object.assign(jsonata(), { RegexEngine })
    try {
      return plainValue(isTimed ? inTime(evaluate) : evaluate())
    } finally {
      library.RegexEngine = RegExp // others in this process may use the library as well
    }
  }
}

/** The regular expressions in a syntax tree. */
function patternsIn(syntax: unknown): string[] {
  if (typeof syntax !== 'object' || syntax === null) return []
  return syntax instanceof RegExp ? [syntax.source] : Object.values(syntax).flatMap(patternsIn)
}

// biome-ignore lint/suspicious/noExplicitAny: JSONata checks them by the signature
type Builtin = (...args: any[]) => unknown

export const builtin = (name: string): Builtin => jsonata()(`$${name}`).evaluate(undefined).implementation

/** Checks what one of JSONata's own functions is called with: it runs as a single step. */
function limitFunction(expression: Expression, name: string, signature: string, check: Builtin): void {
  const own = builtin(name)
  const limited: Builtin = (...args) => {
    check(...args)
    return own(...args)
  }
  expression.registerFunction(name, limited, signature)
}

/** Copies a value of JSONata as plain JSON. Throws an EvaluationEnd if it is none, or too large. */
function plainValue(value: unknown): unknown {
  let items = 0
  return copy(value, 0)

  function copy(each: unknown, level: number): unknown {
    items += 1
    if (items > mostItems) throw tooLarge()
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
  (isObject(value) && ('_jsonata_lambda' in value || '_jsonata_function' in value))
