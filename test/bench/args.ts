/** The parsed command line. */
export interface BenchArgs<Letter extends string> {
  readonly letters: readonly Letter[]
  readonly quick: boolean
}

/** An unknown argument. */
export class ArgumentError extends Error {}

/** Parses the command line: letters of parts (all by default), and `--quick`. */
export function parseArgs<Letter extends string>(
  words: readonly string[],
  known: readonly Letter[],
): BenchArgs<Letter> {
  const unknown = words.find(word => word !== '--quick' && !known.some(letter => letter === word))
  if (unknown !== undefined)
    throw new ArgumentError(
      `unknown word "${unknown}"; say which parts to run, of ${known.join(', ')}, and --quick`,
    )
  const letters = known.filter(letter => words.includes(letter))
  return { letters: letters.length > 0 ? letters : known, quick: words.includes('--quick') }
}
