import type { DryRunPart, LogPart, Markup, Part } from '../../result/facts.ts'
import { allStatuses, type Status, statuses, statusWord } from '../../result/row-counts.ts'
import type { NextStep } from '../../result/run-result.ts'
import { commandLine, grouped, rows, spanOf } from '../text.ts'
import {
  type Child,
  command,
  html,
  list,
  marked,
  moment,
  quoted,
  type Section,
  table,
  termList,
} from './html.ts'

/** Rows that have a record of their own, or would be sent; that share one; that need attention, or are invalid; and the others. */
export interface Totals {
  readonly good: number
  readonly merged: number
  readonly bad: number
  readonly leftOut: number
}

export interface Verdict extends Totals {
  readonly type: 'done' | 'attention' | 'stopped'
  readonly sentence: string
}

/** A run says itself whether merged rows are as expected. `next` is what its command says. */
export function verdictOf(part: Part, next: readonly NextStep[] = []): Verdict {
  const isDry = part.type === 'dry_run'
  const leftOut = part.lastRun?.left_out ?? 0
  const totals = { ...(isDry ? dryRunTotals(part) : logTotals(part)), leftOut }
  const { good, merged, bad } = totals
  const { stopped, unmet = [] } = part.lastRun ?? {}
  const isWrong = bad + unmet.length + (part.lastRun === undefined ? merged : 0) > 0
  const type = stopped !== undefined ? 'stopped' : isWrong ? 'attention' : 'done'
  const isAll = good > 1 && merged + leftOut === 0 && type === 'done' && (isDry || next.length === 0)
  const isNone = good + merged + bad === 0 && !isDry
  const words = `${isAll ? 'All ' : ''}${resultSentence(totals, isDry)}`
  return { type, sentence: isNone ? 'No row has been processed yet.' : words, ...totals }
}

const dryRunTotals = ({ lastRun: { valid: good, invalid: bad } }: DryRunPart) => ({ good, merged: 0, bad })

const logTotals = ({ counts }: LogPart) => ({
  good: counts.created + counts.existing,
  merged: counts.merged,
  bad: counts.invalid + counts.failed + counts.in_doubt,
})

/** `1,204 rows have their record, 2 were merged, 3 need attention.` */
export function resultSentence({ good, merged, bad, leftOut }: Totals, isDry: boolean): string {
  const goodRows = good === 0 ? 'No row' : rows(good)
  const has = good > 1 ? 'have their' : 'has its'
  const badWords = isDry
    ? `, ${rows(bad)} ${bad === 1 ? 'is' : 'are'} invalid`
    : `, ${grouped(bad)} ${bad === 1 ? 'needs' : 'need'} attention`
  const mergedWords = `, ${grouped(merged)} ${merged === 1 ? 'was' : 'were'} merged`
  const leftOutWords = `, ${grouped(leftOut)} ${leftOut === 1 ? 'is' : 'are'} left out by where`
  return `${goodRows} ${isDry ? 'would be sent' : `${has} record`}${merged > 0 ? mergedWords : ''}${bad > 0 ? badWords : ''}${isDry && leftOut > 0 ? leftOutWords : ''}.`
}

export function headline(part: Part, { sentence, type }: Verdict): Markup {
  const { stopped, unmet = [] } = part.lastRun ?? {}
  return html`<p class="verdict ${type}">${sentence}</p>
${unmet.map(({ message }) => html`<p class="callout"><strong>Not as expected:</strong> ${message}</p>`)}
${stopped !== undefined && html`<p class="callout"><strong>The ${part.type === 'log' ? 'last run' : 'dry run'} stopped early:</strong> ${stopped}</p>`}`
}

export const aboutSection = (part: Part): Section => ({
  id: 'about',
  title: part.type === 'log' ? 'This import' : 'This dry run',
  body: part.type === 'log' ? logTerms(part) : dryRunTerms(part),
})

