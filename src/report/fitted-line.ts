import sliceAnsi from 'slice-ansi'

/** A part of a line, in two forms at most. */
export interface LinePart {
  readonly text: string
  /** Of two parts the one with the lower rank goes first where room is short. */
  readonly rank: number
  /** What stands for it before it goes. */
  readonly short?: string
  /** It belongs to the part behind it. */
  readonly leads?: true
}

/**
 * The parts as one line that takes no more than so many columns of a terminal, whatever signs stand in it: the least
 * important ones are shortened, then left out, and what stays alone is cut.
 */
export function fittedLine(parts: readonly LinePart[], columns: number): string {
  const byRank = [...parts].sort((a, b) => a.rank - b.rank)
  const dropped = new Set<LinePart>()
  const shortened = new Set<LinePart>()
  const line = () =>
    parts
      .filter(part => !dropped.has(part))
      .map(part => ({
        ...part,
        ...(shortened.has(part) && part.short !== undefined && { text: part.short }),
      }))
      .map(({ text, leads }, at, { length }) => text + (at === length - 1 ? '' : leads ? ' ' : ' · '))
      .join('')
      .replaceAll(/\p{Cc}+/gu, ' ')
  for (const part of byRank) if (!fits(line(), columns)) shortened.add(part)
  for (const part of byRank.slice(0, -1)) if (!fits(line(), columns)) dropped.add(part)
  return cut(line(), columns)
}

/** How many lines of a terminal a text takes that it breaks where it must. */
export function linesOf(text: string, columns: number): number {
  let lines = 1
  while (!fits(text, columns * lines)) lines += 1
  return lines
}

const fits = (text: string, columns: number) => cut(text, columns) === text

/** The beginning of a text: a sign of two columns that the cut meets is kept whole, so the cut is made a column early. */
const cut = (text: string, columns: number) => sliceAnsi(text, 0, Math.max(0, columns - 1))
