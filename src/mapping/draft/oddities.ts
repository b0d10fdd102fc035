import type { Oddities } from './facts.ts'

const oddQuotes = {
  around_records:
    'THIS DRAFT IS OF NO USE YET: each line is one cell in quotes that holds a whole record, so the file has a single column. Export it once more, or take the outer quotes off and make each "" inside a single one, then draft again.',
  single:
    'The cells stand in single quotes, which CSV does not know: the quotes are taken for text, and a delimiter between them takes a cell apart. Export it with double quotes, then draft again.',
} as const

const longestQuote = 40

/** Comments about what is odd in a file, for whoever reads its draft. */
export const oddityLines = ({
  quotes,
  damagedLine,
  isEncodingGuessed,
  isHeaderUnnameable,
  unsureHeader,
}: Oddities): string[] =>
  [
    quotes && oddQuotes[quotes],
    damagedLine &&
      `The file is UTF-8, but line ${damagedLine} holds letters that are not. An import ends there, at the latest, and takes no row from that line on; mend the line, then import.`,
    isEncodingGuessed && 'The encoding is a guess, by the letters; look whether names come out right.',
    isHeaderUnnameable &&
      'The header has no first cell of its own to be found by, so its names stand under source; its line is read as a row.',
    quotes === undefined &&
      unsureHeader !== undefined &&
      `Is the first line (${JSON.stringify(unsureHeader.slice(0, longestQuote).replaceAll(/\s+/g, ' '))}) a header or a row? Nothing tells, so it is taken for a header. If it is a row, name the columns under source, as in "header: { columns: [Task] }", and use these names below.`,
  ].flatMap(note => (note ? `# ${note}` : []))
