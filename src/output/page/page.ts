// The page of an import: one HTML document that needs no other file. Begin at createPage, and at facts.ts for what it
// shows; page.client.ts is its script, and page.css its style.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { packageRoot } from '../../model/package.ts'
import { type DryRunPart, type LogPart, Markup, type PageFacts, type Part } from '../../result/facts.ts'
import { statusWord } from '../../result/row-counts.ts'
import { rows } from '../text.ts'
import {
  aboutSection,
  figuresSection,
  headline,
  nextBox,
  nextSteps,
  resultSentence,
  stepsMarkup,
  type Totals,
  verdictOf,
} from './headline.ts'
import {
  type Child,
  contents,
  html,
  marked,
  moment,
  quoted,
  type Section,
  sectionsMarkup,
  table,
} from './html.ts'
import { columnsSection, doubtsSection, lossesSection, reasonsSection } from './problems.ts'
import { attentionSection, mergedSection, nearSection, runsSection } from './tables.ts'

export function createPage(facts: PageFacts): string {
  const [only, another] = [...facts.parts, ...facts.unbegun]
  return typeof only === 'object' && another === undefined ? onePart(facts, only) : severalParts(facts)
}

function onePart(facts: PageFacts, part: Part): string {
  const { next } = facts
  const sections = sectionsOf(part)
  const links = contents(sections, '', 'On this page')
  const lead = [headline(part, verdictOf(part, next)), nextSteps(next, part)]
  return documentMarkup(facts, lead, links, sectionsMarkup(sections, 'h2', ''))
}

function severalParts(facts: PageFacts): string {
  const { parts, next } = facts
  if (parts.length === 0) return documentMarkup(facts, '', '', '')
  const lead = [overallVerdict(facts), next && next.length > 0 && nextBox(stepsMarkup(next))]
  const content = [
    sectionsMarkup([overview(facts)], 'h2', ''),
    parts.map((part, at) => partMarkup(part, at, next)),
  ]
  return documentMarkup(facts, lead, '', content)
}

function partMarkup(part: Part, at: number, next: PageFacts['next']): Markup {
  const id = partId(at)
  const sections = sectionsOf(part).map(section => ({ ...section, isFolded: !firstIds.includes(section.id) }))
  return html`<section class="part" id="${id}" aria-labelledby="${id}-title">
<div class="masthead">
<h2 id="${id}-title">${quoted(part.name)}</h2>
${headline(part, verdictOf(part))}
${next === undefined && nextSteps(next, part)}
</div>
${contents(sections, `${id}-`, `Sections of ${part.name}`)}
${sectionsMarkup(sections, 'h3', `${id}-`)}
</section>
`
}

const partId = (at: number) => `part-${at + 1}`
const isDry = ({ type }: Part) => type === 'dry_run'
const areAllDry = (parts: readonly Part[]) => parts.length > 0 && parts.every(isDry)

const sectionsOf = (part: Part): Section[] =>
  (part.type === 'log' ? logSections(part) : dryRunSections(part)).filter(section => section !== undefined)

/** What needs attention stands first, and is never folded. */
const firstIds = ['doubts', 'reasons', 'merged', 'losses']

const logSections = (part: LogPart) => [
  doubtsSection(part),
  reasonsSection(part),
  mergedSection(part),
  lossesSection(part),
  figuresSection(part),
  attentionSection(part),
  runsSection(part),
  columnsSection(part),
  aboutSection(part),
]

const folded = (section: Section | undefined) => section && { ...section, isFolded: true }

const dryRunSections = (part: DryRunPart) => [
  reasonsSection(part),
  lossesSection(part),
  nearSection(part),
  part.samples && { id: 'samples', title: 'From row to record', body: part.samples },
  ...[figuresSection(part), attentionSection(part), columnsSection(part), aboutSection(part)].map(folded),
]

/** A step is done when it came to the end of its rows, as the summary says it. */
function overallVerdict({ parts, unbegun, next }: PageFacts): Markup {
  const verdicts = parts.map(part => verdictOf(part))
  const isWrong = verdicts.some(({ type: each }) => each === 'attention')
  const stopped = verdicts.filter(({ type }) => type === 'stopped').length
  const total = (field: keyof Totals) => verdicts.reduce((sum, verdict) => sum + verdict[field], 0)
  const totals = { good: total('good'), merged: total('merged'), bad: total('bad'), leftOut: 0 } // each step tells its own
  const type = stopped + unbegun.length > 0 ? 'stopped' : isWrong ? 'attention' : 'done'
  const [all, done] = [parts.length + unbegun.length, parts.length - stopped]
  const steps =
    done === all ? `All ${all} steps are done.` : `${done} of ${all} steps ${done === 1 ? 'is' : 'are'} done.`
  return html`<p class="verdict ${type}">${next !== undefined && steps} ${resultSentence(totals, areAllDry(parts))}</p>`
}

/** A line for each part, with a link to it and what is wrong there most often. */
function overview({ parts, unbegun, next }: PageFacts): Section {
  const counts = areAllDry(parts) ? ['Would be sent', 'Invalid'] : ['With record', 'Merged', 'Need attention']
  const cells = parts.map((part, at): Child[] => {
    const { type, good, merged, bad } = verdictOf(part)
    const [first] = part.reasons
    const [unmet] = part.lastRun?.unmet ?? []
    const reason =
      first &&
      html`<a href="#${partId(at)}-reasons">${rows(first.rows)}</a> ${statusWord(first.status)}: ${quoted(first.reason)}`
    return [
      html`<a href="#${partId(at)}">${quoted(part.name)}</a>`,
      good,
      ...(areAllDry(parts) ? [] : [merged]),
      bad,
      verdictMarks[type],
      unmet?.message ?? reason,
    ]
  })
  const others = unbegun.map((name): Child[] => [
    quoted(name),
    ...counts.map(() => ''),
    marked('duplicate', 'not begun'),
    '',
  ])
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
  { title, createdAt, version, parts }: Omit<PageFacts, 'next' | 'unbegun'>,
  lead: Child,
  links: Child,
  content: Child,
) {
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
<header class="masthead">
<p class="brand"><b>rowlift</b> ${areAllDry(parts) ? 'Dry run: nothing was sent' : 'Import report'} <span class="zone">Times are in UTC</span></p>
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
</footer>
<script type="module">${new Markup(script)}</script>
</body>
</html>
`.text
}

/** A file that the build made; src/ and dist/ find it in the same place. */
const builtFile = (name: string) => readFileSync(new URL(`dist/output/page/${name}`, packageRoot), 'utf8')

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230b6b66' d='M2 12h12v2H2zM4 8h8v2H4zM6 4h4v2H6z'/%3E%3C/svg%3E"

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
