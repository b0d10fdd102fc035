import { problem } from '../../model/problem.ts'
import { onText, type Transform } from './transform.ts'

/** What is taken for yes and no where a rule names no words. */
export const yesWords = ['true', 'yes', 'y', '1', 'on', 'x']
export const noWords = ['false', 'no', 'n', '0', 'off']

/** Reads yes and no by lists of words, without case; booleans of NDJSON rows pass as they are. */
export function booleanTransform(
  trueWords: readonly string[] = yesWords,
  falseWords: readonly string[] = noWords,
): Transform {
  const known = new Map([
    ...falseWords.map(word => [word.trim().toLowerCase(), false] as const),
    ...trueWords.map(word => [word.trim().toLowerCase(), true] as const),
  ])
  const read = onText(
    text => known.get(text.toLowerCase()) ?? problem('not_boolean', { yes: trueWords, no: falseWords }),
  )
  return value => (typeof value === 'boolean' ? value : read(value))
}
