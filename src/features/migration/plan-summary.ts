import { type Paint, paintFor } from '../../output/paint.ts'
import { stepWords } from '../../output/progress.ts'
import { blocksText, counts, type EndReport, nextLines, summaryText } from '../../output/summary-text.ts'
import { grouped, nextText, spanOf, visible } from '../../output/text.ts'
import { RowCounts } from '../../result/row-counts.ts'
import { fieldsOf, type ImportPart } from '../../result/run-result.ts'
import type { PlanFacts } from '../../run/plan.ts'

export function planEndReport(facts: PlanFacts): EndReport {
  const words = whyStopped(facts)
  return {
    text: (showsCells, hasColors) => planSummaryText(facts, showsCells, paintFor(hasColors)),
    fields: () => planSummaryFields(facts),
    stopped: words === undefined ? undefined : { words, bySignal: false },
  }
}

function planSummaryText(facts: PlanFacts, showsCells: boolean, paint: Paint): string {
  const { imports, dryRun, next } = facts
  const blocks = imports.map((step, at) => {
    const words = stepWords({ name: step.name ?? '', number: at + 1, of: imports.length })
    return `\n${visible(words)}${stepText(step, showsCells, paint)}`
  })
  const { tally, inDoubt } = totalOf(imports)
  const total = [
    [paint('bold', headline(facts))],
    counts(tally, dryRun ? 0 : inDoubt, paint),
    nextLines(next, paint),
  ]
  return blocks.join('') + blocksText(total)
}

function stepText({ end, refused }: ImportPart, showsCells: boolean, paint: Paint): string {
  if (end !== undefined) return summaryText(end, showsCells, paint)
  return refused === undefined ? '\nNot begun\n' : `\nCould not begin: ${refused}\n`
}

const isDone = ({ end }: ImportPart) => end?.finished === true

function headline({ imports, dryRun, durationMs, plan }: PlanFacts): string {
  const done = imports.filter(isDone).length
  const how = done === imports.length ? 'finished' : 'stopped early'
  return `${dryRun ? 'Dry run of the plan' : 'Plan'} ${plan} ${how} after ${spanOf(durationMs)}: ${grouped(done)} of ${grouped(imports.length)} steps done`
}

const totalOf = (imports: PlanFacts['imports']) => ({
  tally: RowCounts.sumOf(imports.flatMap(({ end }) => end?.details.tally ?? [])),
  inDoubt: imports.reduce((sum, { end }) => sum + (end?.in_doubt_total ?? 0), 0),
})

/** Returns the summary as one JSON object, for logs that a program reads. */
function planSummaryFields(facts: PlanFacts) {
  const { plan, dryRun, durationMs, imports, next } = facts
  const stopped = whyStopped(facts)
  const { tally, inDoubt } = totalOf(imports)
  return {
    plan,
    dry_run: dryRun,
    finished: imports.every(isDone),
    ...(stopped !== undefined && { stopped }),
    steps_done: imports.filter(isDone).length,
    ...tally.fields,
    in_doubt_total: inDoubt,
    duration_ms: durationMs,
    steps: imports.map(step => stepFields(step, facts)),
    next: nextText(next),
  }
}

/** Returns the fields of a step. The plan ended with the one that could not begin. */
function stepFields({ name: step, end, refused }: ImportPart, { exitCode }: PlanFacts) {
  if (end !== undefined) return { step, begun: true, ...fieldsOf(end) }
  return { step, begun: false, ...(refused !== undefined && { exit_code: exitCode, stopped: refused }) }
}

function whyStopped({ imports }: PlanFacts): string | undefined {
  const ended = imports.find(({ end, refused }) => (end?.stopped ?? refused) !== undefined)
  return ended && `${ended.name}: ${ended.end?.stopped ?? ended.refused}`
}
