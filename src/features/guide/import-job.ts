import { Readable, Writable } from 'node:stream'
import type { CliContext } from '../../cli/context.ts'
import { portsOf } from '../../cli/context.ts'
import { nextSteps } from '../../cli/next-step.ts'
import { withFeatures } from '../../features.ts'
import { replacedName } from '../../model/content-key.ts'
import type { RunEvent } from '../../model/events.ts'
import type { Stop } from '../../model/stop.ts'
import { type Notices, news, warnings } from '../../output/words/notices.ts'
import { describeError } from '../../output/words.ts'
import type { CommandEnd } from '../../result/run-result.ts'
import { exitCodeOfThrown } from '../../run/exit-code.ts'
import { commandSummary, openOutputs } from '../../run/outputs.ts'
import { exitCodeOfPlan, filesOfPlan, partOf, planOfOne, preparePlan, runPlan } from '../../run/plan.ts'
import type { OutcomeSink, PreparedImport } from '../../run/prepared-import.ts'
import { openRejects } from '../../run/rejects.ts'
import { importOptions } from '../../settings/options.ts'
import { parseSettings, type Settings } from '../../settings/settings.ts'

export interface ImportOrder {
  readonly sources: readonly string[]
  readonly settings: Settings
  readonly token: string | undefined
  readonly stop: Stop
  /** Rows with these names have a correction, and do not stay in the file of rejected rows. */
  readonly corrected: ReadonlySet<string>
  readonly tell: (notice: string) => void
  /** Adds the parts of a job to an import that passed all checks. */
  readonly complete: (prepared: PreparedImport) => PreparedImport
  readonly sinks: readonly OutcomeSink[]
  readonly onStart: (prepared: PreparedImport) => void
}

export type ImportEnd = Awaited<ReturnType<typeof runOrder>>

/** Runs an import as the command does; returns its summary. Throws what the command throws. */
export async function runOrder(order: ImportOrder, context: CliContext) {
  const { sources, stop } = order
  const settings = parseSettings(importOptions, order.settings)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const ports = {
    ...portsOf(context),
    ...{ token: order.token, isInteractive: false },
    streams: { stdin: Readable.from([]), stdout: silent, isTerminal: false },
  }
  const { version, clock } = context
  const startedAt = clock.now()
  const plan = await planOfOne(sources, settings, ports)
  const { dryRun } = settings
  const paths = { ...settings, ...(dryRun ? { metrics: undefined } : { approval: undefined }) }
  const outputs = await openOutputs(paths, {
    context: { ...context, stdout: silent, stdoutIsTerminal: false },
    title: undefined,
    onWritten: () => {},
    onFailed: order.tell,
  })
  const write = async (end: Pick<CommandEnd, 'exitCode' | 'error' | 'imports' | 'next'>) => {
    const whole = { ...end, version, startedAt, endedAt: clock.now(), dryRun }
    return commandSummary({ ...whole, exitCode: await outputs.write(whole) })
  }
  let rejects: Rejects | undefined
  try {
    await outputs.check(filesOfPlan(plan))
    const emit = (_: unknown, event: RunEvent) => tellEvent(event, order.tell)
    const extend = async (checked: PreparedImport) => {
      const prepared = order.complete(await withFeatures(checked))
      if (!dryRun) rejects = await openOwnRejects(prepared, order.corrected, sources[0])
      return { ...prepared, options: { ...prepared.options, rejects: undefined } }
    }
    const steps = await preparePlan(plan, { ...ports, stop, emit, extend })
    await outputs.check(
      steps.flatMap(({ prepared }) => prepared.lookupFiles.map(path => ({ path, role: 'lookup' }))),
    )
    const ends = await runPlan(steps, {
      links: undefined,
      sinksOf: step => [...outputs.sinksOf(step), ...order.sinks, ...(rejects ? [rejects.sink] : [])],
      onStart({ prepared }) {
        order.onStart(prepared)
        return () => {}
      },
    })
    const [{ end, error } = {}] = ends
    if (end === undefined) throw error
    const { path, rows } = rejects?.written() ?? {}
    const ended = ends.map(each => ({ ...each, end: { ...end, rejects: path, rejected_rows: rows } }))
    const flags = Object.fromEntries(
      ['mapping', 'results', 'rejects'].map(each => [each, order.settings.get(each)?.value]),
    )
    const next = nextSteps({ positionals: sources, flags }, plan, ended)
    const result = { exitCode: exitCodeOfPlan(ended), error: undefined, imports: ended.map(partOf), next }
    return { summary: await write(result), end }
  } catch (error) {
    const imports = plan.steps.map(step => partOf({ step }))
    await write({ exitCode: exitCodeOfThrown(error), error: describeError(error), imports, next: [] })
    throw error
  } finally {
    await rejects?.discard()
  }
}

type Rejects = NonNullable<Awaited<ReturnType<typeof openOwnRejects>>>

/** The file of rejected rows, without the rows of the source that are corrected in another one. */
async function openOwnRejects(
  prepared: PreparedImport,
  corrected: ReadonlySet<string>,
  source: string | undefined,
) {
  const file = await openRejects(prepared)
  if (file === undefined) return undefined
  const sink: OutcomeSink = {
    keep: (outcome, row) =>
      row.source === source && corrected.has(replacedName(outcome.identity))
        ? undefined
        : file.keep(outcome, row),
    close: file.close,
  }
  return { sink, written: file.written, discard: () => file[Symbol.asyncDispose]() }
}

const notices: Notices = { ...news, ...warnings }
const longWaitMs = 5_000

/** Tells what happened in the words of the command. */
function tellEvent(event: RunEvent, tell: (notice: string) => void): void {
  if (event.type === 'estimated' || (event.type === 'hold' && event.forMs < longWaitMs)) return
  const words = notices[event.type]?.(event as never)
  if (words !== undefined) tell(words)
}
