import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { type CliContext, portsOf } from '../../cli/context.ts'
import { withFeatures } from '../../features.ts'
import { replacedName } from '../../model/content-key.ts'
import { UsageError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { describeError } from '../../output/words.ts'
import type { CommandEnd } from '../../result/run-result.ts'
import { exitCodeOfThrown } from '../../run/exit-code.ts'
import { watchingOf } from '../../run/logs.ts'
import { commandSummary, openOutputs } from '../../run/outputs.ts'
import { logPart } from '../../run/page.ts'
import {
  exitCodeOfPlan,
  filesOfPlan,
  type PreparedStep,
  partOf,
  preparePlan,
  runPlan,
  type Step,
} from '../../run/plan.ts'
import type { OutcomeSink, PreparedImport } from '../../run/prepared-import.ts'
import { openRejects } from '../../run/rejects.ts'
import { lockTimeout } from '../../settings/options.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import { correctedNames } from './corrections.ts'
import type { Job } from './job-state.ts'
import { describeEvent, describeOwn, describeProblem } from './language.ts'
import { planOfFile } from './linked-steps.ts'
import { sink } from './run-command.ts'
import type { FileNames, Service } from './service.ts'

interface FileImport {
  readonly names: FileNames
  /** Settings of the job, by the names of options. */
  readonly own: Readonly<Record<string, unknown>>
  /** Adds the parts of a job to an import that passed all checks. */
  readonly complete?: (prepared: PreparedImport) => PreparedImport
  readonly sink?: OutcomeSink
}

/**
 * Imports a file with its corrections as the command does, after dry runs of the files that its links need; returns whether all its
 * rows were read. Throws what the command throws.
 */
export async function importFile(
  job: Job,
  { service, context }: { readonly context: CliContext; readonly service: Service },
  { names, own: values, ...parts }: FileImport,
) {
  const stdout = sink()
  const ports = {
    ...{ ...portsOf(context), token: service.token, isInteractive: false },
    streams: { stdin: Readable.from([]), stdout, isTerminal: false },
  }
  const { version, clock } = context
  const startedAt = clock.now()
  const plan = await planOfFile(names, values, service, ports)
  const { settings } = plan
  const { dryRun } = settings
  const written = { ...settings, ...(dryRun ? { metrics: undefined } : { approval: undefined }) }
  const outputs = await openOutputs(written, {
    context: { ...context, stdout, stdoutIsTerminal: false },
    ...{ title: undefined, onWritten() {} },
    onFailed: (words, file) => job.tell(describeOwn('output_unwritten', file) ?? words),
  })
  const write = async (end: Pick<CommandEnd, 'exitCode' | 'error' | 'imports'>) => {
    const whole = { ...end, next: [], version, startedAt, endedAt: clock.now(), dryRun }
    job.own.summary = commandSummary({ ...whole, exitCode: await outputs.write(whole) })
  }
  const own = plan.steps.at(-1)
  const isOwn = (step: Pick<Step, 'settings'>) => step.settings === own?.settings
  let file: Awaited<ReturnType<typeof openRejects>>
  try {
    await outputs.check(filesOfPlan(plan))
    const steps: PreparedStep[] = await preparePlan(plan, {
      ...{ ...ports, stop: job.stop },
      emit: (step, event) => (step === own?.name ? tellEvent(event, job.tell) : undefined),
      async extend(checked, links) {
        const extended = await withFeatures(checked, links)
        if (!isOwn(checked)) return extended
        const prepared = parts.complete?.(extended) ?? extended
        if (dryRun) return prepared
        file = await openRejects(prepared)
        const readSteps = async () => {
          for (const step of steps) if (!isOwn(step)) await checkDone(step, basename(names.source), context)
          await prepared.readSteps()
        }
        return { ...prepared, readSteps, options: { ...prepared.options, rejects: undefined } }
      },
    })
    const lookups = steps.flatMap(({ prepared }) => prepared.lookupFiles)
    await outputs.check(lookups.map(path => ({ path, role: 'lookup' })))
    const corrected = await correctedNames(names.corrected)
    const isCorrected = ({ source }: Row, { identity }: Outcome) =>
      source === names.source && corrected.has(replacedName(identity))
    const rejects = file && {
      close: file.close,
      keep: (outcome: Outcome, row: Row) =>
        isCorrected(row, outcome) ? undefined : file?.keep(outcome, row),
    }
    const sinks = [parts.sink ?? [], rejects ?? []].flat()
    const ends = await runPlan(steps, {
      links: plan.links,
      sinksOf: step => (isOwn(step) ? [...outputs.sinksOf(step), ...sinks] : []),
      onStart(step) {
        job.begin(step)
        return () => {}
      },
    })
    const last = ends.findLast(({ end, error }) => end ?? error)
    if (last?.end === undefined) throw last?.error
    const isBegun = last === ends.at(-1)
    const { stopReason } = steps.find(({ name }) => name === last.step.name)?.prepared.tally ?? {}
    if (stopReason !== undefined && stopReason.code !== 'signal') job.tell(describeProblem(stopReason))
    const { path, rows } = file?.written() ?? {}
    const end = { ...last.end, rejects: path, rejected_rows: rows }
    const imports = ends.slice(-1).map(({ step }) => partOf({ step, ...(isBegun && { end }) }))
    await write({ exitCode: exitCodeOfPlan([last]), error: undefined, imports })
    return isBegun && end.finished
  } catch (error) {
    const imports = plan.steps.slice(-1).map(step => partOf({ step }))
    await write({ exitCode: exitCodeOfThrown(error), error: describeError(error), imports })
    throw error
  } finally {
    await file?.[Symbol.asyncDispose]()
  }
}

/** Throws a UsageError if rows of an earlier step were never sent. Those that failed do not hold up the others. */
async function checkDone(
  { sources: [source = ''], settings, prepared }: PreparedStep,
  file: string,
  context: CliContext,
) {
  const { results: path = '' } = settings
  const watching = watchingOf(context, lockTimeout.default)
  const log = (await isThere(path)) ? await logPart(path, path, watching) : undefined
  const rows = prepared.tally.ends.valid - (log?.counts.failed ?? 0)
  if (rows > 0) throw new UsageError('guide_goes_first', { source: basename(source), file, rows })
}

const longWaitMs = 5_000

/** Tells what happened, but for short waits. */
function tellEvent(event: RunEvent, tell: (notice: string) => void): void {
  if (event.type === 'estimated' || (event.type === 'hold' && event.forMs < longWaitMs)) return
  const words = describeEvent(event)
  if (words !== undefined) tell(words)
}
