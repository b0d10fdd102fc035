import { basename } from 'node:path'
import { byOption, storeOf, withFeatures } from '../../features.ts'
import type { RunEvent } from '../../model/events.ts'
import type { Logger } from '../../output/logger.ts'
import { endReport } from '../../output/summary-text.ts'
import { pathIn } from '../../platform/process-info.ts'
import type { ImportPart } from '../../result/run-result.ts'
import {
  exitCodeOfPlan,
  filesOfPlan,
  type Plan,
  type PlanSource,
  type PreparedStep,
  partOf,
  partOfEnd,
  planOfOne,
  preparePlan,
  runPlan,
  type StepEnd,
  StepStop,
} from '../../run/plan.ts'
import { importOptions } from '../../settings/options.ts'
import { mergeSettings, parseSettings } from '../../settings/settings.ts'
import { readSettings } from '../../settings/settings-sources.ts'
import type { ParsedArgs, Run } from '../command.ts'
import { type CliContext, portsOf } from '../context.ts'
import { nextSteps } from '../next-step.ts'
import { logEvent, type Reporter } from '../reporter.ts'
import { runReported, stopOnInterrupts } from '../run-reported.ts'

/**
 * Imports sources, or the steps of a plan file; returns the exit code. Throws when no step could start; summary, metrics and
 * page are written all the same.
 */
export const runImport: Run = async (parsed, context) => {
  const { positionals, flags } = parsed
  const sources = positionals.map(path => pathIn(context, path))
  const layers = await readSettings(importOptions, flags, context)
  const given = mergeSettings(layers.outside, layers.inFile)
  const alone = parseSettings(importOptions, given)
  if (alone.watch) {
    const { watchImport } = await byOption.watch()
    return watchImport(sources, alone, given, context)
  }
  const ports = portsOf(context)
  const { settings, load }: PlanSource =
    alone.plan === undefined
      ? { settings: alone, load: () => planOfOne(sources, alone, ports) }
      : await (await byOption.plan()).openPlan(alone, sources, layers, { ...ports, storeOf })
  let plan: Plan | undefined
  let unwatch: (() => void) | undefined
  return runReported({
    settings,
    given,
    context,
    title: alone.plan && basename(alone.plan),
    unbegun: () => plan?.steps.map(partOf) ?? [unknownPart],
    async work(reporter, outputs) {
      plan = await load()
      await outputs.check(filesOfPlan(plan))
      const steps = await preparePlan(plan, { ...ports, emit: emitTo(reporter), extend: withFeatures })
      const lookups = steps.flatMap(({ prepared }) => prepared.lookupFiles)
      await outputs.check(lookups.map(path => ({ path, role: 'lookup' })))
      const stopping = new StepStop()
      const startedMs = context.clock.now().getTime()
      const ends = await runPlan(steps, plan.links, {
        stopping,
        sinksOf: step => outputs.sinksOf(step),
        onStart(step) {
          unwatch ??= stopOnInterrupts(stopping, context, reporter.logger)
          return beginStep(step, steps, reporter, context)
        },
      })
      const durationMs = context.clock.now().getTime() - startedMs
      return resultOf(plan, ends, parsed, durationMs)
    },
  }).finally(() => unwatch?.())
}

/** A plan that cannot be read. */
const unknownPart: ImportPart = {
  name: undefined,
  asked: { sources: [], mapping: undefined, results: undefined },
  end: undefined,
}

/** Logs the events of all steps; a token file that others can read is reported once. JSON lines name the step. */
function emitTo({ logger, format }: Reporter): (step: string | undefined, event: RunEvent) => void {
  const sharedTokens = new Set<string>()
  const loggerOf = (step: string | undefined): Logger =>
    format === 'json' && step !== undefined ? logger.child({ step }) : logger
  return (step, event) => {
    if (event.type !== 'token_shared') return logEvent(loggerOf(step), event)
    if (!sharedTokens.has(event.path)) logEvent(logger, event)
    sharedTokens.add(event.path)
  }
}

function beginStep(
  step: PreparedStep,
  steps: readonly PreparedStep[],
  reporter: Reporter,
  { clock }: CliContext,
): () => void {
  const { name, prepared } = step
  const { totalBytes, tally } = prepared
  const numbered = name !== undefined && { step: { name, number: steps.indexOf(step) + 1, of: steps.length } }
  return reporter.begin({ tally, totalBytes, clock, ...numbered })
}

/** Throws if the first step could not start. */
function resultOf(plan: Plan, ends: readonly StepEnd[], parsed: ParsedArgs, durationMs: number) {
  const [first] = ends
  if (first?.type === 'refused') throw first.error
  const next = nextSteps(parsed, plan, ends)
  const result = { exitCode: exitCodeOfPlan(ends), imports: ends.map(partOfEnd), next }
  const { file = '', settings, report } = plan
  const isRead = !ends.some(each => each.type === 'ended' && each.end.stop_reason === 'reader_gone')
  const facts = { plan: file, dryRun: settings.dryRun, durationMs, ...result }
  const words = report?.(facts) ?? (first?.type === 'ended' ? endReport(first.end, next) : undefined)
  return { ...result, words: isRead ? words : undefined }
}
