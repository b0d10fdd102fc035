import { commandLine } from '../command-line.ts'
import { spanOf } from '../numbers.ts'
import { command, moment, termList } from './elements.ts'
import type { DryRunPart, LogPart, Part } from './facts.ts'
import { type Child, html, type Markup, quoted } from './html.ts'
import { shareBar } from './share-bar.ts'
import { standingOf } from './standing.ts'

/** How a part stands and what to do next, and below that what was imported where. */
export function headline(part: Part): Markup {
  const { is, sentence } = standingOf(part)
  const stopped = part.lastRun?.stopped
  return html`<p class="verdict ${is}">${sentence}</p>
${shareBar(part)}
${stopped !== undefined && html`<p class="callout"><strong>The ${part.is === 'log' ? 'last run' : 'dry run'} stopped early:</strong> ${stopped}</p>`}
<div class="next"><strong>Next</strong> <div>${nextStep(part)}</div></div>
${part.is === 'log' ? logTerms(part) : dryRunTerms(part)}`
}

function nextStep(part: Part): Child {
  const told = part.lastRun?.next
  if (told !== undefined) return advice(told)
  if (part.is === 'dry_run') return 'No row would be sent: there is nothing left to do.'
  const { inDoubt, invalid, failed } = part.now
  const steps = [
    ...(inDoubt > 0
      ? [
          html`Look in the service for the rows in doubt, and settle them. ${command(commandLine(['resolve', part.log]))}`,
        ]
      : []),
    ...(invalid + failed > 0
      ? [html`Mend what is told below, then run the same import again: it goes on where the last run ended.`]
      : []),
  ]
  return steps.length > 0
    ? steps.map(step => html`<p>${step}</p>`)
    : html`<p>There is nothing left to do.</p>`
}

/** A sentence that may end in a command. */
function advice(told: string): Markup {
  const [, words, typed] = /^(.*?): (rowlift .*)$/su.exec(told) ?? []
  if (words === undefined || typed === undefined) return html`<p>${told}</p>`
  return html`<p>${words.slice(0, 1).toUpperCase()}${words.slice(1)}: ${command(typed)}</p>`
}

function logTerms({ opening, log, runs, lastRun }: LogPart): Markup {
  const last = runs.at(-1)
  const durationMs = lastRun?.durationMs ?? (last && Date.parse(last.lastAt) - Date.parse(last.startedAt))
  return termList([
    ['Service', html`${quoted(opening.base_url)}, organization ${String(opening.organization_id)}`],
    ['Records', html`${opening.record}s${opening.use_created === true && ' (use_created)'}`],
    [opening.sources.length === 1 ? 'Source' : 'Sources', list(opening.sources)],
    ['Mapping', quoted(opening.mapping)],
    ['Rows are named by', opening.key_columns.length > 0 ? list(opening.key_columns) : 'what stands in them'],
    ['Delivery', opening.delivery],
    ['Last run', html`${moment(opening.at)}${Number.isFinite(durationMs) && `, ${spanOf(durationMs ?? 0)}`}`],
    ['Result log', quoted(log)],
  ])
}

const dryRunTerms = ({ sources, mapping, lastRun }: DryRunPart): Markup =>
  termList([
    [sources.length === 1 ? 'Source' : 'Sources', list(sources)],
    ['Mapping', quoted(mapping)],
    ['Took', spanOf(lastRun.durationMs)],
  ])

const list = (texts: readonly string[]): Child =>
  texts.map((text, at) => html`${at > 0 && ', '}${quoted(text)}`)
