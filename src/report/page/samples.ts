import { heading } from './elements.ts'
import type { DryRunPart, Sample } from './facts.ts'
import { html, lines, type Markup, quoted } from './html.ts'
import type { Section, Spot } from './section.ts'
import { rows } from './words.ts'

/** The first rows that would be sent, each beside what the mapping makes of it. */
export function samplesSection({ samples }: DryRunPart, { level }: Spot): Section | undefined {
  if (samples.length === 0) return undefined
  return {
    id: 'samples',
    title: 'From row to record',
    body: html`<p>The first ${samples.length === 1 ? 'row' : rows(samples.length)} that would be sent: on the one side what stands in the source, on the other what the service would get.</p>
${samples.map(sample => sampleMarkup(sample, level + 1))}`,
  }
}

function sampleMarkup({ source, line, row, key, cells, body }: Sample, level: number): Markup {
  const name = `${source}:${line}`
  return html`<article class="sample">
${heading(level, html`${quoted(key)} <small>${quoted(name)}, row ${String(row)}</small>`)}
<div class="sides">
<div class="scroll cells" tabindex="0" role="region" aria-label="Cells of ${name}"><table>
<thead><tr><th scope="col">Column</th><th scope="col">Cell</th></tr></thead>
<tbody>${cells.map(
    cell => html`<tr><th scope="row">${quoted(cell.column)}</th><td>${
      cell.value === '' ? html`<span class="none">empty</span>` : quoted(cell.value)
    }</td></tr>
`,
  )}</tbody></table></div>
<pre class="scroll" tabindex="0" role="region" aria-label="Body made of ${name}"><code>${lines(body)}</code></pre>
</div>
</article>
`
}
