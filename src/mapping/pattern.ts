import { type Context, createContext, Script } from 'node:vm'
import { type FileProblem, fileProblem, type Problem, problem } from '../model/problem.ts'
import { cpuMs } from '../platform/process-info.ts'
import { EvaluationEnd, longestText } from './scope.ts'

/** The engine takes about a second for them. */
const mostSteps = 1e9
const longestMs = 1_000

const script = new Script('search()')
let context: Context | undefined

export const tooLarge = () => new EvaluationEnd(problem('result_too_large'))

/** Ends a search after a second, for a tenth of a millisecond. Throws an EvaluationEnd then. */
export function inTime<T>(search: () => T, mostMs = longestMs): T {
  context ??= createContext({})
  context.search = search
  const startMs = cpuMs()
  try {
    return script.runInContext(context, { timeout: mostMs }) as T
  } catch (error) {
    const isLate = (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    const wasPaused = cpuMs() - startMs < longestMs / 5 // other processes had the time
    if (isLate && wasPaused && mostMs === longestMs) return inTime(search, 10 * longestMs)
    // a RangeError comes from a search with too many ways to go back
    throw isLate || error instanceof RangeError ? new EvaluationEnd(problem('too_many_steps')) : error
  }
}

/** A regular expression that no text keeps busy for longer than about a second; undefined for what is none: `fault` takes the reason. */
export function compilePattern(source: string, fault: (fault: FileProblem) => void) {
  let native: RegExp
  try {
    native = new RegExp(source, 'gu')
  } catch (error) {
    return fault(fileProblem('bad_pattern', { reason: (error as Error).message }))
  }
  const quick = longestQuick(source)
  const failure = (reason: Problem) => problem('replace_failed', { pattern: native.source, reason })
  const bounded = <T>(text: string, search: () => T): T | Problem => {
    try {
      return text.length > quick ? inTime(search) : search()
    } catch (error) {
      if (error instanceof EvaluationEnd) return failure(error.result as Problem)
      if (error instanceof RangeError) return failure(problem('result_too_large')) // longer than any text
      throw error
    }
  }
  return {
    /** Returns whether the text has a match, or why nobody knows. */
    isIn: (text: string): boolean | Problem => bounded(text, () => text.search(native) !== -1),
    /** Returns the text with its matches replaced, as JavaScript does it, or why they cannot be. */
    replace(text: string, replacement: string): string | Problem {
      const addsAllBeside = /\$[`']/.test(replacement) // what is before or after each match
      return bounded(text, () => {
        if (addsAllBeside && text.length ** 2 > longestText) throw tooLarge()
        const result = text.replace(native, replacement)
        if (result.length > longestText) throw tooLarge()
        return result
      })
    },
  }
}

/** The length of the longest text in which a search for the pattern cannot take long. */
export const longestQuick = (source: string): number => mostSteps ** (1 / (choicesIn(source) + 1))

const escapeOrClass = /\\.|\[(?:\\.|[^\]\\])*\]/gsu
const groupStart = /\((?:\?(?:<?[=!]|:|<\w+>))?/g
const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/g
const innermostGroup = /\(([^()]*)\)([*+{])?/

/** Counts how many times a search chooses at a character; infinite if a repeated group repeats or chooses itself. */
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
