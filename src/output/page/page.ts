// The page of an import: one HTML document that needs no other file. Begin at createPage, and at facts.ts for what it
// shows; page.client.ts is its script, and page.css its style.
import { createHash } from 'node:crypto'
import { packageFile } from '../../model/package.ts'
import { type DryRunPart, type LogPart, Markup, type PageFacts, type Part } from '../../result/facts.ts'
import { statusWord } from '../../result/row-counts.ts'
import { rows } from '../text.ts'
import { areAllDry, headline, nextBox, nextMarkup, overallVerdict, verdictOf } from './headline.ts'
import { type Child, html, marked, moment, quoted, type Section, sectionsMarkup, table } from './html.ts'
import { columnsSection, doubtsSection, lossesSection, questionsSection, reasonsSection } from './problems.ts'
import { aboutSection, attentionSection, figuresSection, mergedSection, runsSection } from './tables.ts'

export function createPage(facts: PageFacts): string {
  const { parts, notStarted, next } = facts
  const [part] = parts
  const about = { ...facts, kind: areAllDry(parts) ? 'Dry run: nothing was sent' : 'Import report' }
  if (part === undefined || parts.length + notStarted.length > 1) {
    const lead = [overallVerdict(facts), nextBox(next)]
    const content = parts.map((each, at) => partMarkup(each, at, next))
    return documentMarkup(about, lead, '', [sectionsMarkup([overview(facts)], 'h2'), content])
  }
  const isFolded = (id: string) => part.type === 'dry_run' && ![...firstIds, 'samples'].includes(id)
  const sections = sectionsOf(part).map(each => ({ ...each, isFolded: isFolded(each.id) }))
  const lead = [headline(part, verdictOf(part, next)), nextMarkup(next, part)]
  return documentMarkup(about, lead, contents(sections), sectionsMarkup(sections, 'h2'))
}

/** A part under its own heading: what needs a person first, and all else in one box that opens. */
function partMarkup(part: Part, at: number, next: PageFacts['next']): Markup {
  const id = partId(at)
  const sections = sectionsOf(part)
  const first = sections.filter(section => firstIds.includes(section.id))
  const others = sections.filter(section => !firstIds.includes(section.id))
  return html`<section class="part" id="${id}" aria-labelledby="${id}-title">
<div class="masthead">
<h2 id="${id}-title">${quoted(part.name)}</h2>
${headline(part, verdictOf(part))}
${next === undefined && nextMarkup(next, part)}
</div>
${sectionsMarkup(first, 'h3', `${id}-`)}
<details><summary>More: ${others.map(({ title }) => title).join(', ')}</summary>
${sectionsMarkup(others, 'h3', `${id}-`)}
</details>
</section>
`
}

/** Links to the sections, if there are at least three. */
const contents = (sections: readonly Section[]): Child =>
  sections.length >= 3 &&
  html`<nav class="contents" aria-label="On this page"><ul>${sections.map(
    ({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`,
  )}</ul></nav>
`

const partId = (at: number) => `part-${at + 1}`

const sectionsOf = (part: Part): Section[] =>
  (part.type === 'log' ? logSections(part) : dryRunSections(part)).filter(section => section !== undefined)

/** Sections that need a person. */
const firstIds = ['questions', 'doubts', 'reasons', 'merged', 'losses', 'changed', 'near']

const changedSection = ({ changes, lastRun }: Part): Section | undefined =>
  changes && { id: 'changed', title: `${rows(lastRun?.changed ?? 0)} changed`, body: changes }

const logSections = (part: LogPart) => [
  ...[questionsSection, doubtsSection, reasonsSection, mergedSection].map(make => make(part)),
  ...[lossesSection, changedSection].map(make => make(part)),
  ...[figuresSection, attentionSection, runsSection, columnsSection, aboutSection].map(make => make(part)),
]

const nearSection = ({ near, lastRun }: DryRunPart): Section | undefined =>
  near && { id: 'near', title: `Near duplicates: ${rows(lastRun.near_duplicates?.rows ?? 0)}`, body: near }

const dryRunSections = (part: DryRunPart) => [
  ...[questionsSection, reasonsSection, lossesSection, changedSection].map(make => make(part)),
  nearSection(part),
  part.samples && { id: 'samples', title: 'From row to record', body: part.samples },
  ...[figuresSection, attentionSection, columnsSection, aboutSection].map(make => make(part)),
]

/** A line for each part, with a link to it and its most frequent problem. */
function overview({ parts, notStarted, next }: PageFacts): Section {
  const isDry = areAllDry(parts)
  const counts = isDry ? ['Would be sent', 'Invalid'] : ['With record', 'Merged', 'Need attention']
  const cells = parts.map((part, at): Child[] => {
    const { type, good, merged, bad } = verdictOf(part)
    const [unmet] = part.lastRun?.unmet ?? []
    const [worst] = part.reasons
    return [
      html`<a href="#${partId(at)}">${quoted(part.name)}</a>`,
      ...(isDry ? [good, bad] : [good, merged, bad]),
      isDry && type === 'done' ? marked('valid', 'nothing wrong') : verdictMarks[type],
      unmet?.message ??
        (worst &&
          html`<a href="#${partId(at)}-reasons">${rows(worst.rows)}</a> ${statusWord(worst.status)}: ${quoted(worst.reason)}`),
    ]
  })
  const mark = marked('duplicate', 'not begun')
  const others = notStarted.map((name): Child[] => [quoted(name), ...counts.map(() => ''), mark, ''])
  const [title, one] = next === undefined ? ['The logs', 'Log'] : ['The steps', 'Step']
  const columns = [one, ...counts, 'Status', 'What is wrong first']
  return { id: 'overview', title, body: table(title, columns, [...cells, ...others]) }
}

const verdictMarks = {
  done: marked('created', 'done'),
  attention: marked('invalid', 'needs attention'),
  stopped: marked('failed', 'stopped early'),
}

export function documentMarkup(
  { title, createdAt, version, kind }: Pick<PageFacts, 'title' | 'createdAt' | 'version'> & { kind: string },
  lead: Child,
  links: Child,
  content: Child,
) {
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
<header class="masthead">
<p class="brand"><b>rowlift</b> ${kind} <span class="zone">Times are in UTC</span></p>
<h1>${quoted(title)}</h1>
${lead}
</header>
${links}
<main id="content">
${content}
</main>
<footer>
<p>Made by rowlift ${version} on ${moment(createdAt)}.</p>
<p>This page holds personal data: share it only with people who may see it.</p>
<p role="status"></p>
</footer>
<script type="module">${new Markup(script)}</script>
</body>
</html>
`.text
}

/** A file that the build made; src/ and dist/ find it in the same place. */
const builtFile = (name: string) => packageFile(`dist/output/page/${name}`)
const style = builtFile('page.css') // at the end of a run the package may be another one
const script = builtFile('page.client.js')

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230b6b66' d='M2 12h12v2H2zM4 8h8v2H4zM6 4h4v2H6z'/%3E%3C/svg%3E"

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
