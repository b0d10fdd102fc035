// The page of an import: one HTML document that needs no other file. Begin at createPage, and at facts.ts for what it
// shows; page.client.ts is its script, and page.css its style.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { packageRoot } from '../../model/package.ts'
import { grouped } from '../numbers.ts'
import { attentionSection } from './attention.ts'
import type { DryRunPart, LogPart, PageFacts, Part } from './facts.ts'
import { figuresSection } from './figures.ts'
import { headline, resultSentence, verdictOf } from './headline.ts'
import { mergedSection, paceSection, runsSection } from './history.ts'
import {
  type Child,
  contents,
  html,
  Markup,
  marked,
  moment,
  type Place,
  quoted,
  type Section,
  sectionMarkup,
  table,
} from './html.ts'
import { columnProblemsSection, doubtsSection, reasonsSection } from './problems.ts'
import { columnsSection, samplesSection } from './samples.ts'

export function createPage(facts: PageFacts): string {
  const [only, ...others] = facts.parts
  const content = only !== undefined && others.length === 0 ? onePart(facts, only) : severalParts(facts)
  return documentMarkup(facts, content).text
}

function onePart({ title, createdAt }: PageFacts, part: Part): Markup {
  const place = { level: 2, prefix: '' }
  const sections = sectionsOf(part, place)
  return html`<header class="masthead">
${brand(isDry(part), createdAt)}
<h1>${quoted(title)}</h1>
${headline(part)}
</header>
${contents(sections, place, 'On this page')}
<main id="content">
${sections.map(section => sectionMarkup(section, place))}
</main>`
}

function severalParts({ title, createdAt, parts }: PageFacts): Markup {
  return html`<header class="masthead">
${brand(areAllDry(parts), createdAt)}
<h1>${quoted(title)}</h1>
${parts.length > 0 && overallVerdict(parts)}
</header>
<main id="content">
${parts.length > 0 && sectionMarkup(overview(parts), { level: 2, prefix: '' })}
${parts.map((part, at) => partMarkup(part, partId(at)))}
</main>`
}

function partMarkup(part: Part, id: string): Markup {
  const place = { level: 3, prefix: `${id}-` }
  const sections = sectionsOf(part, place)
  return html`<section class="part" id="${id}" aria-labelledby="${id}-title">
<div class="masthead">
<h2 id="${id}-title">${quoted(part.name)}</h2>
${headline(part)}
</div>
${contents(sections, place, `Sections of ${part.name}`)}
${sections.map(section => sectionMarkup(section, place))}
</section>
`
}

const partId = (at: number) => `part-${at + 1}`
const isDry = ({ type }: Part) => type === 'dry_run'
const areAllDry = (parts: readonly Part[]) => parts.length > 0 && parts.every(isDry)

const sectionsOf = (part: Part, place: Place): Section[] =>
  (part.type === 'log' ? logSections(part, place) : dryRunSections(part, place)).filter(
    section => section !== undefined,
  )

const logSections = (part: LogPart, place: Place) => [
  figuresSection(part),
  doubtsSection(part, place),
  reasonsSection(part, place),
  attentionSection(part, place),
  paceSection(part, place),
  mergedSection(part),
  runsSection(part, place),
  columnsSection(part),
]

const dryRunSections = (part: DryRunPart, place: Place) => [
  figuresSection(part),
  samplesSection(part, place),
  columnProblemsSection(part, place),
  attentionSection(part, place),
  columnsSection(part),
]

function overallVerdict(parts: readonly Part[]): Markup {
  const verdicts = parts.map(verdictOf)
  const done = verdicts.filter(({ type }) => type === 'done').length
  const worst = (['stopped', 'attention'] as const).find(type => verdicts.some(each => each.type === type))
  const total = (field: 'good' | 'bad') => verdicts.reduce((sum, verdict) => sum + verdict[field], 0)
  const dry = areAllDry(parts)
  const steps = `${done === parts.length ? 'All' : `${done} of`} ${parts.length} steps ${done === 1 ? 'is' : 'are'} ${dry ? 'ready' : 'complete'}.`
  return html`<p class="verdict ${worst ?? 'done'}">${steps} ${resultSentence(total('good'), total('bad'), dry)}</p>`
}

/** A line for each part, with a link to it. */
const overview = (parts: readonly Part[]): Section => ({
  id: 'overview',
  title: 'The steps',
  body: table(
    'The steps',
    [
      { title: 'Step' },
      { title: areAllDry(parts) ? 'Would be sent' : 'With record', isNumber: true },
      { title: areAllDry(parts) ? 'Invalid' : 'Need attention', isNumber: true },
      { title: 'Status' },
    ],
    parts.map((part, at) => {
      const { good, bad } = verdictOf(part)
      const link = html`<a href="#${partId(at)}">${quoted(part.name)}</a>`
      return [link, grouped(good), grouped(bad), statusCell(part)]
    }),
  ),
})

function statusCell(part: Part): Child {
  switch (verdictOf(part).type) {
    case 'done':
      return marked('created', isDry(part) ? 'ready' : 'complete')
    case 'attention':
      return marked('invalid', 'needs attention')
    case 'stopped':
      return marked('failed', 'stopped early')
  }
}

const brand = (dry: boolean, createdAt: string) =>
  html`<p class="brand"><b>rowlift</b> ${dry ? 'Dry run: nothing was sent' : 'Import report'} <span class="zone">Times are in <span data-zone="${createdAt}">UTC</span></span></p>`

function documentMarkup({ title, createdAt, version }: PageFacts, content: Markup): Markup {
  const style = builtFile('page.css')
  const script = builtFile('page.client.js')
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'`
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
<p>Made by rowlift ${version} on ${moment(createdAt)}.</p>
<p>This page holds personal data: share it only with people who may see it.</p>
</footer>
<script type="module">${new Markup(script)}</script>
</body>
</html>
`
}

/** A file that the build made; src/ and dist/ find it in the same place. */
const builtFile = (name: string) => readFileSync(new URL(`dist/report/page/${name}`, packageRoot), 'utf8')

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230b6b66' d='M2 12h12v2H2zM4 8h8v2H4zM6 4h4v2H6z'/%3E%3C/svg%3E"

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
