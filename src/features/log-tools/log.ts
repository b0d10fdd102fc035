import { basename } from 'node:path'
import type { Run } from '../../cli/command.ts'
import { type CliContext, lockWait } from '../../cli/context.ts'
import { isInLedger, withNamedLog } from '../../cli/named-log.ts'
import { UsageError } from '../../model/errors.ts'
import { aligned, counted, grouped, jsonLine, rows, spanOf, timeOf, visible } from '../../output/text.ts'
import { pathIn } from '../../platform/process-info.ts'
import type { LogPart } from '../../result/facts.ts'
import type { ReasonFacts } from '../../result/reasons.ts'
import { rowStatuses, runStatuses, statusWord } from '../../result/row-counts.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { holdingLog, watchingOf } from '../../run/logs.ts'
import { logPart } from '../../run/page.ts'
import { writeTexts } from '../../run/ports.ts'
import { flagOf, lockTimeout, reading } from '../../settings/options.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { type Log, logName } from '../../store/files/whole-lines.ts'
import { tellOf } from './command-run.ts'
import type { LogOptions, logOptions } from './options.ts'
import { repairLog } from './repair.ts'
import { type SlowCall, SlowCalls } from './slow-calls.ts'

/** The options that ask for something, and those that belong to each. */
const tasks: Readonly<Partial<Record<keyof LogOptions, readonly string[]>>> = {
  ids: ['run', 'all', 'reverse'],
  json: [],
  repair: [],
  movedTo: ['yes'],
  rekey: ['leaveUnfound'],
  forget: ['run', 'keys', 'from', 'id', ...Object.keys(reading), 'yes'],
}

/** The tasks that write a log; that of a ledger is only read. */
const writing: readonly string[] = ['repair', 'movedTo', 'rekey', 'forget']

/** Shows what a result log has, or does what an option asks for; returns the exit code. Throws a UsageError, LockError or LogError. */
export const runLog: Run<typeof logOptions> = async (parsed, context) => {
  const { flags, values: options } = parsed
  const [named, ...more] = parsed.positionals
  const [task, ...others] = Object.entries(tasks).filter(([option]) => option in flags)
  const fitting = ['lockTimeout', 'ledger', 'import', ...(task?.flat() ?? [])]
  if (others.length > 0 || !Object.keys(flags).every(option => fitting.includes(option)))
    throw new UsageError('log_options')
  const [option = ''] = task ?? []
  if (!writing.includes(option)) {
    const show = options.ids ? (await import('./ids.ts')).listRecords : showLog
    await withNamedLog('log', parsed, context, log => show(log, options, context))
    return exitCodes.finished
  }
  if (isInLedger(parsed)) throw new UsageError('log_of_ledger', { option: flagOf(option) })
  if (named === undefined || more.length > 0 !== (options.rekey !== undefined))
    throw new UsageError('one_log_only', { command: 'log' })
  const path = await resolveLink(pathIn(context, named))
  if (options.rekey !== undefined) return (await import('./rekey.ts')).rekeyLog(path, options, context, more)
  if (options.movedTo !== undefined) await (await import('./move.ts')).moveLog(path, options, context)
  else if (options.forget) await (await import('./forget.ts')).forgetRows(path, options, context)
  else await repair(path, options, context)
  return exitCodes.finished
}

async function showLog(log: Log, { json }: LogOptions, context: CliContext): Promise<void> {
  const slow = new SlowCalls()
  const watching = watchingOf(context, lockTimeout.default)
  const part = await logPart(log, basename(logName(log)), watching, { onLine: line => slow.take(line) })
  await writeTexts([(json ? logJson : logText)({ ...part, log: logName(log) }, slow.calls)], context.stdout)
}

const mostRuns = 20

