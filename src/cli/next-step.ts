import type { UsageProblems } from '../model/errors.ts'
import { withoutPassword } from '../model/secrets.ts'
import { stopReasonOf } from '../model/stop.ts'
import { capital, grouped, rows, sourceWord, visible } from '../output/text.ts'
import { RowCounts } from '../result/row-counts.ts'
import type { NextStep, ResultDetails, RunResult } from '../result/run-result.ts'
import type { Tally } from '../result/tally.ts'
import { exitCodeOfPlan, type Plan, type StepEnd } from '../run/plan.ts'
import type { WrittenRejects } from '../run/rejects.ts'
import { importWords } from './args.ts'
import type { ParsedArgs } from './command.ts'

/** What a command has left to do, as its next steps depend on it. */
export interface Unfinished {
  readonly dryRun: boolean
  readonly exitCode: number
  readonly tally: Pick<Tally, 'ends' | 'stopReason' | 'limitReached'>
  /** One of each import. */
  readonly logs: readonly (Pick<RunResult, 'written' | 'ledger'> &
    Pick<ResultDetails, 'resendsDoubts' | 'unmet' | 'approval'> & { readonly inDoubt: number })[]
  readonly rejects?: WrittenRejects | undefined
  readonly documents?: readonly string[]
  /** Service and organization are named, so that no flag has to. */
  readonly knowsService: boolean
  readonly isPlan: boolean
}

/** Lists what is left to do after a plan; a step that was stopped counts more than one that reached its limit. */
export function nextSteps(
  given: ParsedArgs,
  { file, settings, steps }: Plan,
  ends: readonly StepEnd[],
): NextStep[] {
  const results = ends.flatMap(each => (each.type === 'ended' ? [each.end] : []))
  const tallies = results.map(({ details }) => details.tally)
  const [stopReason] = ends.flatMap(each => {
    if (each.type === 'ended') return each.end.details.tally.stopReason ?? []
    return each.type === 'refused' ? stopReasonOf(each.error) : []
  })
  const [limitReached] = stopReason ? [] : tallies.flatMap(tally => tally.limitReached ?? [])
  const isPlan = file !== undefined
  return stepsAfter(given, {
    exitCode: exitCodeOfPlan(ends),
    dryRun: settings.dryRun,
    tally: { ends: RowCounts.sumOf(tallies).ends, stopReason, limitReached },
    logs: results.map(logOf),
    ...(!isPlan && repairsOf(results[0])),
    knowsService: steps.every(
      step => step.settings.baseUrl !== undefined && step.settings.organizationId !== undefined,
    ),
    isPlan,
  })
}

/** The rejected rows of a single import, and what is imported with them. */
const repairsOf = ({ rejects, rejected_rows: rows = 0, details }: Partial<RunResult> = {}) => ({
  rejects: rejects === undefined ? undefined : { path: rejects, rows },
  documents: details?.documents ?? [],
})

const logOf = ({ written, ledger, in_doubt_total: inDoubt, details }: RunResult) => {
  const { resendsDoubts, unmet, approval } = details
  return { written, ledger, inDoubt, resendsDoubts, unmet, approval }
}

/** All that is left to do; what comes first stands first. */
export function stepsAfter(given: ParsedArgs, left: Unfinished): NextStep[] {
  if (left.dryRun) return [...afterDryRun(given, left)]
  if (left.tally.stopReason?.code === 'lock') return []
  if (left.logs.some(({ written, ledger }) => (written ?? ledger) === undefined)) return [] // nothing can be resumed
  return [...left.logs.flatMap(log => [...inLog(given, log)]), ...goOn(given, left)]
}

const step = (advice: string, args: readonly string[]): NextStep => ({
  advice: visible(advice),
  args: args.map(withoutPassword),
})

