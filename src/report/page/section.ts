import { heading } from './elements.ts'
import { html, type Markup } from './html.ts'

/** A part of the page with a heading; the level is that of the heading. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly body: Markup
}

/** Where sections stand: below which heading, and what sets their ids apart from those of others. */
export interface Spot {
  readonly level: number
  readonly prefix: string
}

export const sectionMarkup = ({ id, title, body }: Section, { level, prefix }: Spot): Markup =>
  html`<section id="${prefix}${id}" class="${id}" aria-labelledby="${prefix}${id}-title">
${heading(level, title, `${prefix}${id}-title`)}
${body}
</section>
`

/** Links to the sections, where there are enough to get lost in. */
export const contents = (
  sections: readonly Section[],
  { prefix }: Spot,
  label: string,
): Markup | undefined =>
  sections.length < 3
    ? undefined
    : html`<nav class="contents" aria-label="${label}"><ul>${sections.map(
        ({ id, title }) => html`<li><a href="#${prefix}${id}">${title}</a></li>`,
      )}</ul></nav>
`
