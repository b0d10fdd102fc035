import { basename } from 'node:path'
import { byOption, storeOf, withFeatures } from '../../features.ts'
import { UsageError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import { Stop } from '../../model/stop.ts'
import type { Logger } from '../../output/logger.ts'
import { endReport, limitLine } from '../../output/summary-text.ts'
import { endedAtOnce, stopping } from '../../output/words/notices.ts'
import { describeError } from '../../output/words.ts'
import { pathIn } from '../../platform/process-info.ts'
import type { CommandEnd } from '../../result/run-result.ts'
import { exitCodeOfThrown, exitCodes } from '../../run/exit-code.ts'
import { openOutputs } from '../../run/outputs.ts'
import {
  exitCodeOfPlan,
  filesOfPlan,
  type Plan,
  partOf,
  planOfOne,
  preparePlan,
  runPlan,
} from '../../run/plan.ts'
import { importOptions } from '../../settings/options.ts'
import { mergeSettings, parseSettings, readSettings } from '../../settings/settings.ts'
import type { Run } from '../command.ts'
import { type CliContext, portsOf, printTo } from '../context.ts'
import { nextSteps } from '../next-step.ts'
import { createReporter, logEvent, type Reporter } from '../reporter.ts'

/**
 * Imports sources, or the steps of a plan file; returns the exit code. Throws if no step could start; summary, metrics and
 * page are written all the same.
 */
export const runImport: Run = async (parsed, context) => {
  const sources = parsed.positionals.map(path => pathIn(context, path))
  const layers = await readSettings(importOptions, parsed.flags, context)
  const origins = mergeSettings(layers.outside, layers.inFile)
  const alone = parseSettings(importOptions, origins)
  if (alone.watch) return (await byOption.watch()).watchImport(sources, alone, origins, context)
  const ports = portsOf(context)
  const { settings, load } =
    alone.plan === undefined
      ? { settings: alone, load: () => planOfOne(sources, alone, ports) }
      : await (await byOption.plan()).openPlan(alone, sources, layers, { ...ports, storeOf })
  const { dryRun } = settings
  const { version, clock } = context
  const startedAt = clock.now()
  const reporter = await createReporter(settings, context)
  // metrics of a dry run would look like those of the real job: the flag is refused, the settings file ignored
  if (dryRun && origins.get('metrics')?.from === '--metrics') throw new UsageError('metrics_with_dry_run')
  const paths = { ...settings, ...(dryRun ? { metrics: undefined } : { approval: undefined }) }
  const outputs = await openOutputs(paths, {
    context,
    title: alone.plan && basename(alone.plan),
    onWritten: message => reporter.logger.info(message),
    onFailed: message => reporter.logger.error(message),
  })
  const write = (end: Pick<CommandEnd, 'exitCode' | 'error' | 'imports' | 'next'>) =>
    outputs.write({ ...end, version, startedAt, endedAt: clock.now(), dryRun })
  /** Set once a signal ends the import gently. */
  let unlisten: (() => void) | undefined
  let plan: Plan | undefined
  try {
    plan = await load()
    const { words, limited, ...end } = await importPlan(plan)
    const exitCode = await write({ ...end, error: undefined })
    if (words !== undefined) reporter.end(words, exitCode, limited)
    return exitCode
  } catch (error) {
    const imports = plan?.steps.map(step => partOf({ step })) ?? [unknownPart]
    await write({ exitCode: exitCodeOfThrown(error), error: describeError(error), imports, next: [] })
    reporter.couldNotStart()
    throw error
  } finally {
    unlisten?.()
  }

  /** Prepares and runs the steps. Throws if the first one could not start. */
  async function importPlan(plan: Plan) {
    await outputs.check(filesOfPlan(plan))
    const stop = new Stop() // for all steps: none starts after one that was stopped
    const steps = await preparePlan(plan, { ...ports, stop, emit: emitTo(reporter), extend: withFeatures })
    const lookups = steps.flatMap(({ prepared }) => prepared.lookupFiles)
    await outputs.check(lookups.map(path => ({ path, role: 'lookup' })))
    const startedMs = clock.now().getTime()
    const ends = await runPlan(steps, {
      links: plan.links,
      sinksOf: step => outputs.sinksOf(step),
      onStart(step) {
        unlisten ??= stopOnInterrupts(stop, context, reporter.logger)
        const { name, prepared } = step
        const { tally, totalBytes } = prepared
        const numbered = name !== undefined && {
          step: { name, number: steps.indexOf(step) + 1, of: steps.length },
        }
        return reporter.begin({ tally, totalBytes, clock, ...numbered })
      },
    })
    const [first] = ends
    if (first?.error !== undefined) throw first.error
    const next = nextSteps(parsed, plan, ends)
    const result = { exitCode: exitCodeOfPlan(ends), imports: ends.map(partOf), next }
    const durationMs = clock.now().getTime() - startedMs
    const facts = { plan: plan.file ?? '', dryRun: plan.settings.dryRun, durationMs, ...result }
    const words = plan.report?.(facts) ?? (first?.end && endReport(first.end, next))
    const isRead = !ends.some(({ end }) => end?.stop_reason === 'reader_gone') // else stdout is closed
    return { ...result, words: isRead ? words : undefined, limited: limitLine(result) }
  }
}

/** The part of a plan that cannot be read. */
const unknownPart = partOf({
  step: { name: undefined, paths: { sources: [], mapping: undefined, results: undefined } },
})

/** Logs the events of all steps; a token file that others can read is reported once. JSON lines name the step. */
function emitTo({ logger, format }: Reporter): (step: string | undefined, event: RunEvent) => void {
  const sharedTokens = new Set<string>()
  return (step, event) => {
    const isShared = event.type === 'token_shared'
    if (isShared && sharedTokens.has(event.path)) return
    if (isShared) sharedTokens.add(event.path)
    const namesStep = format === 'json' && step !== undefined && !isShared
    logEvent(namesStep ? logger.child({ step }) : logger, event)
  }
}

/** The first signal or uncaught error lets calls in flight finish; a second signal exits. Returns the way to stop listening. */
function stopOnInterrupts(stop: Stop, { interrupts, stderr }: CliContext, logger: Logger): () => void {
  let signals = 0
  const ends = [
    interrupts.onSignal(signal => {
      signals += 1
      if (signals === 1) {
        logger.warn(stopping(signal))
        return stop.request({ code: 'signal', params: { signal } })
      }
      printTo(stderr, `rowlift: ${endedAtOnce}\n`)
      interrupts.exit(exitCodes[signal])
    }),
    interrupts.onUncaught(error => stop.request({ code: 'defect', params: { error } })),
  ]
  return () => {
    for (const end of ends) end()
  }
}
