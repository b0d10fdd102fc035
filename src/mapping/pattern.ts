import { type Context, createContext, Script } from 'node:vm'
import { type FileProblem, fileProblem, type Problem, problem } from '../model/problem.ts'
import { EvaluationEnd, longestText } from './scope.ts'

/** The engine takes about a second for them. */
const mostSteps = 1e9
const longestMs = 1_000
const mostAtOnce = 1_000

const script = new Script('search()')
let context: Context | undefined

/** Ends a search after a second, for a tenth of a millisecond. Throws an EvaluationEnd then. */
function inTime<T>(search: () => T): T {
  context ??= createContext({})
  context.search = search
  try {
    return script.runInContext(context, { timeout: longestMs }) as T
  } catch (error) {
    const isLate = (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    // a RangeError comes from a search with too many ways to go back
    throw isLate || error instanceof RangeError ? new EvaluationEnd(problem('too_many_steps')) : error
  }
}

/** A regular expression that no text keeps busy for longer than about a second. */
export class BoundedPattern {
  readonly #native: RegExp
  /** Shorter texts cannot take long. */
  readonly #shortestSlow: number

  /** Throws a SyntaxError. */
  constructor(source: string, flags: string) {
    this.#native = new RegExp(source, flags)
    this.#shortestSlow = mostSteps ** (1 / (choicesIn(source) + 1))
  }

  mayTakeLong(text: string): boolean {
    return text.length > this.#shortestSlow
  }

  /**
   * Finds the first match from a place on, and up to a thousand if the search is limited: a limit for each would take longer than the
   * search. Throws an EvaluationEnd after a second.
   */
  matches(text: string, from: number): RegExpExecArray[] {
    const most = this.mayTakeLong(text) ? mostAtOnce : 1
    return this.#search(text, pattern => {
      pattern.lastIndex = from
      const found: RegExpExecArray[] = []
      for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
        if (match[0] === '') pattern.lastIndex += 1
        if (found.push(match) === most) break
      }
      return found
    })
  }

  /** Whether the text has a match, or why nobody knows. */
  isIn(text: string): boolean | Problem {
    return this.#orProblem(() => this.#search(text, pattern => text.search(pattern) !== -1))
  }

  /** The text with its matches replaced, as JavaScript does it, or why they cannot be. */
  replace(text: string, replacement: string): string | Problem {
    const tooLarge = new EvaluationEnd(problem('result_too_large'))
    return this.#orProblem(() => {
      if (/\$[`']/.test(replacement) && text.length ** 2 > longestText) throw tooLarge // all beside each match
      const result = this.#search(text, pattern => text.replace(pattern, replacement))
      if (result.length > longestText) throw tooLarge
      return result
    })
  }

  #search<T>(text: string, search: (native: RegExp) => T): T {
    return this.mayTakeLong(text) ? inTime(() => search(this.#native)) : search(this.#native)
  }

  #orProblem<T>(search: () => T): T | Problem {
    const failure = (reason: Problem) => problem('replace_failed', { pattern: this.#native.source, reason })
    try {
      return search()
    } catch (error) {
      if (error instanceof EvaluationEnd) return failure(error.result as Problem)
      if (error instanceof RangeError) return failure(problem('result_too_large')) // longer than any text
      throw error
    }
  }
}

/** Undefined if it is no pattern; `fault` takes the reason. */
export function compilePattern(pattern: string, fault: (fault: FileProblem) => void) {
  try {
    return new BoundedPattern(pattern, 'gu')
  } catch (error) {
    return fault(fileProblem('bad_pattern', { reason: (error as Error).message }))
  }
}

const escapeOrClass = /\\.|\[(?:\\.|[^\]\\])*\]/gsu
const groupStart = /\((?:\?(?:<?[=!]|:|<\w+>))?/g
const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/g
const innermostGroup = /\(([^()]*)\)([*+{])?/

/** How many times a search chooses at a character; infinite if a repeated group repeats or chooses itself. */
function choicesIn(source: string): number {
  let rest = source.replaceAll(escapeOrClass, 'x').replaceAll(groupStart, '(')
  let choices = rest.match(quantifier)?.length ?? 0
  for (let group = innermostGroup.exec(rest); group !== null; group = innermostGroup.exec(rest)) {
    const [all, content = '', repeated] = group
    const chooses = /[*+?{|]/.test(content)
    if (chooses && repeated !== undefined) return Number.POSITIVE_INFINITY
    if (content.includes('|')) choices += 1
    rest = rest.replace(all, () => (chooses ? 'x?' : 'x') + (repeated ?? ''))
  }
  return choices
}
