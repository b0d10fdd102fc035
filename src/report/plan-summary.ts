import type { CommandEnd, ImportPart } from './command-end.ts'
import { type Paint, paintFor } from './paint.ts'
import { stepWords } from './progress.ts'
import { type EndReport, nextField, summaryFields } from './summary.ts'
import { blocksText, counts, nextLines, summaryText } from './summary-text.ts'
import { Tally } from './tally.ts'
import { grouped, spanOf, visible } from './text.ts'
import { describeStop } from './words.ts'

/** What the summary of a plan is made of: its file, and its steps in the order in which they run. */
export interface PlanFacts extends Pick<CommandEnd, 'dryRun' | 'exitCode' | 'imports' | 'next'> {
  readonly plan: string
  readonly durationMs: number
}

export function planEndReport(facts: PlanFacts): EndReport {
  const words = whyStopped(facts)
  return {
    text: (showsCells, hasColors) => planSummaryText(facts, showsCells, paintFor(hasColors)),
    fields: () => planSummaryFields(facts),
    stopped: words === undefined ? undefined : { words, wasAsked: false },
  }
}

function planSummaryText(facts: PlanFacts, showsCells: boolean, paint: Paint): string {
  const { imports, dryRun, next } = facts
  const blocks = imports.map((step, at) => {
    const words = stepWords({ name: step.name ?? '', number: at + 1, of: imports.length })
    return `\n${visible(words)}${stepText(step, showsCells, paint)}`
  })
  const total = [
    [paint('bold', headline(facts))],
    counts({ dryRun, ...totalOf(imports) }, paint),
    nextLines(next, paint),
  ]
  return blocks.join('') + blocksText(total)
}

function stepText({ end, refused }: ImportPart, showsCells: boolean, paint: Paint): string {
  if (end !== undefined) return summaryText(end, showsCells, paint)
  return refused === undefined ? '\nNot begun\n' : `\nCould not begin: ${refused}\n`
}

const isDone = ({ end }: ImportPart) => end !== undefined && end.tally.stopReason === undefined

function headline({ imports, dryRun, durationMs, plan }: PlanFacts): string {
  const done = imports.filter(isDone).length
  const how = done === imports.length ? 'finished' : 'stopped early'
  return `${dryRun ? 'Dry run of the plan' : 'Plan'} ${plan} ${how} after ${spanOf(durationMs)}: ${grouped(done)} of ${grouped(imports.length)} steps done`
}

const totalOf = (imports: PlanFacts['imports']) => ({
  tally: Tally.sumOf(imports.flatMap(({ end }) => end?.tally ?? [])),
  inDoubt: imports.reduce((sum, { end }) => sum + (end?.inDoubt ?? 0), 0),
})

/** The same as one JSON object, for logs that a program reads. */
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
    rows: tally.rows,
    ...tally.ends,
    left_out: tally.leftOut,
    changed: tally.changed,
    in_doubt_total: inDoubt,
    duration_ms: durationMs,
    retries: tally.retries,
    throttled: tally.throttled,
    steps: imports.map(step => stepFields(step, facts)),
    ...nextField(next),
  }
}

/** The step that could not begin is the one with which the plan ended. */
function stepFields({ name: step, end, refused }: ImportPart, { exitCode }: PlanFacts) {
  if (end !== undefined) return { step, begun: true, exit_code: end.exitCode, ...summaryFields(end) }
  return { step, begun: false, ...(refused !== undefined && { exit_code: exitCode, stopped: refused }) }
}

function whyStopped({ imports }: PlanFacts): string | undefined {
  for (const { name, end, refused } of imports) {
    const reason = end?.tally.stopReason
    const words = reason === undefined ? refused : describeStop(reason)
    if (words !== undefined) return `${name}: ${words}`
  }
  return undefined
}
