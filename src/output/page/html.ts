import { escapeHtml } from '../../model/values.ts'
import { Markup } from '../../result/facts.ts'
import { type Status, statusWord } from '../../result/row-counts.ts'
import type { RowLabel } from '../../result/short-texts.ts'
import { grouped, visible } from '../text.ts'

export type Child = Markup | string | number | undefined | false | readonly Child[]

/** Markup from a template: every value is escaped and made visible, unless it is markup itself. */
export const html = (parts: TemplateStringsArray, ...children: readonly Child[]): Markup =>
  new Markup(parts.reduce((before, part, at) => before + textOf(children[at - 1]) + part))

function textOf(child: Child): string {
  if (child === undefined || child === false) return ''
  if (child instanceof Markup) return child.text
  if (typeof child === 'object') return child.map(textOf).join('')
  return escapeHtml(visible(String(child)))
}

/** A text from the data, which may run in another direction than the text around it. */
export const quoted = (text: string): Markup => html`<bdi>${text}</bdi>`

export const cellOf = (text: string): Child =>
  text === '' ? html`<span class="none">empty</span>` : quoted(text)

export const placeMarkup = ({ source, line }: Pick<RowLabel, 'source' | 'line'>): Markup =>
  quoted(`${source}:${line}`)

export const rowOf = (row: RowLabel): Markup =>
  html`${placeMarkup(row)} <small>row ${String(row.row)}, key</small> ${quoted(row.key)}`

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: 'UTC' },
})

/** A time as `21 Nov 2026, 09:12:07`, in UTC. A text that is not a time stays as it is. */
export function moment(at: string): Markup {
  const date = new Date(at)
  return html`<time datetime="${at}">${Number.isNaN(date.getTime()) ? at : timeFormat.format(date)}</time>`
}

/** A status with its mark: a shape and a colour of page.css. */
export const marked = (status: Status, label = statusWord(status)): Markup =>
  html`<span class="mark ${status}">${label}</span>`

/** A command, which a click selects as a whole; its lines break between words. */
export const command = (text: string): Markup =>
  html`<code class="command">${text.split(' ').map((word, at) => html`${at > 0 && ' '}<span>${word}</span>`)}</code>`

/** Terms and their values; terms without a value are left out. */
export const termList = (entries: readonly (readonly [term: string, value: Child])[]): Markup =>
  html`<dl class="terms">${entries
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`

export const quotedList = (texts: readonly string[]): Child =>
  texts.map((text, at) => html`${at > 0 && ', '}${quoted(text)}`)

/** A table in a box that scrolls. The first cell of a row names it; a column that is 0 or empty throughout is left out. */
export function table(label: string, titles: readonly string[], cells: readonly (readonly Child[])[]) {
  const isNumber = (at: number) => typeof cells[0]?.[at] === 'number'
  const isBlank = (cell: Child) => cell === 0 || textOf(cell) === ''
  const columns = titles
    .map((title, at) => ({ title, at, style: isNumber(at) && new Markup(' class="number"') }))
    .filter(({ at }) => !cells.every(row => isBlank(row[at])))
  const show = (cell: Child) => (typeof cell === 'number' ? grouped(cell) : cell)
  const rowMarkup = (row: readonly Child[]) =>
    html`<tr>${columns.map(({ title, at, style }) =>
      at === 0
        ? html`<th scope="row"${style}>${show(row[at])}</th>`
        : html`<td${style} data-label="${title}">${show(row[at])}</td>`,
    )}</tr>
`
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table aria-label="${label}">
<thead><tr>${columns.map(({ title, style }) => html`<th scope="col"${style}>${title}</th>`)}</tr></thead>
<tbody>${cells.map(rowMarkup)}</tbody></table></div>`
}

export interface Section {
  readonly id: string
  readonly title: string
  readonly body: Child
  readonly isFolded?: boolean
}

/** Sections under headings of the second or third level; the prefix keeps their ids apart. */
export const sectionsMarkup = (sections: readonly Section[], level: 'h2' | 'h3', prefix = ''): Child =>
  sections.map(
    ({ id, title, body, isFolded }) => html`<section id="${prefix}${id}" class="${id}">
<${level}>${title}</${level}>
${isFolded ? html`<details><summary>Show</summary>${body}</details>` : body}
</section>
`,
  )
