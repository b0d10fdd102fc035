import { Readable, Writable } from 'node:stream'
import { type CliContext, portsOf } from '../../cli/context.ts'
import { nextSteps } from '../../cli/next-step.ts'
import { withFeatures } from '../../features.ts'
import { loadMapping } from '../../mapping/mapping.ts'
import { replacedName } from '../../model/content-key.ts'
import type { RunEvent } from '../../model/events.ts'
import { type Notices, news, warnings } from '../../output/words/notices.ts'
import { describeError } from '../../output/words.ts'
import type { CommandEnd } from '../../result/run-result.ts'
import { exitCodeOfThrown } from '../../run/exit-code.ts'
import { commandSummary, openOutputs } from '../../run/outputs.ts'
import { exitCodeOfPlan, filesOfPlan, partOf, planOfOne, preparePlan, runPlan } from '../../run/plan.ts'
import type { OutcomeSink, PreparedImport } from '../../run/prepared-import.ts'
import { openRejects } from '../../run/rejects.ts'
import { importOptions } from '../../settings/options.ts'
import { parseSettings } from '../../settings/settings.ts'
import { correctedNames } from './corrections.ts'
import type { FileNames } from './file-names.ts'
import type { Job } from './job-state.ts'
import type { Service } from './service.ts'

interface FileImport {
  readonly names: FileNames
  readonly service: Service
  readonly context: CliContext
  /** Settings of the job, by the names of options. */
  readonly own: Readonly<Record<string, unknown>>
  /** Adds the parts of a job to an import that passed all checks. */
  readonly complete?: (prepared: PreparedImport) => PreparedImport
  readonly sink?: OutcomeSink
}

/** Imports a file with its corrections as the command does; returns the result. Throws what the command throws. */
export async function importFile(job: Job, { names, service, context, own, ...parts }: FileImport) {
  const corrected = await correctedNames(names.corrected)
  const mapping = await loadMapping(names.mapping, names.mapping)
  const rejects = mapping.indents.length > 0 ? undefined : names.rejects // a tree by indentation has none
  const paths = { mapping: names.mapping, results: names.log, rejects }
  const settings = parseSettings(importOptions, await service.settings({ ...paths, ...own }))
  const sources = [names.source, ...(corrected.size > 0 ? [names.corrected] : [])]
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() })
  const ports = {
    ...{ ...portsOf(context), token: service.token, isInteractive: false },
    streams: { stdin: Readable.from([]), stdout, isTerminal: false },
  }
  const { version, clock } = context
  const startedAt = clock.now()
  const plan = await planOfOne(sources, settings, ports)
  const { dryRun } = settings
  const written = { ...settings, ...(dryRun ? { metrics: undefined } : { approval: undefined }) }
  const outputs = await openOutputs(written, {
    context: { ...context, stdout, stdoutIsTerminal: false },
    ...{ title: undefined, onWritten() {}, onFailed: job.tell },
  })
  const write = async (end: Pick<CommandEnd, 'exitCode' | 'error' | 'imports' | 'next'>) => {
    const whole = { ...end, version, startedAt, endedAt: clock.now(), dryRun }
    job.summary = commandSummary({ ...whole, exitCode: await outputs.write(whole) })
  }
  let file: Rejects
  try {
    await outputs.check(filesOfPlan(plan))
    const steps = await preparePlan(plan, {
      ...{ ...ports, stop: job.stop },
      emit: (_step, event) => tellEvent(event, job.tell),
      async extend(checked) {
        const extended = await withFeatures(checked)
        const prepared = parts.complete?.(extended) ?? extended
        if (!dryRun) file = await openRejects(prepared)
        return { ...prepared, options: { ...prepared.options, rejects: undefined } }
      },
    })
    const lookups = steps.flatMap(({ prepared }) => prepared.lookupFiles)
    await outputs.check(lookups.map(path => ({ path, role: 'lookup' })))
    const sinks = [parts.sink ?? [], file ? rejectsSink(file, names.source, corrected) : []].flat()
    const ends = await runPlan(steps, {
      links: undefined,
      sinksOf: step => [...outputs.sinksOf(step), ...sinks],
      onStart({ prepared }) {
        job.prepared = prepared
        job.startedMs = clock.elapsedMs()
        return () => {}
      },
    })
    const [{ end, error } = {}] = ends
    if (end === undefined) throw error
    const { path, rows } = file?.written() ?? {}
    const ended = ends.map(each => ({ ...each, end: { ...end, rejects: path, rejected_rows: rows } }))
    const next = nextSteps({ positionals: sources, flags: paths }, plan, ended)
    await write({ exitCode: exitCodeOfPlan(ended), error: undefined, imports: ended.map(partOf), next })
    return end
  } catch (error) {
    const imports = plan.steps.map(step => partOf({ step }))
    await write({ exitCode: exitCodeOfThrown(error), error: describeError(error), imports, next: [] })
    throw error
  } finally {
    await file?.[Symbol.asyncDispose]()
  }
}

type Rejects = Awaited<ReturnType<typeof openRejects>>

/** Takes the rejected rows, without the rows of the source that are corrected in another file. */
const rejectsSink = (
  file: NonNullable<Rejects>,
  source: string,
  corrected: ReadonlySet<string>,
): OutcomeSink => ({
  keep(outcome, row) {
    const isCorrected = row.source === source && corrected.has(replacedName(outcome.identity))
    return isCorrected ? undefined : file.keep(outcome, row)
  },
  close: file.close,
})

const notices: Notices = { ...news, ...warnings }
const longWaitMs = 5_000

/** Tells what happened in the words of the command. */
function tellEvent(event: RunEvent, tell: (notice: string) => void): void {
  if (event.type === 'estimated' || (event.type === 'hold' && event.forMs < longWaitMs)) return
  const words = notices[event.type]?.(event as never)
  if (words !== undefined) tell(words)
}
