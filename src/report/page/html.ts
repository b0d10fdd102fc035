import { escapedMarkup } from '../../model/markup.ts'
import { visible, visibleLines } from '../visible.ts'

/** Text that may stand in a page as it is. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Child = Markup | string | number | undefined | false | readonly Child[]

/** Markup from a template: what is filled in is escaped and made visible, unless it is markup itself. */
export const html = (parts: TemplateStringsArray, ...children: readonly Child[]): Markup =>
  new Markup(parts.reduce((before, part, at) => before + textOf(children[at - 1]) + part))

/** Text of several lines, for `pre`. */
export const lines = (text: string): Markup => new Markup(escapedMarkup(visibleLines(text)))

/** A text out of the data, which may run in the other direction than what stands around it. */
export const quoted = (text: string): Markup => html`<bdi>${text}</bdi>`

function textOf(child: Child): string {
  if (child === undefined || child === false) return ''
  if (child instanceof Markup) return child.text
  if (typeof child === 'object') return child.map(textOf).join('')
  return escapedMarkup(visible(String(child)))
}

/** Data for a script of the page, as JSON that cannot end the element in which it stands. */
export const embedded = (data: unknown): Markup =>
  new Markup(
    `<script type="application/json">${JSON.stringify(data).replaceAll(
      /[<\u2028\u2029]/g,
      sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}</script>`,
  )
