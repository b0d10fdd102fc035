import type { ImportEnd } from '../app/import-end.ts'
import type { Migration } from '../app/migration/prepare-migration.ts'
import { exitCodeOfPlan, type StepEnd } from '../app/migration/step.ts'
import type { WrittenRejects } from '../app/rejects.ts'
import type { UsageProblems } from '../model/errors.ts'
import { withoutPassword } from '../model/ledger-url.ts'
import { stopReasonOf } from '../model/stop.ts'
import { Tally } from '../report/tally.ts'
import { capital, grouped, type NextStep, rows, sourceWord, visible } from '../report/text.ts'
import { dropOptions, withSources, wordsOf } from './args.ts'

/** What a command has left to do, as its next steps depend on it. */
export interface Unfinished extends Pick<ImportEnd, 'dryRun' | 'exitCode'> {
  readonly tally: Pick<Tally, 'ends' | 'stopReason' | 'limitReached'>
  /** One of each import. */
  readonly logs: readonly Pick<
    ImportEnd,
    'written' | 'ledger' | 'inDoubt' | 'resendsDoubts' | 'unmet' | 'approval'
  >[]
  readonly rejects?: WrittenRejects | undefined
  readonly documents?: readonly string[]
  /** Service and organization are named, so that no flag has to. */
  readonly knowsService: boolean
  readonly isPlan?: true
}

export const nextImportSteps = (args: readonly string[], end: ImportEnd): NextStep[] =>
  nextSteps(args, {
    ...end,
    logs: [end],
    knowsService: end.about.baseUrl !== undefined && end.about.organizationId !== undefined,
  })

/** All that is left to do; what comes first stands first. */
export function nextSteps(args: readonly string[], left: Unfinished): NextStep[] {
  if (left.dryRun) return [...afterDryRun(args, left)]
  if (left.tally.stopReason?.code === 'lock') return []
  if (left.logs.some(({ written, ledger }) => (written ?? ledger) === undefined)) return [] // nothing can be resumed
  return [...left.logs.flatMap(log => [...inLog(args, log)]), ...goOn(args, left)]
}

const step = (advice: string, args: readonly string[]): NextStep => ({
  advice: visible(advice),
  args: args.map(withoutPassword),
})

function* inLog(
  args: readonly string[],
  { written = '', ledger, inDoubt, resendsDoubts, unmet }: Unfinished['logs'][number],
) {
  const them = inDoubt === 1 ? 'it' : 'them'
  const log = ledger === undefined ? [written] : [...wordsOf(args, 'ledger'), '--import', ledger.import]
  if (inDoubt > 0 && !resendsDoubts)
    yield step(`Look in the service for the ${rows(inDoubt)} in doubt, and settle ${them}`, [
      'resolve',
      ...log,
    ])
  if (ledger === undefined && unmet.some(({ code }) => code === 'too_many_merged'))
    yield step('Check the rows that got the record of another row; the page has both', ['report', written])
}

function* goOn(args: readonly string[], { tally, logs, rejects, documents, exitCode }: Unfinished) {
  const { stopReason, limitReached, ends } = tally
  const bad = badRows(ends)
  const resent = logs.reduce((sum, log) => sum + (log.resendsDoubts ? log.inDoubt : 0), 0)
  const again = `run the same command again; it continues where this run ended${
    resent > 0 ? `, and sends the ${rows(resent)} in doubt once more` : ''
  }`
  if (limitReached !== undefined) yield afterLimit(args, bad)
  else if (exitCode === 0) return
  else if (stopReason?.code === 'signal') yield step(capital(again), args)
  else if (stopReason !== undefined) yield step(`Fix the cause, then ${again}`, args)
  else if (rejects !== undefined && rejects.rows > 0) {
    const them = rejects.rows === 1 ? 'it' : 'them'
    const fix = `Fix the ${rows(rejects.rows)} in ${rejects.path}, then import ${them}`
    yield step(fix, repairing(args, rejects, logs[0], documents))
    yield step(`Or fix the cause, and ${again}`, args)
  } else if (bad !== undefined) yield step(`Fix the cause of ${bad}, then ${again}`, args)
  else if (resent > 0) yield step(capital(again), args)
}

