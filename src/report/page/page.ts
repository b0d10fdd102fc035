import { createHash } from 'node:crypto'
import { moment } from './elements.ts'
import type { PageFacts, Part } from './facts.ts'
import { headline } from './headline.ts'
import { html, Markup, quoted } from './html.ts'
import { allDry, overallSentence, overview } from './overview.ts'
import { sectionsOf } from './part.ts'
import { chartLibrary, pageScript } from './script.ts'
import { contents, sectionMarkup } from './section.ts'
import { standingOf } from './standing.ts'
import { style } from './style/style.ts'

/** One HTML document that needs nothing but itself. */
export function pageOf(facts: PageFacts): string {
  const [only, ...others] = facts.parts
  const content = only !== undefined && others.length === 0 ? onePart(facts, only) : severalParts(facts)
  return documentOf(facts, content).text
}

function onePart({ title, madeAt }: PageFacts, part: Part): Markup {
  const spot = { level: 2, prefix: '' }
  const sections = sectionsOf(part, spot)
  return html`<header class="masthead">
${brand(part.is === 'log' ? 'Import report' : 'Dry run: nothing was sent', madeAt)}
<h1>${quoted(title)}</h1>
${headline(part)}
</header>
${contents(sections, spot, 'On this page')}
<main id="content">
${sections.map(section => sectionMarkup(section, spot))}
</main>`
}

function severalParts({ title, madeAt, parts }: PageFacts): Markup {
  const idOf = (at: number) => `part-${at + 1}`
  const states = parts.map(part => standingOf(part).is)
  const is = states.includes('stopped') ? 'stopped' : states.includes('attention') ? 'attention' : 'done'
  return html`<header class="masthead">
${brand(allDry(parts) ? 'Dry run: nothing was sent' : 'Import report', madeAt)}
<h1>${quoted(title)}</h1>
${parts.length > 0 && html`<p class="verdict ${is}">${overallSentence(parts)}</p>`}
</header>
<main id="content">
${parts.length > 0 && sectionMarkup(overview(parts, idOf), { level: 2, prefix: '' })}
${parts.map((part, at) => partMarkup(part, idOf(at)))}
</main>`
}

function partMarkup(part: Part, id: string): Markup {
  const spot = { level: 3, prefix: `${id}-` }
  const sections = sectionsOf(part, spot)
  return html`<section class="part" id="${id}" aria-labelledby="${id}-title">
<div class="masthead">
<h2 id="${id}-title">${quoted(part.name)}</h2>
${headline(part)}
</div>
${contents(sections, spot, `Sections of ${part.name}`)}
${sections.map(section => sectionMarkup(section, spot))}
</section>
`
}

const brand = (what: string, madeAt: string) =>
  html`<p class="brand"><b>rowlift</b> ${what} <span class="zone">Times are in <span data-zone="${madeAt}">UTC</span></span></p>`

function documentOf({ title, madeAt, version }: PageFacts, content: Markup): Markup {
  const scripts = content.text.includes('<canvas') ? [chartLibrary(), pageScript()] : [pageScript()]
  const allowed = scripts.map(hashOf).join(' ')
  const policy = `default-src 'none'; script-src ${allowed}; style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – rowlift</title>
<link rel="icon" href="${icon}">
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${content}
<footer>
<p>Made by rowlift ${version} on ${moment(madeAt)}.</p>
<p>This page holds personal data: pass it on only to those who may see it.</p>
</footer>
${scripts.map(
  (
    script,
    at,
  ) => html`<script${at === scripts.length - 1 && html` type="module"`}>${new Markup(script)}</script>
`,
)}</body>
</html>
`
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230b6b66' d='M2 12h12v2H2zM4 8h8v2H4zM6 4h4v2H6z'/%3E%3C/svg%3E"

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
