import { problems } from '../model/problems.ts'
import type { Fault, RowError } from '../model/row.ts'

/** What an answer means that nobody documented (DESIGN 5, interface 7), as the person who runs the import knows it. */
export interface AnswerRule {
  /** The statuses that it speaks of; undefined for all. */
  readonly statuses?: readonly number[] | undefined
  /** A part of the answer's text, in small letters; undefined for any text. */
  readonly part?: string | undefined
  readonly means: Fault
}

/** As many characters of an answer are searched. */
const longestSearched = 100_000

/**
 * The first rule that speaks of an answer that is no success, in the sense of DESIGN 5; undefined for an attempt without
 * one. `text` is undefined where the answer broke off: one that would have been a success stays what it is, and a rule
 * that calls for caution counts whatever it might have held.
 */
export function matchingRule(
  rules: readonly AnswerRule[],
  httpStatus: number | undefined,
  text: string | undefined,
): AnswerRule | undefined {
  if (httpStatus === undefined || (text === undefined && httpStatus < 300)) return undefined
  const ofStatus = rules.filter(({ statuses }) => statuses?.includes(httpStatus) ?? true)
  if (ofStatus.length === 0) return undefined
  const searched = text?.slice(0, longestSearched).toLowerCase()
  return ofStatus.find(
    ({ part, means }) => part === undefined || (searched?.includes(part) ?? means === 'ambiguous'),
  )
}

/** What an attempt came to, and that a rule says what it means. */
export const toldWith = (rule: AnswerRule | undefined, error: RowError): RowError =>
  rule === undefined ? error : { ...error, message: problems.byRule(error.message, rule.means).message }
