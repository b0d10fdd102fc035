// The head of a page or a part: the result in one sentence, and what to do next.
import type { LogPart, Markup, PageFacts, Part } from '../../result/facts.ts'
import type { NextStep } from '../../result/run-result.ts'
import { commandLine, counted, due, rows } from '../text.ts'
import { lookForSpares } from '../words/notices.ts'
import { type Child, command, html } from './html.ts'

export const areAllDry = (parts: readonly Part[]) =>
  parts.length > 0 && parts.every(({ type }) => type === 'dry_run')

type Totals = ReturnType<typeof totalsOf>
type Verdict = ReturnType<typeof verdictOf>

/** Returns the verdict on a part; a run knows whether merged rows, and those sent again, are as expected. */
export function verdictOf(part: Part, next: readonly NextStep[] = []) {
  const isDry = part.type === 'dry_run'
  const totals = totalsOf(part)
  const { good, merged, bad, leftOut } = totals
  const { stopped, unmet = [] } = part.lastRun ?? {}
  const shared = merged + (isDry ? 0 : part.unclear)
  const isWrong = bad + unmet.length + (part.lastRun === undefined ? shared : 0) > 0
  const type: 'done' | 'attention' | 'stopped' =
    stopped !== undefined ? 'stopped' : isWrong ? 'attention' : 'done'
  const isAll = good > 1 && merged + leftOut === 0 && type === 'done' && (isDry || next.length === 0)
  const isNone = good + merged + bad === 0 && !isDry
  const words = `${isAll ? 'All ' : ''}${resultSentence(totals, isDry)}`
  return { type, sentence: isNone ? 'No row has been processed yet.' : words, ...totals }
}

/** Rows that have a record of their own, or would be sent; that share one; that need attention, or are invalid; and the others. */
function totalsOf(part: Part) {
  const leftOut = part.lastRun?.left_out ?? 0
  if (part.type === 'dry_run')
    return { good: part.lastRun.valid, merged: 0, bad: part.lastRun.invalid, leftOut }
  const { created, existing, merged, invalid, failed, in_doubt, forgotten } = part.counts
  return { good: created + existing, merged, bad: invalid + failed + in_doubt + forgotten, leftOut }
}

/** `1,204 rows have their record, 2 were merged, 3 need attention.` */
function resultSentence({ good, merged, bad, leftOut }: Totals, isDry: boolean): string {
  const verb = isDry ? 'would be sent' : good > 1 ? 'have their record' : 'has its record'
  const badWords = isDry
    ? `${counted(bad, 'row is', 'rows are')} invalid`
    : `${counted(bad, 'needs', 'need')} attention`
  const parts = due(
    `${good === 0 ? 'No row' : rows(good)} ${verb}`,
    merged > 0 && `${counted(merged, 'was', 'were')} merged`,
    bad > 0 && badWords,
    isDry && leftOut > 0 && `${counted(leftOut, 'is', 'are')} left out by where`,
  )
  return `${parts.join(', ')}.`
}

/** A step is done when it came to the end of its rows, as in the summary. */
export function overallVerdict({ parts, notStarted, next }: PageFacts): Markup {
  const verdicts = parts.map(part => verdictOf(part))
  const countOf = (type: Verdict['type']) => verdicts.filter(each => each.type === type).length
  const total = (field: keyof Totals) => verdicts.reduce((sum, verdict) => sum + verdict[field], 0)
  const totals = { good: total('good'), merged: total('merged'), bad: total('bad'), leftOut: 0 } // each step has its own
  const all = parts.length + notStarted.length
  const done = parts.length - countOf('stopped')
  const type = done < all ? 'stopped' : countOf('attention') > 0 ? 'attention' : 'done'
  const isDry = areAllDry(parts)
  const steps = done === all ? `All ${all} steps are` : `${done} of ${all} steps ${done === 1 ? 'is' : 'are'}`
  const ended = next !== undefined && `${steps} ${isDry ? 'checked' : 'done'}.`
  return html`<p class="verdict ${type}">${ended} ${resultSentence(totals, isDry)}</p>`
}

export function headline(part: Part, { sentence, type }: Verdict): Markup {
  const { stopped, unmet = [] } = part.lastRun ?? {}
  return html`<p class="verdict ${type}">${sentence}</p>
${unmet.map(({ message }) => html`<p class="callout"><strong>Not as expected:</strong> ${message}</p>`)}
${stopped !== undefined && html`<p class="callout"><strong>The ${part.type === 'log' ? 'last run' : 'dry run'} stopped early:</strong> ${stopped}</p>`}`
}

/** Shows what is left to do, from the command, or from a log that is read later; nothing if neither knows. */
export function nextMarkup(next: readonly NextStep[] | undefined, part: Part): Child {
  if (next === undefined && part.type === 'log' && verdictOf(part).bad + part.unclear > 0)
    return boxed(nextOfLog(part))
  const isDone = verdictOf(part).type === 'done'
  return nextBox(next) || (isDone && boxed(html`<p>There is nothing left to do.</p>`))
}

export const nextBox = (next: readonly NextStep[] = []): Child =>
  next.length > 0 && boxed(next.map(stepMarkup))

const boxed = (steps: Child): Markup =>
  html`<div class="next"><strong>Next</strong> <div>${steps}</div></div>`

const stepMarkup = ({ advice, args }: NextStep): Markup => html`<p>${advice}:</p>
${command(commandLine(args))}
`

function nextOfLog({ counts, unclear, log }: LogPart): Child {
  const { in_doubt: inDoubt, invalid, failed, forgotten } = counts
  const advice = 'Look for the rows in doubt in the service, and settle them'
  return [
    inDoubt > 0 && stepMarkup({ advice, args: ['resolve', log] }),
    unclear > 0 && stepMarkup(lookForSpares(log)),
    invalid + failed + forgotten > 0 &&
      html`<p>Fix the problems below, then run the same import again: it continues where the last run ended.</p>`,
  ]
}
