import { standardInput } from '../input/source.ts'
import { withoutPassword } from '../model/secrets.ts'
import { stopReasonOf } from '../model/stop.ts'
import { capital, grouped, rows, visible } from '../output/text.ts'
import { lookForSpares } from '../output/words/notices.ts'
import { RowCounts } from '../result/row-counts.ts'
import type { NextStep, ResultDetails, RunResult } from '../result/run-result.ts'
import type { Tally } from '../result/tally.ts'
import { exitCodeOfPlan, type Plan, type StepEnd } from '../run/plan.ts'
import { importWords } from './args.ts'
import type { ParsedArgs } from './command.ts'

/** The state at the end of a command on which its next steps depend. */
export interface Unfinished {
  readonly dryRun: boolean
  readonly exitCode: number
  readonly tally: Pick<Tally, 'ends' | 'stopReason' | 'limitReached'>
  /** One of each import. */
  readonly logs: readonly LogLeft[]
  /** Service and organization are named, so that no flag has to. */
  readonly knowsService: boolean
  /** A run needs a result log that nothing names yet, because it reads standard input. */
  readonly lacksLog?: boolean
  readonly isPlan: boolean
}

type LogLeft = Pick<RunResult, 'written' | 'ledger' | 'in_doubt_total' | 'rejects' | 'rejected_rows'> &
  Pick<ResultDetails, 'resendsDoubts' | 'unmet' | 'questions' | 'approval' | 'documents'>

/** Lists the next steps after a plan; a step that was stopped counts more than one that reached its limit. */
export function nextSteps(input: ParsedArgs, { file, settings, steps }: Plan, ends: readonly StepEnd[]) {
  const results = ends.flatMap(({ end }) => end ?? [])
  const tallies = results.map(({ details }) => details.tally)
  const [stopReason] = ends.flatMap(({ end, error }) =>
    error === undefined ? (end?.details.tally.stopReason ?? []) : stopReasonOf(error),
  )
  const [limitReached] = stopReason ? [] : tallies.flatMap(tally => tally.limitReached ?? [])
  return stepsAfter(input, {
    exitCode: exitCodeOfPlan(ends),
    dryRun: settings.dryRun,
    tally: { ends: RowCounts.sumOf(tallies).ends, stopReason, limitReached },
    logs: results.map(result => ({ ...result, ...result.details })),
    knowsService: steps.every(
      step => step.settings.baseUrl !== undefined && step.settings.organizationId !== undefined,
    ),
    lacksLog: steps.some(
      ({ sources, settings: { results, ledger } }) =>
        sources.includes(standardInput) && (results ?? ledger) === undefined,
    ),
    isPlan: file !== undefined,
  })
}

/** Lists all next steps; the most urgent one comes first. */
export function stepsAfter(input: ParsedArgs, left: Unfinished): NextStep[] {
  const steps = allSteps(input, left)
  if (!input.positionals.includes(standardInput)) return steps
  const withRows = (advice: string) => `${advice}, with the same rows on standard input`
  const reads = ({ args }: NextStep) => args.includes(standardInput)
  return steps.map(step => (reads(step) ? { ...step, advice: withRows(step.advice) } : step))
}

function allSteps(input: ParsedArgs, left: Unfinished): NextStep[] {
  if (left.dryRun) return afterDryRun(input, left)
  if (left.tally.stopReason?.code === 'lock') return []
  if (left.logs.some(({ written, ledger }) => (written ?? ledger) === undefined)) return [] // nothing can be resumed
  return [...left.logs.flatMap(log => [...inLog(input, log)]), ...goOn(input, left)]
}

export const step = (advice: string, args: readonly string[]): NextStep => ({
  advice: visible(advice),
  args: args.map(withoutPassword),
})

const them = (count: number) => (count === 1 ? 'it' : 'them')

function* inLog({ flags }: ParsedArgs, left: LogLeft) {
  const { written = '', ledger, in_doubt_total: inDoubt, resendsDoubts, unmet } = left
  const url = flags.ledger === undefined ? [] : ['--ledger', `${flags.ledger}`]
  const log = ledger === undefined ? [written] : [...url, '--import', ledger.import]
  const look = `Look in the service for the ${rows(inDoubt)} in doubt, and settle ${them(inDoubt)}`
  if (inDoubt > 0 && !resendsDoubts) yield step(look, ['resolve', ...log])
  if (ledger === undefined && unmet.some(({ code }) => code === 'too_many_merged'))
    yield step('Check the rows that got the record of another row; the page has both', ['report', written])
  if (unmet.some(({ code }) => code === 'too_many_unclear')) yield lookForSpares(...log.map(withoutPassword))
}