function logText(part: LogPart, slowest: readonly SlowCall[]): string {
  const { log, opening, counts, unclear, reasons, otherReasons, omitted, kept, notInAnswer } = part
  const { record, organization_id: organization, base_url: url } = opening
  const now = rowStatuses.filter(status => counts[status] > 0)
  const others = otherReasons > 0 ? [`${rows(otherReasons)} for other reasons`] : []
  const calls = slowest.map(({ durationMs, attempts, source, line, key, run }) => [
    ...[grouped(durationMs), grouped(attempts), `${source}:${line}`, key, run],
  ])
  const header = calls.length > 0 ? [['ms', 'attempts', 'row', 'key', 'run']] : []
  const parts = [
    `${visible(`${log}: ${record}s of organization ${organization} at ${url}`)}\n`,
    section('Rows now:', aligned(now.map(status => [statusWord(status), grouped(counts[status])]))),
    section(
      'Sent again after an unclear answer:',
      unclear > 0 ? [`${rows(unclear)}, perhaps made twice`] : [],
    ),
    runSection(part),
    section('Why rows have no record:', [...reasons.flatMap(reasonLines), ...others]),
    section('Values left out:', aligned(omitted.map(({ column, count }) => [column, grouped(count)]))),
    section('Values sent as they are:', aligned(kept.map(({ column, count }) => [column, grouped(count)]))),
    section(
      'Sent, and not in the answer:',
      aligned(notInAnswer.map(({ path, count }) => [path, grouped(count)])),
    ),
    section('The slowest calls:', aligned([...header, ...calls])),
  ]
  return parts.filter(Boolean).join('\n')
}

/** A title, and lines below it; empty without any. */
const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? '' : `${title}\n${lines.map(line => `  ${line}\n`).join('')}`

function runSection({ runs, earlierRuns }: LogPart): string {
  const shown = runs.slice(-mostRuns)
  const used = runStatuses.filter(status => shown.some(({ counts }) => counts[status] > 0))
  const hasKnown = shown.some(({ known }) => known > 0)
  const total = earlierRuns + runs.length
  const title = shown.length < total ? `The last ${mostRuns} of ${grouped(total)} runs:` : 'Runs:'
  const table = shown.map(run => [
    ...[run.run, timeOf(run.startedAt), spanOf(run.durationMs)],
    run.command ?? (run.byHand ? 'by hand' : run.rows === undefined ? '-' : grouped(run.rows)),
    ...used.map(status => grouped(run.counts[status])),
    ...(hasKnown ? [grouped(run.known)] : []),
  ])
  const header = ['run', 'began (UTC)', 'took', 'rows', ...used.map(statusWord)]
  return section(title, aligned([hasKnown ? [...header, 'known'] : header, ...table]))
}

const reasonLines = ({ status, rows: count, reason, answer, remedy, examples }: ReasonFacts) => [
  `${grouped(count)} × ${statusWord(status)}: ${visible([reason, answer].filter(Boolean).join(': '))}`,
  ...examples.slice(0, 1).map(({ source, line, key }) => `    ${visible(`${source}:${line}, key ${key}`)}`),
  `    ${remedy}`,
]

/** Makes one line for programs, with the names of the fields. */
function logJson(
  { log: results, opening, byHand: settledByHand, ...part }: LogPart,
  slowest: readonly SlowCall[],
): string {
  const { counts, duplicates, unclear, runs, earlierRuns, ...others } = part
  const { reasons, otherReasons, omitted, kept, notInAnswer } = others
  const rows = { counts, duplicates, unclear, settledByHand, runs, earlierRuns }
  const why = { reasons, otherReasons, omitted, kept, notInAnswer, slowest }
  return jsonLine({ results, ...opening, ...rows, ...why })
}

async function repair(path: string, options: LogOptions, context: CliContext): Promise<void> {
  const tell = tellOf(path, context)
  const repair = await holdingLog(path, lockWait(options, context), context, (lock, run) =>
    repairLog(path, lock, run, context),
  )
  if (repair === undefined) return tell('no line is damaged')
  const { moved, isLost } = repair
  if (moved.length > 0) tell(`${counted(moved.length, 'damaged line')} moved to ${path}.damaged`)
  if (isLost)
    tell(
      'lines are missing; from now on a row that the log does not know is held in doubt, until an export of the service settles it',
    )
  tell(`rows of which only a damaged line was left are in doubt now: rowlift resolve ${path}`)
}
