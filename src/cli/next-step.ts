import type { Migration } from '../app/migration/prepare-migration.ts'
import type { StepEnd } from '../app/migration/step.ts'
import type { WrittenRejects } from '../app/rejects.ts'
import type { ImportEnd } from '../app/run.ts'
import type { StopReason } from '../model/errors.ts'
import { stopReasonOf } from '../model/stop.ts'
import { endsOf } from '../report/plan-summary.ts'
import type { Tally } from '../report/tally.ts'
import type { NextStep } from '../report/text.ts'
import { dropOptions, withSources } from './args.ts'

export interface Unfinished extends Pick<ImportEnd, 'dryRun' | 'written' | 'inDoubt' | 'resendsDoubts'> {
  readonly tally: Pick<Tally, 'ends' | 'stopReason' | 'limitReached'>
  readonly rejects?: WrittenRejects | undefined
}

export interface PlanSays {
  /** Each step names its service, so that no flag has to. */
  readonly knowsService: boolean
}

/** The next steps after a run or a plan; any of these will do. */
export function nextSteps(args: readonly string[], end: Unfinished, plan?: PlanSays): NextStep[] {
  const { invalid, failed, valid } = end.tally.ends
  const { stopReason } = end.tally
  if (end.dryRun && stopReason !== undefined) return [{ advice: 'fix the cause and dry-run again', args }]
  if (end.dryRun) return invalid + valid > 0 ? [afterDryRun(args, invalid, plan)] : []
  if (end.tally.limitReached !== undefined) return [afterLimit(args)]
  if (stopReason?.code === 'lock') return []
  const goOn = { advice: 'run the same command again; it continues where this run ended', args }
  if (stopReason?.code === 'signal') return [goOn]
  const fixAndGoOn = { advice: `fix the cause, then ${goOn.advice}`, args }
  const { rejects } = end
  if (stopReason === undefined && rejects !== undefined && rejects.rows > 0)
    return [
      {
        advice: `fix the rows in ${rejects.path}, then import them`,
        args: repairing(args, rejects, end.written),
      },
      fixAndGoOn,
    ]
  if (stopReason !== undefined || invalid + failed > 0) return [fixAndGoOn]
  if (end.inDoubt === 0) return []
  if (end.resendsDoubts) return [goOn]
  return [
    {
      advice: 'look in the service for the rows in doubt, and settle them',
      args: ['resolve', end.written ?? 'RESULTS'],
    },
  ]
}

/** The import of repaired rows, with the same log; rows that are rejected again go to another file. */
function repairing(args: readonly string[], { path }: WrittenRejects, log: string | undefined): string[] {
  const kept = dropOptions(args, 'results', 'rejects')
  const again = path.replace(/(\.[^./\\]*)?$/, '.again$1')
  return [...withSources(kept, [path]), '--results', log ?? '-', '--rejects', again]
}

function afterLimit(args: readonly string[]): NextStep {
  const rest = dropOptions(args, 'limit')
  const isElsewhere = rest.length === args.length
  return {
    advice: `look at the records; if they are right, ${isElsewhere ? 'take the limit away where it is set, and ' : ''}import the rest`,
    args: rest,
  }
}

function afterDryRun(args: readonly string[], invalid: number, plan: PlanSays | undefined): NextStep {
  const again = dropOptions(args, 'dry-run', 'preview')
  const service =
    plan?.knowsService || again.some(arg => arg.startsWith('--base-url'))
      ? []
      : ['--base-url', 'URL', '--organization-id', 'N']
  const five = plan === undefined ? 'five' : 'five of each step'
  return {
    advice:
      invalid > 0
        ? `fix the rows or the mapping and dry-run again, or import the good rows, ${five} first`
        : `import ${five}${plan === undefined ? ' rows' : ''} first`,
    args: [...dropOptions(again, 'limit'), ...service, '--limit', '5'],
  }
}

export function nextPlanSteps(
  args: readonly string[],
  { settings, steps }: Migration,
  ends: readonly StepEnd[],
): NextStep[] {
  const ended = ends.flatMap(each => (each.type === 'ended' ? [each.end] : []))
  const knowsService = steps.every(step => step.settings.baseUrl !== undefined)
  const together = { dryRun: settings.dryRun, tally: togetherOf(ends, ended), ...doubtsOf(ended) }
  return nextSteps(args, together, { knowsService })
}

/** The first log with rows in doubt that only a person can settle, or else one that the next run settles. */
function doubtsOf(ended: readonly ImportEnd[]): Pick<Unfinished, 'written' | 'inDoubt' | 'resendsDoubts'> {
  const inDoubt = ended.filter(end => end.inDoubt > 0)
  const first = inDoubt.find(end => !end.resendsDoubts) ?? inDoubt[0]
  return first ?? { written: undefined, inDoubt: 0, resendsDoubts: false }
}

/** The steps as one import; one that was stopped counts more than one that reached its limit. */
function togetherOf(ends: readonly StepEnd[], ended: readonly ImportEnd[]): Unfinished['tally'] {
  const tallies = ended.map(({ tally }) => tally)
  const stopReason = ends.map(stopOf).find(reason => reason !== undefined)
  const limitReached = tallies.find(tally => tally.limitReached !== undefined)?.limitReached
  return {
    ends: endsOf(tallies),
    stopReason,
    limitReached: stopReason === undefined ? limitReached : undefined,
  }
}

function stopOf(end: StepEnd): StopReason | undefined {
  if (end.type === 'ended') return end.end.tally.stopReason
  return end.type === 'refused' ? stopReasonOf(end.error) : undefined
}
