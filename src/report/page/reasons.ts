import { grouped } from '../numbers.ts'
import { heading, marked } from './elements.ts'
import type { AttentionRow, LogPart, ReasonFacts } from './facts.ts'
import { html, type Markup, quoted } from './html.ts'
import type { Section, Spot } from './section.ts'
import { rows } from './words.ts'

/** Why rows have no record, the most frequent reason first. */
export function reasonsSection({ reasons, otherReasons }: LogPart, { level }: Spot): Section | undefined {
  if (reasons.length === 0) return undefined
  return {
    id: 'reasons',
    title: 'Why rows have no record',
    body: html`${reasonList(reasons, level + 1)}
${otherReasons > 0 && html`<p>${rows(otherReasons)} more have other reasons.</p>`}`,
  }
}

export const reasonList = (reasons: readonly ReasonFacts[], level: number): Markup =>
  html`<ol class="reasons">${reasons.map(reason => reasonMarkup(reason, level))}</ol>`

function reasonMarkup(
  { status, rows: count, reason, answer, remedy, examples }: ReasonFacts,
  level: number,
): Markup {
  return html`<li>
<p class="count"><b>${grouped(count)}</b> ${marked(status)}</p>
<div>
${heading(level, quoted(reason))}
${answer !== undefined && html`<p class="answer"><span>Answer</span> <code>${quoted(answer)}</code></p>`}
${remedy !== '' && html`<p class="remedy">${remedy}</p>`}
${examples.length > 0 && html`<ul class="examples">${examples.map(exampleMarkup)}</ul>`}
</div>
</li>
`
}

/** Where the row stands and what stood there; why is told above. */
function exampleMarkup({ source, line, row, key, value, answer }: AttentionRow): Markup {
  const told = value ?? answer
  return html`<li><span class="place">${quoted(`${source}:${line}`)}</span> <span>row ${String(row)}, key ${quoted(key)}</span>${
    told !== undefined && html` <code>${told === '' ? 'empty' : quoted(told)}</code>`
  }</li>`
}
