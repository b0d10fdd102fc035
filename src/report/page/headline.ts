import { commandLine, grouped, type NextStep, spanOf } from '../text.ts'
import { type DryRunPart, type LogPart, type Part, rowStatuses } from './facts.ts'
import { rows } from './format.ts'
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
  table,
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

/** `next` is what the command says; undefined where a log is read later. */
export function verdictOf(part: Part, next: readonly NextStep[] = []): Verdict {
  const isDry = part.type === 'dry_run'
  const [good, bad] = isDry ? dryRunTotals(part) : logTotals(part)
  const isStopped = part.lastRun?.stopped !== undefined
  const unmet = part.lastRun?.unmet ?? []
  const type = isStopped ? 'stopped' : bad + unmet.length > 0 ? 'attention' : 'done'
  const isAll = good > 1 && type === 'done' && (isDry || next.length === 0)
  if (good + bad === 0 && !isDry) return { type, sentence: 'No row has been processed yet.', good, bad }
  return { type, sentence: `${isAll ? 'All ' : ''}${resultSentence(good, bad, isDry)}`, good, bad }
}

const dryRunTotals = ({ lastRun }: DryRunPart) =>
  [lastRun.rows.valid ?? 0, lastRun.rows.invalid ?? 0] as const

/** A row that shares the record of another one has it, where the import allows that. */
const logTotals = ({ counts, lastRun }: LogPart) => {
  const { created, existing, merged, invalid, failed, in_doubt: inDoubt } = counts
  const allowed = lastRun?.allowsMerged ? merged : 0
  return [created + existing + allowed, merged - allowed + invalid + failed + inDoubt] as const
}

/** `1,204 rows have their record, 3 need attention.` */
export function resultSentence(good: number, bad: number, isDry: boolean): string {
  const goodRows = good === 0 ? 'No row' : rows(good)
  const has = good > 1 ? 'have their' : 'has its'
  const badWords = isDry
    ? `, ${rows(bad)} ${bad === 1 ? 'is' : 'are'} invalid`
    : `, ${grouped(bad)} ${bad === 1 ? 'needs' : 'need'} attention`
  return `${goodRows} ${isDry ? 'would be sent' : `${has} record`}${bad > 0 ? badWords : ''}.`
}

/** How a part went, what is not as expected, and why it stopped. */
export function headline(part: Part, { sentence, type }: Verdict): Markup {
  const { stopped, unmet = [] } = part.lastRun ?? {}
  return html`<p class="verdict ${type}">${sentence}</p>
${unmet.map(words => html`<p class="callout"><strong>Not as expected:</strong> ${words}</p>`)}
${stopped !== undefined && html`<p class="callout"><strong>The ${part.type === 'log' ? 'last run' : 'dry run'} stopped early:</strong> ${stopped}</p>`}`
}

/** What was imported where. */
export const aboutSection = (part: Part): Section => ({
  id: 'about',
  title: part.type === 'log' ? 'This import' : 'This dry run',
  body: part.type === 'log' ? logTerms(part) : dryRunTerms(part),
})

/** What to do next. */
export const nextBox = (steps: Child): Markup =>
  html`<div class="next"><strong>Next</strong> <div>${steps}</div></div>`

/** What the command says. */
export const nextSteps = (next: readonly NextStep[], isDry: boolean): Child =>
  next.length === 0
    ? html`<p>${isDry ? 'No row would be sent: there' : 'There'} is nothing left to do.</p>`
    : next.map(
        ({ advice, args }) => html`<p>${advice}:</p>
${command(commandLine(args))}
`,
      )

/** What a log says that is read later. */
export function nextOfLog({ counts, log }: LogPart): Child {
  const { in_doubt: inDoubt, invalid, failed } = counts
  if (inDoubt + invalid + failed === 0) return nextSteps([], false)
  return html`${
    inDoubt > 0 &&
    html`<p>Look for the rows in doubt in the service, and settle them:</p>
${command(commandLine(['resolve', log]))}
`
  }${invalid + failed > 0 && html`<p>Fix the problems below, then run the same import again: it continues where the last run ended.</p>`}`
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

const notes: Readonly<Record<string, string>> = {
  valid: 'pass the mapping',
  created: 'the service created their record',
  existing: 'the service already had a similar contact',
  merged: 'the service returned the record of another row; these values are nowhere',
  in_doubt: 'sent, but no answer says whether the record exists',
  failed: 'no record was created',
  invalid: 'refused before anything is sent',
  duplicate: 'another row has the same key',
  'left alone': 'have their record from an earlier run',
  'held in doubt': 'left in doubt by an earlier run, and not sent again',
  'left out': 'by where',
  'of these changed': 'read otherwise now than when their record was created; there is no update call',
  'all rows': 'that were read',
}

const statuses = ['valid', ...rowStatuses, 'duplicate'] as const

/**
 * The rows by what became of them: in the last run, as its summary counts them, and so far, each row once by its latest line.
 * What is zero is left out.
 */
export function figuresSection(part: Part): Section {
  const isLog = part.type === 'log'
  const { rows: run, changed = 0 } = part.lastRun ?? {}
  const soFar: Readonly<Record<string, number>> = isLog ? { ...part.counts, duplicate: part.duplicates } : {}
  const lines: readonly (readonly [name: string, label: Child, run: number, soFar: number | ''])[] = [
    ...statuses.map(name => [name, marked(name), run?.[name] ?? 0, soFar[name] ?? 0] as const),
    ['left alone', 'left alone', run?.done ?? 0, ''],
    ['of these changed', 'of these changed', changed, ''],
    ['held in doubt', 'held in doubt', run?.held ?? 0, ''],
    ['left out', 'left out', run?.left_out ?? 0, ''],
    ['all rows', 'all rows', Object.values(run ?? {}).reduce((sum, count) => sum + count, 0), ''],
  ]
  const shown = lines.filter(([, , inRun, inLog]) => inRun > 0 || Number(inLog) > 0)
  const columns = [...(run ? [isLog ? 'Last run' : 'Rows'] : []), ...(isLog ? ['So far'] : [])]
  const title = isLog ? 'What became of the rows' : 'What would become of the rows'
  return {
    id: 'figures',
    title,
    body: html`${table(
      title,
      ['', ...columns, ''],
      shown.map(([name, label, inRun, inLog]) => [
        label,
        ...(run ? [inRun] : []),
        ...(isLog ? [inLog] : []),
        html`<small>${notes[name]}</small>`,
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
