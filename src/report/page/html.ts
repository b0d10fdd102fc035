import { escapeHtml } from '../../model/values.ts'
import { visible, visibleLines } from '../visible.ts'
import { type MarkedStatus, momentIn, statusWords, type TimeFormat } from './format.ts'

/** Text that is HTML already. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

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

/** Text of several lines, for `pre`. */
export const lines = (text: string): Markup => new Markup(escapeHtml(visibleLines(text)))

/** A text from the data, which may run in another direction than the text around it. */
export const quoted = (text: string): Markup => html`<bdi>${text}</bdi>`

/** Data for the page's script, its texts made visible, as JSON that cannot end its element. */
export function embedded(data: unknown): Markup {
  const json = JSON.stringify(data, (_, value) => (typeof value === 'string' ? visible(value) : value))
  const escaped = json.replaceAll(
    /[<\u2028\u2029]/g,
    sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return new Markup(`<script type="application/json">${escaped}</script>`)
}

/** A time in UTC, which the page's script turns into the reader's own. */
export const moment = (at: string, format?: TimeFormat): Markup =>
  html`<time datetime="${at}"${format && html` data-format="${format}"`}>${momentIn(at, 'UTC', format)}</time>`

/** A status with its mark: a shape and a colour. */
export const marked = (status: MarkedStatus, label: string = statusWords[status]): Markup =>
  html`<span class="mark ${status}">${label}</span>`

/** A command, which a click selects as a whole; its lines break between words. */
export const command = (text: string): Markup =>
  html`<code class="command">${text.split(' ').map((word, at) => html`${at > 0 && ' '}<span>${word}</span>`)}</code>`

export const heading = (level: number, text: Child, id?: string): Markup => {
  const tag = new Markup(`h${Math.min(level, 6)}`)
  return html`<${tag}${id !== undefined && html` id="${id}"`}>${text}</${tag}>`
}

/** Terms and their values; terms without a value are left out. */
export const termList = (entries: readonly (readonly [term: string, value: Child])[]): Markup =>
  html`<dl class="terms">${entries
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`

/** Some texts from the data, with commas. */
export const list = (texts: readonly string[]): Child =>
  texts.map((text, at) => html`${at > 0 && ', '}${quoted(text)}`)

export interface Column {
  readonly title: string
  readonly isNumber?: boolean
}

/** A table in a box that scrolls where it is too wide. The first cell of a row names it. */
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

export interface Section {
  readonly id: string
  readonly title: string
  readonly body: Markup
}

/** Where sections are: the level of their headings, and the prefix of their ids. */
export interface Place {
  readonly level: number
  readonly prefix: string
}

export const sectionMarkup = ({ id, title, body }: Section, { level, prefix }: Place): Markup =>
  html`<section id="${prefix}${id}" class="${id}" aria-labelledby="${prefix}${id}-title">
${heading(level, title, `${prefix}${id}-title`)}
${body}
</section>
`

/** Links to the sections, if there are at least three. */
export const contents = (sections: readonly Section[], { prefix }: Place, label: string): Child =>
  sections.length >= 3 &&
  html`<nav class="contents" aria-label="${label}"><ul>${sections.map(
    ({ id, title }) => html`<li><a href="#${prefix}${id}">${title}</a></li>`,
  )}</ul></nav>
`
