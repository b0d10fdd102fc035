import type { Part } from './lines.ts'
import { flow, word } from './yaml-words.ts'

/** The lookups that suggestions need, in one block, for a mapping can say `lookups:` only once. */
export function lookupLines(parts: readonly Part[]): string[] {
  const needed = new Map(parts.flatMap(({ lookups = {} }) => Object.entries(lookups)))
  if (needed.size === 0) return []
  return [
    '',
    '# Ids of other records, for the suggestions below that look them up; put in what you need of it:',
    '# lookups:',
    ...[...needed].map(([name, spec]) => `#   ${word(name)}: ${flow(spec)}`),
  ]
}
