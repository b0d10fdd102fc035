import { heading } from './elements.ts'
import type { ChartFacts, Series } from './embedded.ts'
import { type Child, embedded, html, type Markup } from './html.ts'

/** A chart: what it shows in words, the picture, and its figures in a table. */
export interface Chart {
  readonly title: string
  readonly level: number
  readonly note: Child
  /** Stands for the picture where it cannot be seen. */
  readonly told: string
  readonly facts: ChartFacts
  readonly table: Markup
}

export const chartMarkup = ({ title, level, note, told, facts, table }: Chart): Markup =>
  html`<figure class="chart">
<figcaption>
${heading(level, title)}
<p>${note}</p>
${facts.series.length > 1 && legend(facts.series)}
</figcaption>
<div class="plot"><canvas role="img" aria-label="${told}"></canvas></div>
${embedded(facts)}
<details><summary>The figures</summary>${table}</details>
</figure>
`

const legend = (series: readonly Series[]): Markup =>
  html`<ul class="legend">${series.map(({ name, color }) => html`<li><span class="mark ${color}">${name}</span></li>`)}</ul>`