/** What is left to do, as the command says it, or as a log shows that is read later. Nothing where neither knows. */
export function nextSteps(next: readonly NextStep[] | undefined, part: Part): Child {
  if (next === undefined && part.type === 'log' && verdictOf(part).bad > 0) return nextBox(nextOfLog(part))
  if (next !== undefined && next.length > 0) return nextBox(stepsMarkup(next))
  return verdictOf(part).type === 'done' && nextBox(html`<p>There is nothing left to do.</p>`)
}

export const nextBox = (steps: Child): Markup =>
  html`<div class="next"><strong>Next</strong> <div>${steps}</div></div>`

export const stepsMarkup = (next: readonly NextStep[]): Child =>
  next.map(
    ({ advice, args }) => html`<p>${advice}:</p>
${command(commandLine(args))}
`,
  )

function nextOfLog({ counts: { in_doubt: inDoubt, invalid, failed }, log }: LogPart): Child {
  const advice = 'Look for the rows in doubt in the service, and settle them'
  return html`${inDoubt > 0 && stepsMarkup([{ advice, args: ['resolve', log] }])}${
    invalid + failed > 0 &&
    html`<p>Fix the problems below, then run the same import again: it continues where the last run ended.</p>`
  }`
}

function logTerms({ opening, log, runs, lastRun }: LogPart): Markup {
  const durationMs = lastRun?.duration_ms ?? runs.at(-1)?.durationMs
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
    ['Last run', html`${moment(opening.at)}${durationMs !== undefined && `, ${spanOf(durationMs)}`}`],
    ['Result log', quoted(log)],
  ])
}

const dryRunTerms = ({ sources, mapping, lastRun }: DryRunPart): Markup =>
  termList([
    [sources.length === 1 ? 'Source' : 'Sources', list(sources)],
    ['Mapping', quoted(mapping)],
    ['Took', spanOf(lastRun.duration_ms)],
  ])

/** Only a run counts them, and they need nobody. */
const unmarked: ReadonlySet<Status> = new Set(['done', 'left_out', 'held'])

/**
 * The rows by what became of them: in the last run, as its summary counts them, and so far, each row once by its latest line.
 * What is zero is left out.
 */
export function figuresSection(part: Part): Section {
  const isLog = part.type === 'log'
  const run = part.lastRun
  const soFar: Readonly<Record<string, number>> = isLog ? { ...part.counts, duplicate: part.duplicates } : {}
  const lines: readonly (readonly [label: Child, run: number, soFar: number | '', note: string])[] = [
    ...allStatuses.map(status => {
      const label = unmarked.has(status) ? statusWord(status) : marked(status)
      return [label, run?.[status] ?? 0, soFar[status] ?? '', statuses[status][1]] as const
    }),
    ['of these changed', run?.changed ?? 0, '', 'since their record was created; there is no update call'],
    ['all rows', run?.rows ?? 0, '', 'that were read'],
  ]
  const shown = lines.filter(([, inRun, inLog]) => inRun > 0 || Number(inLog) > 0)
  const columns = [...(run ? [isLog ? 'Last run' : 'Rows'] : []), ...(isLog ? ['So far'] : [])]
  const title = isLog ? 'What became of the rows' : 'What would become of the rows'
  return {
    id: 'figures',
    title,
    body: html`${table(
      title,
      ['', ...columns, ''],
      shown.map(([label, inRun, inLog, note]) => [
        label,
        ...(run ? [inRun] : []),
        ...(isLog ? [inLog] : []),
        html`<small>${note}</small>`,
      ]),
    )}
${isLog && remarks(part)}`,
  }
}

const remarks = ({ recovered, byHand }: LogPart): Child[] => [
  recovered > 0 &&
    html`<p>${rows(recovered)} had been refused or in doubt, and ${recovered === 1 ? 'has its' : 'have their'} record now.</p>`,
  byHand > 0 && html`<p>${rows(byHand)} ${byHand === 1 ? 'was' : 'were'} settled by hand.</p>`,
]
