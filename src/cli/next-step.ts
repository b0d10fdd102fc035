import type { Migration } from '../app/migration/prepare-migration.ts'
import { exitCodeOfPlan, type StepEnd } from '../app/migration/step.ts'
import type { WrittenRejects } from '../app/rejects.ts'
import type { ImportEnd } from '../app/run.ts'
import type { StopReason, UsageProblems } from '../model/errors.ts'
import { stopReasonOf } from '../model/stop.ts'
import { endsOf } from '../report/plan-summary.ts'
import type { Tally } from '../report/tally.ts'
import { capital, grouped, type NextStep, rows, sourceWord } from '../report/text.ts'
import { dropOptions, withSources } from './args.ts'

/** What a command has left to do, as its next steps depend on it. */
export interface Unfinished extends Pick<ImportEnd, 'dryRun' | 'exitCode'> {
  readonly tally: Pick<Tally, 'ends' | 'stopReason' | 'limitReached'>
  /** One of each import. */
  readonly logs: readonly Pick<ImportEnd, 'written' | 'inDoubt' | 'resendsDoubts' | 'unmet'>[]
  readonly rejects?: WrittenRejects | undefined
  /** Service and organization are named, so that no flag has to. */
  readonly knowsService: boolean
  readonly isPlan?: true
}

/** The next steps after an import. */
export const nextImportSteps = (args: readonly string[], end: ImportEnd): NextStep[] =>
  nextSteps(args, {
    ...end,
    logs: [end],
    knowsService: end.about.baseUrl !== undefined && end.about.organizationId !== undefined,
  })

/** All that is left to do; what comes first stands first. */
export function nextSteps(args: readonly string[], left: Unfinished): NextStep[] {
  if (left.dryRun) return afterDryRun(args, left)
  if (left.tally.stopReason?.code === 'lock') return []
  const settling = left.logs.flatMap(({ written, inDoubt, resendsDoubts }) =>
    inDoubt === 0 || resendsDoubts ? [] : [settle(inDoubt, written)],
  )
  const checking = left.logs.flatMap(({ written, unmet }) =>
    written !== undefined && unmet.some(({ code }) => code === 'too_many_merged') ? [check(written)] : [],
  )
  return [...settling, ...checking, ...goOn(args, left)]
}

const settle = (inDoubt: number, log: string | undefined): NextStep => ({
  advice: `Look in the service for the ${rows(inDoubt)} in doubt, and settle ${inDoubt === 1 ? 'it' : 'them'}`,
  args: ['resolve', log ?? 'RESULTS'],
})

const check = (log: string): NextStep => ({
  advice: 'Check the rows that got the record of another row; the page has both of each pair',
  args: ['report', log],
})

function goOn(args: readonly string[], { tally, logs, rejects, exitCode }: Unfinished): NextStep[] {
  const { stopReason, limitReached, ends } = tally
  if (limitReached !== undefined) return [afterLimit(args, badRows(ends))]
  const resent = logs.reduce((sum, log) => sum + (log.resendsDoubts ? log.inDoubt : 0), 0)
  const again = `run the same command again; it continues where this run ended${
    resent > 0 ? `, and sends the ${rows(resent)} in doubt once more` : ''
  }`
  const bad = badRows(ends)
  if (stopReason?.code === 'signal') return [{ advice: capital(again), args }]
  if (stopReason !== undefined) return [{ advice: `Fix the cause, then ${again}`, args }]
  if (rejects !== undefined && rejects.rows > 0)
    return [
      {
        advice: `Fix the ${rows(rejects.rows)} in ${rejects.path}, then import ${rejects.rows === 1 ? 'it' : 'them'}`,
        args: repairing(args, rejects, logs[0]?.written),
      },
      { advice: `Or fix the cause, and ${again}`, args },
    ]
  if (bad !== undefined && exitCode !== 0) return [{ advice: `Fix the cause of ${bad}, then ${again}`, args }]
  return resent > 0 ? [{ advice: capital(again), args }] : []
}

/** Rows to fix: `2 invalid and 1 failed rows`; undefined where there are none. */
function badRows({ invalid, failed }: Tally['ends']): string | undefined {
  const counts = [
    ...(invalid > 0 ? [`${grouped(invalid)} invalid`] : []),
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
  ]
  return counts.length === 0
    ? undefined
    : `${counts.join(' and ')} ${invalid + failed === 1 ? 'row' : 'rows'}`
}

/** The import of repaired rows, with the same log; rows that are rejected again go to another file. */
function repairing(args: readonly string[], { path }: WrittenRejects, log: string | undefined): string[] {
  const kept = dropOptions(args, 'results', 'rejects')
  const again = path.replace(/(\.[^./\\]*)?$/, '.again$1')
  return [...withSources(kept, [path]), '--results', log ?? '-', '--rejects', again]
}

function afterLimit(args: readonly string[], bad: string | undefined): NextStep {
  const rest = dropOptions(args, 'limit')
  const isElsewhere = rest.length === args.length
  return {
    advice: `Look at the records${bad === undefined ? '' : `, and fix the cause of ${bad}`}; if they are right, ${isElsewhere ? 'take the limit away where it is set, and ' : ''}import the rest`,
    args: rest,
  }
}

function afterDryRun(args: readonly string[], { tally, knowsService, isPlan }: Unfinished): NextStep[] {
  const { invalid, valid } = tally.ends
  if (tally.stopReason !== undefined) return [{ advice: 'Fix the cause, and dry-run again', args }]
  const service = knowsService ? [] : ['--base-url', 'URL', '--organization-id', 'N']
  const five = `${isPlan ? 'five of each step' : 'five rows'} first`
  return [
    ...(invalid > 0
      ? [
          {
            advice: `Fix the ${badRows({ ...tally.ends, failed: 0 })} or the mapping, and dry-run again`,
            args,
          },
        ]
      : []),
    ...(valid > 0
      ? [
          {
            advice: invalid > 0 ? `Or import the good rows, ${five}` : `Import ${five}`,
            args: [...dropOptions(args, 'dry-run', 'preview', 'limit'), ...service, '--limit', '5'],
          },
        ]
      : []),
  ]
}

/** Two ways on where an import has another log; a plan names its logs itself. */
export const afterOtherLog = (
  args: readonly string[],
  { others: [other = ''], isStep }: UsageProblems['other_log'],
): NextStep[] => [
  ...(isStep
    ? []
    : [{ advice: 'Go on with that log', args: [...dropOptions(args, 'results'), '-o', sourceWord(other)] }]),
  { advice: 'Or begin another', args: [...dropOptions(args, 'no-new-log'), '--new-log'] },
]

/** The next steps after a plan. */
export function nextPlanSteps(
  args: readonly string[],
  { settings, steps }: Migration,
  ends: readonly StepEnd[],
): NextStep[] {
  const logs = ends.flatMap(each => (each.type === 'ended' ? [each.end] : []))
  return nextSteps(args, {
    exitCode: exitCodeOfPlan(ends),
    dryRun: settings.dryRun,
    tally: togetherOf(ends, logs),
    logs,
    knowsService: steps.every(step => step.settings.baseUrl !== undefined),
    isPlan: true,
  })
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
