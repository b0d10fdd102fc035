import { sign } from './json-pattern.ts'
import type { Failed, InDoubt } from './row.ts'

/** Answers that look like throttling and were not taken for it. */
export interface LikeThrottling {
  readonly httpStatus: number
  /** A part of the text of each of them, in small letters; undefined where the status alone speaks. */
  readonly words: string | undefined
  count: number
}

/** Statuses that no standard knows, and services use for it. */
const statuses = new Set([420, 509, 529])

/** What the limit of a length, a size or a plan is called: to wait does not help there. */
const otherLimits =
  'characters?|length|size|storage|space|disk|mailbox|seats?|licen[cs]es?|plan|contacts?|records?|tasks?|users?|files?|items?|rows?|fields?|columns?|words?|uploads?|attachments?|memory|depth|budget|credit|time|text|name'
const noOther = `(?<![a-z])(?<!(?:${otherLimits})[ _-])`
const over = '(?:exceeded|reached|hit|exhausted)'
const what =
  '(?:your|the|its|this|current|maximum|max|daily|hourly|monthly|api|requests?|calls?|usage|burst|concurrency)'
const between = `(?:[ :,/_-]*(?:of|for|per|an?|the|your|this|has|have|been|was|is|are|requests?|calls?|queries|api|minutes?|min|seconds?|s|hours?|days?|${sign})(?![a-z]))`

const phrases = [
  '(?<![a-z])rate[ _-]?limit',
  '(?<![a-z])too[ _-]?many[ _-]?(?:(?:api|concurrent|simultaneous|parallel|recent)[ _-]?)?(?:requests|calls|queries|connections|attempts)',
  '(?<![a-z])throttl(?:ing|ed|es|e)?',
  `${noOther}(?:${what}[ _-]?)*quota[ _-]?(?:(?:has been|was|is|limit) )?${over}`,
  `${over} (?:${what} )*quota`,
  '(?<![a-z])slow[ _-]?down',
  `${noOther}(?:${what}[ _-]?)*limit${between}{0,12}[ _-]?${over}`,
  `${over} (?:${what} )*limit`,
].map(phrase => new RegExp(phrase))
/** What a service also says when something else went wrong. */
const vague = [
  /(?<![a-z])(?:re)?try (?:(?:your|the|this) (?:request|call) )?again (?:later|soon|in|after)/,
  /(?<![a-z])retry[ _-]?(?:after|later|in)(?![a-z])/,
]
const otherTrouble = /internal|unexpected|went wrong|unknown error|maintenance|exception|not available/

/**
 * What makes an answer look like throttling that was taken for something else: the words, which stand in its text as they
 * are here, or its status. `pattern` is what the text says without what differs from row to row. Undefined where nothing does,
 * and where a rule has decided.
 */
export function likeThrottling(
  { fault, byRule, httpStatus, errors }: Failed | InDoubt,
  pattern: string | undefined,
): Omit<LikeThrottling, 'count'> | undefined {
  if (byRule || httpStatus === undefined || fault === 'throttled') return undefined
  const words = throttlingWords(pattern ?? '', errors[0]?.body ?? '')
  return words === undefined && !statuses.has(httpStatus) ? undefined : { httpStatus, words }
}

function throttlingWords(pattern: string, text: string): string | undefined {
  const lower = pattern.toLowerCase()
  const known = otherTrouble.test(lower) ? phrases : [...phrases, ...vague]
  const whole = text.toLowerCase()
  for (const phrase of known) {
    const words = longestPart(phrase.exec(lower)?.[0])
    if (words !== undefined && whole.includes(words)) return words
  }
  return undefined
}

/** The longest part of a phrase that is always the same, if it says enough. */
function longestPart(phrase: string | undefined): string | undefined {
  if (phrase === undefined || !phrase.includes(sign)) return phrase
  const parts = phrase.split(sign).map(part => part.trim())
  return parts.filter(part => part.includes(' ')).sort((a, b) => b.length - a.length)[0]
}
