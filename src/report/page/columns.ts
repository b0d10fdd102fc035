import type { Part } from './facts.ts'
import { type Child, html, quoted } from './html.ts'
import type { Section } from './section.ts'

/** What the columns give cause to tell; what goes nowhere is told where a mapping is checked, in a dry run. */
export function columnsSection(part: Part): Section | undefined {
  const { unused = [], unseen = [], missingKey = [] } = part.lastRun?.columns ?? {}
  const notes = [
    part.is === 'dry_run' &&
      note('The mapping does not use these columns: what stands in them goes nowhere.', unused),
    note('No row had these keys, which the mapping names.', unseen),
    note(
      'No source has these columns, which should name a row. So rows are named by what stands in them, and one that changes is a new row.',
      missingKey,
    ),
  ].filter(Boolean)
  return notes.length === 0 ? undefined : { id: 'columns', title: 'Columns', body: html`${notes}` }
}

const note = (sentence: string, columns: readonly string[]): Child =>
  columns.length > 0 &&
  html`<p>${sentence}</p>
<ul class="columns">${columns.map(column => html`<li>${quoted(column)}</li>`)}</ul>`
