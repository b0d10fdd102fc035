import { type Paint, paintFor } from '../../output/paint.ts'
import { stepWords } from '../../output/progress.ts'
import { blocksText, counts, type EndReport, nextLines, summaryText } from '../../output/summary-text.ts'
import { grouped, nextText, spanOf, visible } from '../../output/text.ts'
import { RowCounts } from '../../result/row-counts.ts'
import { fieldsOf, type ImportPart } from '../../result/run-result.ts'
import type { PlanFacts } from '../../run/plan.ts'

export function planEndReport({ imports, dryRun, exitCode, durationMs, plan, next }: PlanFacts): EndReport {
  const ended = imports.find(({ end, refused }) => (end?.stopped ?? refused) !== undefined)
  const stopped = ended && `${ended.name}: ${ended.end?.stopped ?? ended.refused}`
  const done = imports.filter(({ end }) => end?.finished === true).length
  const tally = RowCounts.sumOf(imports.flatMap(({ end }) => end?.details.tally ?? []))
  const inDoubt = imports.reduce((sum, { end }) => sum + (end?.in_doubt_total ?? 0), 0)
  const how = done === imports.length ? 'finished' : 'stopped early'
  const headline = `${dryRun ? 'Dry run of the plan' : 'Plan'} ${plan} ${how} after ${spanOf(durationMs)}: ${grouped(done)} of ${grouped(imports.length)} steps done`
  return {
    text(showsCells, hasColors) {
      const paint = paintFor(hasColors)
      const blocks = imports.map((step, at) => {
        const words = stepWords({ name: step.name ?? '', number: at + 1, of: imports.length })
        return `\n${visible(words)}${stepText(step, showsCells, paint)}`
      })
      const lines = counts(tally, dryRun ? 0 : inDoubt, paint)
      return blocks.join('') + blocksText([[paint('bold', headline)], lines, nextLines(next, paint)])
    },
    fields: () => ({
      plan,
      dry_run: dryRun,
      finished: done === imports.length,
      ...(stopped !== undefined && { stopped }),
      steps_done: done,
      ...tally.fields,
      in_doubt_total: inDoubt,
      duration_ms: durationMs,
      steps: imports.map(step => stepFields(step, exitCode)),
      next: nextText(next),
    }),
    stopped: stopped === undefined ? undefined : { words: stopped, bySignal: false },
  }
}

function stepText({ end, refused }: ImportPart, showsCells: boolean, paint: Paint): string {
  if (end !== undefined) return summaryText(end, showsCells, paint)
  return refused === undefined ? '\nNot begun\n' : `\nCould not begin: ${refused}\n`
}

/** Returns the fields of a step. The plan ended with the one that could not begin. */
function stepFields({ name: step, end, refused }: ImportPart, exitCode: PlanFacts['exitCode']) {
  if (end !== undefined) return { step, begun: true, ...fieldsOf(end) }
  return { step, begun: false, ...(refused !== undefined && { exit_code: exitCode, stopped: refused }) }
}
