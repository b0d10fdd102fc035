import { closestMatch } from 'leven'

/** The known word nearest to a misspelt one; undefined if none is near. Case is ignored, a missing end costs little. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase()
  const sameButForCase = known.find(candidate => candidate.toLowerCase() === lower)
  const maxDistance = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))
  return (
    sameButForCase ??
    closestMatch(word, known, { maxDistance }) ??
    known.find(candidate => lower.length > 3 && candidate.toLowerCase().startsWith(lower))
  )
}

/** Ends a sentence about a misspelt word. */
export const suggested = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
