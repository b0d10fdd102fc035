import { commandLine, sourceWord } from './command-line.ts'

/** What to do with a mapping that was proposed; `output` is undefined where it went to standard output. */
export function draftWritten(
  source: string,
  output: string | undefined,
  tried: { readonly rows: number; readonly refused: number },
): string {
  const next = commandLine(['import', sourceWord(source), '-m', output ?? 'MAPPING.yaml', '--dry-run'])
  const refused =
    tried.refused === 0
      ? ''
      : ` Of the ${tried.rows} rows that it was tried with, ${tried.refused} would be invalid.`
  return `A draft: read it, for its comments ask what only you can know.${refused}\nNext: ${next}\n`
}
