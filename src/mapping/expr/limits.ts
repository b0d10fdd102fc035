import type { Expression } from 'jsonata'
import { lazyLibrary } from '../../model/package.ts'
import { isProblem, problem } from '../../model/problem.ts'
import { mostLevels } from '../../model/values.ts'
import { BoundedPattern } from '../pattern.ts'
import { EvaluationEnd, longestText } from '../scope.ts'

export const jsonata = lazyLibrary<typeof import('jsonata')>('jsonata')

/** An expression over one row needs some dozens. */
const mostSteps = 200_000
const mostItems = 200_000
/** `$distinct` compares all of them with each other. */
const mostDistinct = 10_000

/** Searches that may take long count by their time, all others by their number. */
const stepsPerMs = 200

/** Stops too many steps and too large values; both are counts, the same on every machine. */
export function limit(expression: Expression) {
  let steps = 0
  const count = (more: number) => {
    steps += more
    if (steps > mostSteps) throw new EvaluationEnd(problem('too_many_steps'))
  }
  limitFunction(expression, 'pad', '<s-ns?:s>', (_: unknown, width: number, filler?: string) => {
    if (Math.abs(width) * (filler?.length || 1) > longestText)
      throw new EvaluationEnd(problem('result_too_large'))
  })
  limitFunction(expression, 'distinct', '<x:x>', (values: unknown) => {
    if (Array.isArray(values) && values.length > mostDistinct) count(mostSteps)
  })
  expression.assign('__evaluate_entry', () => count(1))
  expression.assign('__evaluate_exit', (_: unknown, __: unknown, ___: unknown, result: unknown) => {
    if (!Array.isArray(result) && typeof result !== 'string') return
    if (result.length > (typeof result === 'string' ? longestText : mostItems))
      throw new EvaluationEnd(problem('result_too_large'))
    count(result.length / (typeof result === 'string' ? 10_000 : 100))
  })
  boundPatterns(expression.ast())
  const RegexEngine: unknown = searchEngine(count)
  return (evaluate: () => unknown): unknown => {
    steps = 0
    const library = Object.assign(jsonata(), { RegexEngine })
    try {
      return evaluate()
    } finally {
      library.RegexEngine = RegExp // others in this process may use the library as well
    }
  }
}

/** Replaces the regular expressions of a syntax tree by bounded ones. */
function boundPatterns(syntax: unknown): void {
  if (typeof syntax !== 'object' || syntax === null) return
  if ('value' in syntax && syntax.value instanceof RegExp)
    syntax.value = new BoundedPattern(syntax.value.source, syntax.value.flags)
  else for (const part of Object.values(syntax)) boundPatterns(part)
}

/** JSONata makes one from a pattern for each evaluation, and calls `exec`. */
const searchEngine = (count: (steps: number) => void) =>
  function search(pattern: BoundedPattern) {
    let searched = ''
    /** Matches of the text, from the last one on. */
    let ahead: RegExpExecArray[] = []
    const matchFrom = (text: string, from: number): RegExpExecArray | undefined => {
      const known = text === searched && (ahead[0]?.index ?? from) <= from
      const at = known ? ahead.findIndex(({ index }) => index >= from) : -1
      if (at !== -1) ahead = ahead.slice(at)
      else {
        const startMs = performance.now()
        ahead = pattern.matches(text, from)
        searched = text
        if (pattern.mayTakeLong(text)) count((performance.now() - startMs) * stepsPerMs)
      }
      return ahead[0]
    }
    return {
      lastIndex: 0,
      exec(text: string): RegExpExecArray | null {
        count(0.1) // a long text has many matches
        const match = matchFrom(text, this.lastIndex)
        this.lastIndex = match === undefined ? 0 : match.index + match[0].length
        return match ?? null
      },
    }
  }

// biome-ignore lint/suspicious/noExplicitAny: JSONata checks them by the signature
type Builtin = (...args: any[]) => unknown

/** Checks what one of JSONata's own functions is called with: it runs as a single step. */
function limitFunction(expression: Expression, name: string, signature: string, check: Builtin): void {
  const own: Builtin = jsonata()(`$${name}`).evaluate(undefined).implementation
  const limited: Builtin = (...args) => {
    check(...args)
    return own(...args)
  }
  expression.registerFunction(name, limited, signature)
}

/** Copies a value of JSONata as plain JSON. Throws an EvaluationEnd if it is none, or too large. */
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
