import { type Paint, paintFor } from './paint.ts'
import { stepWords } from './progress.ts'
import { type EndReport, nextField, type RunFacts, summaryFields } from './summary.ts'
import { blocksText, counts, nextLines, summaryText } from './summary-text.ts'
import { Tally } from './tally.ts'
import { grouped, type NextStep, spanOf } from './text.ts'
import { describeStop } from './words.ts'

/** The end of a step. */
export type StepFacts = { readonly name: string } & (
  | { readonly type: 'ended'; readonly facts: RunFacts; readonly exitCode: number }
  | { readonly type: 'refused'; readonly reason: string; readonly exitCode: number }
  | { readonly type: 'not_started' }
)

/** What the summary of a plan is made of. */
export interface PlanFacts {
  /** The plan file. */
  readonly plan: string
  readonly dryRun: boolean
  readonly durationMs: number
  /** In the order in which they run. */
  readonly steps: readonly StepFacts[]
  readonly next: readonly NextStep[]
}

/** The summary of a plan, for people and for programs. */
export function planEndReport(facts: PlanFacts): EndReport {
  const words = whyStopped(facts.steps)
  return {
    text: (showsCells, hasColors) => planSummaryText(facts, showsCells, paintFor(hasColors)),
    fields: () => planSummaryFields(facts),
    stopped: words === undefined ? undefined : { words, wasAsked: false },
  }
}

/** A block for each step, and the total. */
function planSummaryText(facts: PlanFacts, showsCells: boolean, paint: Paint): string {
  const { steps, dryRun, next } = facts
  const blocks = steps.map((step, at) => {
    const words = stepWords({ name: step.name, number: at + 1, of: steps.length })
    return `\n${words}${stepText(step, showsCells, paint)}`
  })
  const total = [
    [paint('bold', headline(facts))],
    counts({ dryRun, ...totalOf(steps) }, paint),
    nextLines(next, paint),
  ]
  return blocks.join('') + blocksText(total)
}

function stepText(step: StepFacts, showsCells: boolean, paint: Paint): string {
  if (step.type === 'ended') return summaryText(step.facts, showsCells, paint)
  return step.type === 'refused' ? `\nCould not begin: ${step.reason}\n` : '\nNot begun\n'
}

const isDone = (step: StepFacts) => step.type === 'ended' && step.facts.tally.stopReason === undefined

function headline({ steps, dryRun, durationMs, plan }: PlanFacts): string {
  const done = steps.filter(isDone).length
  const how = done === steps.length ? 'finished' : 'stopped early'
  return `${dryRun ? 'Dry run of the plan' : 'Plan'} ${plan} ${how} after ${spanOf(durationMs)}: ${grouped(done)} of ${grouped(steps.length)} steps done`
}

const talliesOf = (steps: readonly StepFacts[]): Tally[] =>
  steps.flatMap(step => (step.type === 'ended' ? [step.facts.tally] : []))

const totalOf = (steps: readonly StepFacts[]) => ({
  tally: Tally.sumOf(talliesOf(steps)),
  inDoubt: steps.reduce((sum, step) => sum + (step.type === 'ended' ? step.facts.inDoubt : 0), 0),
})

/** The same as one JSON object, for logs that a program reads. */
function planSummaryFields(facts: PlanFacts) {
  const { plan, dryRun, durationMs, steps, next } = facts
  const stopped = whyStopped(steps)
  const { tally, inDoubt } = totalOf(steps)
  return {
    plan,
    dry_run: dryRun,
    finished: steps.every(isDone),
    ...(stopped !== undefined && { stopped }),
    steps_done: steps.filter(isDone).length,
    rows: tally.rows,
    ...tally.ends,
    left_out: tally.leftOut,
    changed: tally.changed,
    in_doubt_total: inDoubt,
    duration_ms: durationMs,
    retries: tally.retries,
    throttled: tally.throttled,
    steps: steps.map(stepFields),
    ...nextField(next),
  }
}

function stepFields(step: StepFacts) {
  const { name } = step
  if (step.type === 'not_started') return { step: name, begun: false }
  if (step.type === 'refused')
    return { step: name, begun: false, exit_code: step.exitCode, stopped: step.reason }
  return { step: name, begun: true, exit_code: step.exitCode, ...summaryFields(step.facts) }
}

/** Which step stopped the plan, and why. */
function whyStopped(steps: readonly StepFacts[]): string | undefined {
  for (const step of steps) {
    if (step.type === 'refused') return `${step.name}: ${step.reason}`
    const reason = step.type === 'ended' ? step.facts.tally.stopReason : undefined
    if (reason !== undefined) return `${step.name}: ${describeStop(reason)}`
  }
  return undefined
}
