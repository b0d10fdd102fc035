import { commandLine, grouped, spanOf } from '../text.ts'
import type { DryRunPart, LogPart, Part } from './facts.ts'
import { type MarkedStatus, rows } from './format.ts'
import {
  type Child,
  command,
  html,
  list,
  type Markup,
  marked,
  moment,
  quoted,
  type Section,
  termList,
} from './html.ts'

/** How a part went, in a sentence and in numbers. */
export interface Verdict {
  readonly type: 'done' | 'attention' | 'stopped'
  readonly sentence: string
  /** Rows that have their record, or would be sent. */
  readonly good: number
  /** Rows that need attention, or are invalid. */
  readonly bad: number
}

export function verdictOf(part: Part): Verdict {
  const isDry = part.type === 'dry_run'
  const [good, bad] = isDry ? dryRunTotals(part) : logTotals(part)
  const isStopped = part.lastRun?.stopped !== undefined
  const type = isStopped ? 'stopped' : bad > 0 ? 'attention' : 'done'
  const isAll = good > 1 && type === 'done' && (isDry || (part.lastRun?.next ?? []).length === 0)
  if (good + bad === 0 && !isDry) return { type, sentence: 'No row has been processed yet.', good, bad }
  return { type, sentence: `${isAll ? 'All ' : ''}${resultSentence(good, bad, isDry)}`, good, bad }
}

const dryRunTotals = ({ lastRun }: DryRunPart) =>
  [lastRun.rows.valid ?? 0, lastRun.rows.invalid ?? 0] as const

const logTotals = ({ counts: { created, existing, invalid, failed, in_doubt: inDoubt } }: LogPart) =>
  [created + existing, invalid + failed + inDoubt] as const

/** `1,204 rows have their record, 3 need attention.` */
export function resultSentence(good: number, bad: number, isDry: boolean): string {
  const goodRows = good === 0 ? 'No row' : rows(good)
  const has = good > 1 ? 'have their' : 'has its'
  const badWords = isDry
    ? `, ${rows(bad)} ${bad === 1 ? 'is' : 'are'} invalid`
    : `, ${grouped(bad)} ${bad === 1 ? 'needs' : 'need'} attention`
  return `${goodRows} ${isDry ? 'would be sent' : `${has} record`}${bad > 0 ? badWords : ''}.`
}

/** How a part went and what to do next; below that, what was imported where. */
export function headline(part: Part): Markup {
  const { type, sentence } = verdictOf(part)
  const stopped = part.lastRun?.stopped
  return html`<p class="verdict ${type}">${sentence}</p>
${stopped !== undefined && html`<p class="callout"><strong>The ${part.type === 'log' ? 'last run' : 'dry run'} stopped early:</strong> ${stopped}</p>`}
<div class="next"><strong>Next</strong> <div>${nextSteps(part)}</div></div>
${part.type === 'log' ? logTerms(part) : dryRunTerms(part)}`
}

function nextSteps(part: Part): Child {
  const next = part.lastRun?.next ?? []
  if (next.length > 0)
    return next.map(
      ({ advice, args }) => html`<p>${advice}:</p>
${command(commandLine(args))}
`,
    )
  if (part.type === 'dry_run') return html`<p>No row would be sent: there is nothing left to do.</p>`
  const { in_doubt: inDoubt, invalid, failed } = part.counts
  if (inDoubt + invalid + failed === 0) return html`<p>There is nothing left to do.</p>`
  return html`${inDoubt > 0 && html`<p>Look for the rows in doubt in the service, and settle them. ${command(commandLine(['resolve', part.log]))}</p>`}
${invalid + failed > 0 && html`<p>Fix the problems below, then run the same import again: it continues where the last run ended.</p>`}`
}

function logTerms({ opening, log, runs, lastRun }: LogPart): Markup {
  const last = runs.at(-1)
  const durationMs = lastRun?.durationMs ?? (last && Date.parse(last.lastAt) - Date.parse(last.startedAt))
  return termList([
    ['Service', html`${quoted(opening.base_url)}, organization ${String(opening.organization_id)}`],
    ['Records', html`${opening.record}s${opening.use_created === true && ' (use_created)'}`],
    [opening.sources.length === 1 ? 'Source' : 'Sources', list(opening.sources)],
    ['Mapping', quoted(opening.mapping)],
    [
      'Key columns',
      opening.key_columns.length > 0 ? list(opening.key_columns) : 'none; the content names a row',
    ],
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

type Figure = readonly [name: Child, count: number, note: string]

/** The rows by what became of them, each count with a note; those that are zero are left out. */
export function figuresSection(part: Part): Section {
  const isLog = part.type === 'log'
  const figures = [...(isLog ? logFigures(part) : dryRunFigures(part)), ...runFigures(part)]
  return {
    id: 'figures',
    title: isLog ? 'What became of the rows' : 'What would become of the rows',
    body: html`<dl class="figures">${figures
      .filter(([, count]) => count > 0)
      .map(
        ([
          name,
          count,
          note,
        ]) => html`<div><dt>${name}</dt><dd><b>${grouped(count)}</b> <small>${note}</small></dd></div>
`,
      )}</dl>
${isLog && remarks(part)}`,
  }
}

const figure = (status: MarkedStatus, count: number | undefined, note: string): Figure => [
  marked(status),
  count ?? 0,
  note,
]

const duplicateNote = 'another row has the same key'

const logFigures = ({ counts, duplicates }: LogPart): Figure[] => [
  figure('created', counts.created, 'the service created their record'),
  figure('existing', counts.existing, 'the service already had a similar contact'),
  figure('merged', counts.merged, 'the service returned the record of another row'),
  figure('in_doubt', counts.in_doubt, 'sent, but no answer says whether the record exists'),
  figure('failed', counts.failed, 'no record was created'),
  figure('invalid', counts.invalid, 'refused before anything was sent'),
  figure('duplicate', duplicates, duplicateNote),
]

const dryRunFigures = ({ lastRun: { rows: counts } }: DryRunPart): Figure[] => [
  figure('valid', counts.valid, 'pass the mapping'),
  figure('invalid', counts.invalid, 'would be refused before anything is sent'),
  figure('duplicate', counts.duplicate, duplicateNote),
]

/** Counts that a log does not have. */
function runFigures({ lastRun }: Part): Figure[] {
  const { done = 0, held = 0, left_out: leftOut = 0 } = lastRun?.rows ?? {}
  const changedNote = 'have their record, but their source has changed; there is no update call'
  return [
    ['left alone', done, 'have their record from an earlier run'],
    ['held in doubt', held, 'left in doubt by an earlier run, and not sent again'],
    ['left out', leftOut, 'by where, in the last run'],
    ['changed since', lastRun?.changed ?? 0, changedNote],
  ]
}

const remarks = ({ recovered, byHand }: LogPart): Child[] => [
  recovered > 0 &&
    html`<p>${rows(recovered)} had been refused or in doubt, and ${recovered === 1 ? 'has its' : 'have their'} record now.</p>`,
  byHand > 0 && html`<p>${rows(byHand)} ${byHand === 1 ? 'was' : 'were'} settled by hand.</p>`,
]
