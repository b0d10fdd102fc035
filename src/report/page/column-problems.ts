import { heading } from './elements.ts'
import type { ColumnProblems, DryRunPart } from './facts.ts'
import { html, type Markup, quoted } from './html.ts'
import { reasonList } from './reasons.ts'
import type { Section, Spot } from './section.ts'
import { rows } from './words.ts'

/** What is wrong in which column. */
export function problemsSection({ problems }: DryRunPart, { level }: Spot): Section | undefined {
  if (problems.length === 0) return undefined
  return {
    id: 'problems',
    title: 'What is wrong, by column',
    body: html`${problems.map(problem => columnMarkup(problem, level + 1))}`,
  }
}

const columnMarkup = (
  { column, rows: count, reasons }: ColumnProblems,
  level: number,
): Markup => html`<div class="column">
${heading(level, html`${column === '' ? 'The row as a whole' : quoted(column)} <small>${rows(count)}</small>`)}
${reasonList(reasons, level + 1)}
</div>
`
