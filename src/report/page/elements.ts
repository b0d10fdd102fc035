import { type Child, html, Markup } from './html.ts'
import { type Exactness, momentIn } from './moments.ts'
import { type MarkedStatus, statusWords } from './words.ts'

/** A time in UTC, which the page's script turns into the reader's own. */
export const moment = (at: string, exact?: Exactness): Markup =>
  html`<time datetime="${at}"${exact && html` data-exact="${exact}"`}>${momentIn(at, 'UTC', exact)}</time>`

/** A status with its mark: a shape and a colour. */
export const marked = (status: MarkedStatus, label: string = statusWords[status]): Markup =>
  html`<span class="mark ${status}">${label}</span>`

/** A command that a click selects as a whole; its lines break between words. */
export const command = (text: string): Markup =>
  html`<code class="command">${text.split(' ').map((word, at) => html`${at > 0 && ' '}<span>${word}</span>`)}</code>`

/** A heading of the level that it has where it stands. */
export const heading = (level: number, text: Child, id?: string): Markup => {
  const tag = new Markup(`h${Math.min(level, 6)}`)
  return html`<${tag}${id !== undefined && html` id="${id}"`}>${text}</${tag}>`
}

/** Terms and what they stand for; those without a value are left out. */
export const termList = (entries: readonly (readonly [term: string, value: Child])[]): Markup =>
  html`<dl class="terms">${entries
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`

export interface Column {
  readonly title: string
  /** Numbers stand at the right. */
  readonly isNumber?: boolean
}

/** A table in a box of its own, which scrolls where it is too wide. The first cell of a row names it. */
export function table(
  label: string,
  columns: readonly Column[],
  cells: readonly (readonly Child[])[],
): Markup {
  const style = (at: number) => columns[at]?.isNumber && new Markup(' class="number"')
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${columns.map(({ title }, at) => html`<th scope="col"${style(at)}>${title}</th>`)}</tr></thead>
<tbody>${cells.map(
    ([name, ...others]) =>
      html`<tr><th scope="row"${style(0)}>${name}</th>${others.map((cell, at) => html`<td${style(at + 1)}>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>`
}
