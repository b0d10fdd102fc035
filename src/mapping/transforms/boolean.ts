import { problems } from '../../model/problems.ts'
import { onText, type Transform } from './transform.ts'

const yes = ['true', 'yes', 'y', '1', 'on', 'x']
const no = ['false', 'no', 'n', '0', 'off']

/** Reads yes and no by lists of words, without case; booleans of NDJSON rows pass as they are. */
export function booleanTransform(
  trueWords: readonly string[] = yes,
  falseWords: readonly string[] = no,
): Transform {
  const known = new Map([
    ...falseWords.map(word => [word.trim().toLowerCase(), false] as const),
    ...trueWords.map(word => [word.trim().toLowerCase(), true] as const),
  ])
  const read = onText(text => known.get(text.toLowerCase()) ?? problems.notBoolean(trueWords, falseWords))
  return value => (typeof value === 'boolean' ? value : read(value))
}