function* inLog(
  { flags }: ParsedArgs,
  { written = '', ledger, inDoubt, resendsDoubts, unmet }: Unfinished['logs'][number],
) {
  const them = inDoubt === 1 ? 'it' : 'them'
  const log =
    ledger === undefined
      ? [written]
      : [...(flags.ledger === undefined ? [] : ['--ledger', `${flags.ledger}`]), '--import', ledger.import]
  if (inDoubt > 0 && !resendsDoubts)
    yield step(`Look in the service for the ${rows(inDoubt)} in doubt, and settle ${them}`, [
      'resolve',
      ...log,
    ])
  if (ledger === undefined && unmet.some(({ code }) => code === 'too_many_merged'))
    yield step('Check the rows that got the record of another row; the page has both', ['report', written])
}

function* goOn(given: ParsedArgs, { tally, logs, rejects, documents, exitCode }: Unfinished) {
  const { stopReason, limitReached, ends } = tally
  const args = importWords(given)
  const bad = badRows(ends)
  const resent = logs.reduce((sum, log) => sum + (log.resendsDoubts ? log.inDoubt : 0), 0)
  const again = `run the same command again; it continues where this run ended${
    resent > 0 ? `, and sends the ${rows(resent)} in doubt once more` : ''
  }`
  if (limitReached !== undefined) yield afterLimit(given, bad)
  else if (exitCode === 0) return
  else if (stopReason?.code === 'signal') yield step(capital(again), args)
  else if (stopReason !== undefined) yield step(`Fix the cause, then ${again}`, args)
  else if (rejects !== undefined && rejects.rows > 0) {
    const them = rejects.rows === 1 ? 'it' : 'them'
    const fix = `Fix the ${rows(rejects.rows)} in ${rejects.path}, then import ${them}`
    yield step(fix, repairing(given, rejects, logs[0], documents))
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
  given: ParsedArgs,
  { path }: WrittenRejects,
  log: Unfinished['logs'][number] | undefined,
  documents: readonly string[] = [],
): string[] {
  const again = path.replace(/(\.[^./\\]*)?$/, '.again$1')
  const results = log?.ledger === undefined ? ['--results', log?.written ?? '-'] : []
  const kept = importWords(given, { sources: [path, ...documents], without: ['results', 'rejects'] })
  return [...kept, ...results, '--rejects', again]
}

function afterLimit(given: ParsedArgs, bad: string | undefined): NextStep {
  const fix = bad === undefined ? '' : `, and fix the cause of ${bad}`
  const elsewhere = given.flags.limit === undefined ? 'take the limit away where it is set, and ' : ''
  const advice = `Look at the records${fix}; if they are right, ${elsewhere}import the rest`
  return step(advice, importWords(given, { without: ['limit'] }))
}

function* afterDryRun(
  given: ParsedArgs,
  { tally, logs, knowsService, isPlan }: Unfinished,
): Generator<NextStep> {
  const { invalid, valid } = tally.ends
  const args = importWords(given)
  const real = (...without: string[]) => importWords(given, { without: ['dryRun', 'preview', ...without] })
  if (tally.stopReason !== undefined) return yield step('Fix the cause, and dry-run again', args)
  if (logs.some(({ unmet }) => unmet.length > 0))
    return yield step('Look into what is not as expected, and dry-run again', args)
  const bad = badRows({ invalid, failed: 0 })
  if (bad !== undefined) yield step(`Fix the ${bad} or the mapping, and dry-run again`, args)
  if (logs.some(({ approval }) => approval))
    return yield step('Have the approval reviewed, then import', real())
  const service = knowsService ? [] : ['--base-url', 'URL', '--organization-id', 'N']
  const five = `${isPlan ? 'five of each step' : 'five rows'} first`
  const again = [...real('limit'), ...service, '--limit', '5']
  if (valid > 0) yield step(invalid > 0 ? `Or import the good rows, ${five}` : `Import ${five}`, again)
}

/** Two ways on if an import has another log; a plan names its logs itself. */
export function afterOtherLog(
  given: ParsedArgs,
  { others: [other = ''], isStep }: UsageProblems['other_log'],
): NextStep[] {
  const goOn = step('Go on with that log', [
    ...importWords(given, { without: ['results'] }),
    '-o',
    sourceWord(other),
  ])
  const begin = step('Or begin another', [...importWords(given, { without: ['newLog'] }), '--new-log'])
  return isStep ? [begin] : [goOn, begin]
}