/** Rows to fix: `2 invalid and 1 failed rows`; undefined where there are none. */
function badRows({ invalid, failed }: Pick<Tally['ends'], 'invalid' | 'failed'>): string | undefined {
  const counts = Object.entries({ invalid, failed }).flatMap(([end, n]) =>
    n > 0 ? `${grouped(n)} ${end}` : [],
  )
  return invalid + failed > 0
    ? `${counts.join(' and ')} ${invalid + failed === 1 ? 'row' : 'rows'}`
    : undefined
}

/** The import of repaired rows, with the same log; rows that are rejected again go to another file. */
function repairing(
  args: readonly string[],
  { path }: WrittenRejects,
  log: Unfinished['logs'][number] | undefined,
  documents: readonly string[] = [],
): string[] {
  const kept = dropOptions(args, 'results', 'rejects')
  const again = path.replace(/(\.[^./\\]*)?$/, '.again$1')
  const results = log?.ledger === undefined ? ['--results', log?.written ?? '-'] : []
  return [...withSources(kept, [path, ...documents]), ...results, '--rejects', again]
}

function afterLimit(args: readonly string[], bad: string | undefined): NextStep {
  const rest = dropOptions(args, 'limit')
  const fix = bad === undefined ? '' : `, and fix the cause of ${bad}`
  const elsewhere = rest.length === args.length ? 'take the limit away where it is set, and ' : ''
  return step(`Look at the records${fix}; if they are right, ${elsewhere}import the rest`, rest)
}

function* afterDryRun(
  args: readonly string[],
  { tally, logs, knowsService, isPlan }: Unfinished,
): Generator<NextStep> {
  const { invalid, valid } = tally.ends
  if (tally.stopReason !== undefined) return yield step('Fix the cause, and dry-run again', args)
  if (logs.some(({ unmet }) => unmet.length > 0))
    return yield step('Look into what is not as expected, and dry-run again', args)
  const bad = badRows({ invalid, failed: 0 })
  if (bad !== undefined) yield step(`Fix the ${bad} or the mapping, and dry-run again`, args)
  if (logs.some(({ approval }) => approval))
    return yield step('Have the approval reviewed, then import', dropOptions(args, 'dry-run', 'preview'))
  const service = knowsService ? [] : ['--base-url', 'URL', '--organization-id', 'N']
  const five = `${isPlan ? 'five of each step' : 'five rows'} first`
  const again = [...dropOptions(args, 'dry-run', 'preview', 'limit'), ...service, '--limit', '5']
  if (valid > 0) yield step(invalid > 0 ? `Or import the good rows, ${five}` : `Import ${five}`, again)
}

/** Two ways on where an import has another log; a plan names its logs itself. */
export function afterOtherLog(
  args: readonly string[],
  { others: [other = ''], isStep }: UsageProblems['other_log'],
): NextStep[] {
  const goOn = step('Go on with that log', [...dropOptions(args, 'results'), '-o', sourceWord(other)])
  const begin = step('Or begin another', [...dropOptions(args, 'no-new-log'), '--new-log'])
  return isStep ? [begin] : [goOn, begin]
}

/** The next steps after a plan; a step that was stopped counts more than one that reached its limit. */
export function nextPlanSteps(
  args: readonly string[],
  { settings, steps }: Migration,
  ends: readonly StepEnd[],
): NextStep[] {
  const logs = ends.flatMap(each => (each.type === 'ended' ? [each.end] : []))
  const tallies = logs.map(({ tally }) => tally)
  const [stopReason] = ends.flatMap(each => {
    if (each.type === 'ended') return each.end.tally.stopReason ?? []
    return each.type === 'refused' ? stopReasonOf(each.error) : []
  })
  const [limitReached] = stopReason ? [] : tallies.flatMap(tally => tally.limitReached ?? [])
  return nextSteps(args, {
    exitCode: exitCodeOfPlan(ends),
    dryRun: settings.dryRun,
    tally: { ends: Tally.sumOf(tallies).ends, stopReason, limitReached },
    logs,
    knowsService: steps.every(step => step.settings.baseUrl !== undefined),
    isPlan: true,
  })
}
