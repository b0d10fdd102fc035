import type { DryRunPart, Part, Sample } from './facts.ts'
import { rows } from './format.ts'
import { type Child, heading, html, lines, type Markup, type Place, quoted, type Section } from './html.ts'

/** The first rows that a dry run would send, each beside the body that the mapping makes of it. */
export function samplesSection({ samples }: DryRunPart, { level }: Place): Section | undefined {
  if (samples.length === 0) return undefined
  return {
    id: 'samples',
    title: 'From row to record',
    body: html`<p>The first ${samples.length === 1 ? 'row' : rows(samples.length)} that would be sent: the cells of the source, and what the service would get.</p>
${samples.map(sample => sampleItem(sample, level + 1))}`,
  }
}

function sampleItem({ source, line, row, key, cells, body }: Sample, level: number): Markup {
  const name = `${source}:${line}`
  return html`<article class="sample">
${heading(level, html`${quoted(key)} <small>${quoted(name)}, row ${String(row)}</small>`)}
<div class="sides">
<div class="scroll cells" tabindex="0" role="region" aria-label="Cells of ${name}"><table>
<thead><tr><th scope="col">Column</th><th scope="col">Cell</th></tr></thead>
<tbody>${cells.map(
    ({ column, value }) => html`<tr><th scope="row">${quoted(column)}</th><td>${
      value === '' ? html`<span class="none">empty</span>` : quoted(value)
    }</td></tr>
`,
  )}</tbody></table></div>
<pre class="scroll" tabindex="0" role="region" aria-label="Body made of ${name}"><code>${lines(body)}</code></pre>
</div>
</article>
`
}

/** Columns that may be a mistake. Unused ones are reported where a mapping is checked, in a dry run. */
export function columnsSection({ type, lastRun }: Part): Section | undefined {
  const { unused = [], unseen = [], missingKey = [] } = lastRun?.columns ?? {}
  const notes = [
    type === 'dry_run' &&
      columnsNote('The mapping does not use these columns, so their cells are not imported.', unused),
    columnsNote('The mapping names these keys, but no row has them.', unseen),
    columnsNote(
      'No source has these key columns. So rows are named by their content, and a row that changes is a new row.',
      missingKey,
    ),
  ].filter(Boolean)
  return notes.length === 0 ? undefined : { id: 'columns', title: 'Columns', body: html`${notes}` }
}

const columnsNote = (sentence: string, columns: readonly string[]): Child =>
  columns.length > 0 &&
  html`<p>${sentence}</p>
<ul class="columns">${columns.map(column => html`<li>${quoted(column)}</li>`)}</ul>`
