import { counted, oneLine } from '../../output/text.ts'
import { listed, type Words } from '../../output/words/sentence.ts'

/** What is odd in the first rows. */
export const sanityWords = {
  news: {
    hidden_rows: ({ source, lines }: Readonly<{ source: string; lines: readonly number[] }>) =>
      `${source}: ${counted(lines.length, 'of the first rows is', 'of the first rows are')} hidden in the sheet (${lines.length === 1 ? 'row' : 'rows'} ${listed(lines.map(String), 5)}), and read like the others; delete them there if they are not meant`,
  },
  warnings: {
    /** A row at the end of a long file has no line. */
    total_found: ({
      source,
      line,
      text,
    }: Readonly<{ source: string; line: number | undefined; text: string }>) =>
      `${source}${line === undefined ? ', at its end' : `:${line}`}: "${oneLine(text)}" looks like a total or a legend, and is read as a row; take it out, or leave it out with where in the mapping`,
    words_for_nothing: ({
      column,
      words,
      rows: count,
    }: Readonly<{ column: string; words: readonly string[]; rows: number }>) =>
      `the column "${column}" has "${words.join('", "')}" in ${count} of the first rows, which is read as text; if it means an empty cell, name it under empty_values in the mapping`,
    shape_misread: ({
      column,
      shape,
      read,
      values,
    }: Readonly<{ column: string; shape: string; read: string; values: number }>) =>
      `the column "${column}" seems to be written ${shape}, as ${counted(values, 'of its first values shows', 'of its first values show')}, and is read ${read}; the others may be misread: look at its rule in the mapping`,
    shape_changed: ({ column, shape, last }: Readonly<{ column: string; shape: string; last: string }>) =>
      `the column "${column}" is written ${shape} now, and was ${last} in the last run; look whether the mapping reads it as it is meant`,
  },
} as const satisfies Record<string, Words>
