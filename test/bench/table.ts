/** A table in Markdown: the first column to the left, figures to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = `|${head.map((_, column) => (column === 0 ? '---' : '--:')).join('|')}|`
  return `${[lineOf(head), rule, ...rows.map(lineOf)].join('\n')}\n`
}

const grouping = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** A whole number with its thousands apart. */
export const grouped = (figure: number): string => grouping.format(figure)