function* goOn(input: ParsedArgs, left: Unfinished) {
  const { logs, exitCode, isPlan } = left
  const { stopReason, limitReached, ends } = left.tally
  const [log] = isPlan ? [] : logs
  const args = importWords(input)
  const bad = badRows(ends)
  const resent = logs.reduce((sum, log) => sum + (log.resendsDoubts ? log.in_doubt_total : 0), 0)
  const andDoubts = resent > 0 ? `, and sends the ${rows(resent)} in doubt once more` : ''
  const again = `run the same command again; it continues where this run ended${andDoubts}`
  if (limitReached !== undefined) yield afterLimit(input, bad)
  else if (exitCode === 0) return
  else if (stopReason?.code === 'signal') yield step(capital(again), args)
  else if (stopReason !== undefined) yield step(`Fix the cause, then ${again}`, args)
  else if (log?.rejected_rows) {
    const { rejected_rows: rejected, rejects } = log
    yield step(
      `Fix the ${rows(rejected)} in ${rejects}, then import ${them(rejected)}`,
      repairing(input, log),
    )
    yield step(`Or fix the cause, and ${again}`, args)
  } else if (bad !== undefined) yield step(`Fix the cause of ${bad}, then ${again}`, args)
  else if (resent > 0) yield step(capital(again), args)
}

/** Rows to fix: `2 invalid and 1 failed rows`; undefined if there are none. */
function badRows({ invalid, failed }: Pick<Tally['ends'], 'invalid' | 'failed'>): string | undefined {
  const counts = Object.entries({ invalid, failed }).filter(([, n]) => n > 0)
  const words = counts.map(([end, n]) => `${grouped(n)} ${end}`).join(' and ')
  return words === '' ? undefined : `${words} ${invalid + failed === 1 ? 'row' : 'rows'}`
}

/** The import of repaired rows, with the same log; rows that are rejected again go to another file. */
function repairing(input: ParsedArgs, { written = '', ledger, rejects = '', documents }: LogLeft): string[] {
  const again = rejects.replace(/(\.[^./\\]*)?$/, '.again$1')
  const results = ledger === undefined ? ['--results', written] : []
  const kept = importWords(input, { sources: [rejects, ...documents], without: ['results', 'rejects'] })
  return [...kept, ...results, '--rejects', again]
}

function afterLimit(input: ParsedArgs, bad: string | undefined): NextStep {
  const fix = bad === undefined ? '' : `, and fix the cause of ${bad}`
  const notByFlag = input.flags.limit === undefined ? 'take the limit away where it is set, and ' : ''
  const advice = `Look at the records${fix}; if they are right, ${notByFlag}import the rest`
  return step(advice, importWords(input, { without: ['limit'] }))
}

function afterDryRun(input: ParsedArgs, left: Unfinished): NextStep[] {
  const { tally, logs, knowsService, lacksLog, isPlan } = left
  const { invalid, valid } = tally.ends
  const args = importWords(input)
  const real = (...without: string[]) => importWords(input, { without: ['dryRun', 'preview', ...without] })
  if (tally.stopReason !== undefined) return [step('Fix the cause, and dry-run again', args)]
  if (logs.some(({ unmet }) => unmet.length > 0))
    return [step('Look into what is not as expected, and dry-run again', args)]
  const areOpen = logs.some(({ questions }) => questions.length > 0)
  if (areOpen && input.flags.openQuestions !== 'accept')
    return [step('Answer the open questions in the mapping, and dry-run again', args)]
  const bad = badRows({ invalid, failed: 0 })
  const fix = bad === undefined ? [] : [step(`Fix the ${bad} or the mapping, and dry-run again`, args)]
  if (logs.some(({ approval }) => approval))
    return [...fix, step('Have the approval reviewed, then import', real())]
  const service = knowsService ? [] : ['--base-url', 'URL', '--organization-id', 'N']
  const five = `${isPlan ? 'five of each step' : 'five rows'} first`
  const log = lacksLog ? ['--results', 'FILE'] : []
  const go = invalid > 0 ? `Or import the good rows, ${five}` : `Import ${five}`
  return valid > 0 ? [...fix, step(go, [...real('limit'), ...log, ...service, '--limit', '5'])] : fix
}
