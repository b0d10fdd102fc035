import { lazyLibrary } from '../model/package.ts'
import { type FileProblem, fileProblem, isProblem, type Problem, problem } from '../model/problem.ts'
import { EvaluationEnd, longestText } from './scope.ts'

const re2 = lazyLibrary<typeof import('re2js')>('re2js')

/** Each engine takes about a second for its own. */
const mostSteps = 1e9
const mostLinearSteps = 1e7
/** So many characters are searched also with what RE2 does not know: few patterns take as many steps as they might. */
const mostUnknown = 1_000
/** Of a pattern, in instructions. */
const usualSize = 20

/** No text makes it slow: where the native engine could take too many steps, RE2 searches in linear time. */
export class BoundedPattern {
  readonly native: RegExp
  readonly #longest: number
  #linear: RegExp | undefined | 'unknown' = 'unknown'

  /** Throws a SyntaxError. */
  constructor(source: string, flags: string) {
    this.native = new RegExp(source, flags)
    this.#longest = mostSteps ** (1 / (choicesIn(source) + 1))
  }

  /** No text is short enough for the native engine, and RE2 does not know the syntax. */
  get isEndless(): boolean {
    return this.#longest <= 1 && this.#linearEngine() === undefined
  }

  /** The engine for a text. Throws an EvaluationEnd for a long one where RE2 does not know the syntax (look-around, back-references). */
  for(text: string): RegExp {
    const isShort = text.length <= this.#longest
    const engine = isShort
      ? this.native
      : (this.#linearEngine() ?? (text.length <= mostUnknown && this.native))
    if (!engine) throw new EvaluationEnd(problem('too_many_steps'))
    return engine
  }

  /** Whether the text has a match, or why nobody knows. */
  isIn(text: string): boolean | Problem {
    const marked = this.replace(text, '$&.')
    return isProblem(marked) ? marked : marked !== text
  }

  /** The text with its matches replaced, as JavaScript does it, or why they cannot be. */
  replace(text: string, replacement: string): string | Problem {
    const pattern = this.native.source
    const isWide = /\$[`']/.test(replacement) && text.length ** 2 > longestText // all that is beside each match
    try {
      const result = isWide ? undefined : text.replace(this.for(text), replacement)
      if (result !== undefined && result.length <= longestText) return result
    } catch (error) {
      if (error instanceof EvaluationEnd)
        return problem('replace_failed', { pattern, reason: problem('too_many_steps') })
      if (!(error instanceof RangeError)) throw error // longer than any text
    }
    return problem('replace_failed', { pattern, reason: problem('result_too_large') })
  }

  #linearEngine(): RegExp | undefined {
    if (this.#linear === 'unknown') this.#linear = linearOf(this.native)
    return this.#linear
  }
}

/** Undefined where it is no pattern; `fault` takes what is wrong with it. */
export function compilePattern(pattern: string, fault: (fault: FileProblem) => void) {
  try {
    const bounded = new BoundedPattern(pattern, 'gu')
    if (bounded.isEndless) fault(fileProblem('endless_pattern', { pattern }))
    return bounded
  } catch (error) {
    return fault(fileProblem('bad_pattern', { reason: (error as Error).message }))
  }
}

const escapeOrClass = /\\.|\[(?:\\.|[^\]\\])*\]/gsu
const groupStart = /\((?:\?(?:<?[=!]|:|<\w+>))?/g
const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/g
const innermostGroup = /\(([^()]*)\)([*+{])?/

/** How many times a search chooses at a character; infinite where a repeated group repeats or chooses itself. */
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

const blanks = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
const noBlanks = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`

/** The classes of JavaScript in the syntax of RE2, whose own are of ASCII. */
function toRe2(source: string): string {
  const inClass = (text: string) => text.replaceAll('\\s', blanks).replaceAll('\\S', noBlanks)
  return source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|\./gsu, part => {
    if (part === '.') return String.raw`[^\n\r\x{2028}\x{2029}]`
    if (part === '\\s' || part === '\\S') return `[${inClass(part)}]`
    return part.startsWith('[') ? part.replaceAll(/\\./gsu, inClass) : part
  })
}

/** A text for RE2. Throws an EvaluationEnd after too many steps, of which a pattern of that size takes some for each character. */
class CountedText extends String {
  readonly #size: number
  #left = mostLinearSteps
  constructor(text: string, size: number) {
    super(text)
    this.#size = size
  }
  count(steps: number): void {
    this.#left -= steps * Math.max(1, this.#size / usualSize)
    if (this.#left < 0) throw new EvaluationEnd(problem('too_many_steps'))
  }
  override charCodeAt(at: number): number {
    this.count(1)
    return super.charCodeAt(at)
  }
  override indexOf(part: string, from: number): number {
    const at = super.indexOf(part, from)
    this.count(((at === -1 ? this.length : at) - from) / 20)
    return at
  }
}

/** The same with RE2; undefined where that does not know the syntax. */
function linearOf(native: RegExp): RegExp | undefined {
  const { RE2JS } = re2()
  const flags = (native.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (native.multiline ? RE2JS.MULTILINE : 0)
  let engine: import('re2js').RE2JS
  try {
    engine = RE2JS.compile(RE2JS.translateRegExp(toRe2(native.source)), flags)
  } catch {
    return undefined
  }
  const names = Object.keys(engine.namedGroups())
  const linear = new RegExp(native)
  const size = engine.programSize()
  let counted = new CountedText('', size)
  linear.exec = text => {
    if (linear.lastIndex === 0 || `${counted}` !== text) counted = new CountedText(text, size)
    counted.count(20)
    const matcher = engine.matcher(counted as unknown as string)
    const isFound = linear.lastIndex <= text.length && matcher.find(linear.lastIndex)
    linear.lastIndex = isFound ? matcher.end() : 0
    if (!isFound) return null
    const group = (at: string | number) => matcher.group(at) ?? undefined
    const groups = names.length === 0 ? undefined : Object.fromEntries(names.map(name => [name, group(name)]))
    const match = Array.from({ length: matcher.groupCount() + 1 }, (_, at) => group(at))
    return Object.assign(match, { index: matcher.start(), input: text, groups }) as RegExpExecArray
  }
  return linear
}
