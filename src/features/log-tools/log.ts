import { basename } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import type { Run } from '../../cli/command.ts'
import { type CliContext, lockWait, printTo } from '../../cli/context.ts'
import { UsageError } from '../../model/errors.ts'
import {
  aligned,
  commandLine,
  counted,
  grouped,
  inSnakeCase,
  rows,
  spanOf,
  timeOf,
  visible,
  visibleJson,
} from '../../output/text.ts'
import { pathIn } from '../../platform/process-info.ts'
import type { LogPart } from '../../result/facts.ts'
import type { ReasonFacts } from '../../result/reasons.ts'
import { rowStatuses, runStatuses, statusWord } from '../../result/row-counts.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { holdingLog, watchingOf } from '../../run/logs.ts'
import { logPart } from '../../run/page.ts'
import { checkLogExists } from '../../run/paths.ts'
import { writeTexts } from '../../run/ports.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { lockTimeout } from '../../settings/options.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { givesRecord, type ResultLine } from '../../store/files/lines.ts'
import type { Lock } from '../../store/files/lock.ts'
import { readResultLines, resolveLink } from '../../store/files/result-log.ts'
import type { logOptions } from './options.ts'
import { repairLog } from './repair.ts'

type Options = OptionValues<typeof logOptions>

/** Shows what a result log has, lists its records, or repairs it; returns the exit code. Throws a UsageError, LockError or LogError. */
export const runLog: Run<typeof logOptions> = async ({ positionals: logs, values: options }, context) => {
  const { ids, run, all, json, repair } = options
  const [named] = logs
  if (named === undefined || logs.length > 1) throw new UsageError('one_log_only', { command: 'log' })
  if (Number(ids) + Number(json) + Number(repair) > 1 || (!ids && (all || run !== undefined)))
    throw new UsageError('log_options')
  const path = await resolveLink(pathIn(context, named))
  if (ids) await listRecords(path, options, context)
  else if (repair) {
    const repairing = (lock: Lock, run: string) => repairLog(path, lock, run)
    const moved = await holdingLog(path, lockWait(options, context), context, repairing)
    printTo(context.stderr, describeRepaired(path, moved.length))
  } else {
    const part = await logPart(path, basename(path), watchingOf(context, lockTimeout.default))
    await writeTexts([json ? logJson(part) : logText(part)], context.stdout)
  }
  return exitCodes.finished
}

const columns = ['key', 'record_id', 'status', 'source', 'row']

/** Prints the records that the import made as CSV, or all; of one run, which is `last` or the start of its id. Throws a UsageError. */
async function listRecords(
  path: string,
  { run: named, all }: Options,
  { stdout, stdoutIsTerminal, stderr }: CliContext,
): Promise<void> {
  await checkLogExists(path)
  const runs = new Set<string>()
  const { inDoubt, opening } = await replay(path, {}, ({ line }) => void runs.add(line.run))
  const start = named === 'last' ? opening?.run : named
  const [run, ...others] = start === undefined ? [] : [...runs].filter(run => run.startsWith(start))
  if (start !== undefined && (run === undefined || others.length > 0))
    throw new UsageError('unknown_run', { log: path, run: start, isAmbiguous: run !== undefined })
  const isListed = (line: ResultLine) =>
    (all ? givesRecord(line) : line.status === 'created') && (run === undefined || run === line.run)
  const cast = { string: stdoutIsTerminal ? visible : String }
  await writeTexts(async function* () {
    yield stringify([columns])
    for await (const lines of readResultLines(path))
      yield stringify(lines.map(({ line }) => line).filter(isListed), { columns, cast })
  }, stdout)
  if (inDoubt === 0) return
  const doubts = counted(inDoubt, 'row is in doubt', 'rows are in doubt')
  const resolve = commandLine(['resolve', path])
  printTo(
    stderr,
    `${doubts} in ${visible(path)}: a record that was made for such a row is not listed (${resolve}).\n`,
  )
}

const mostRuns = 20

function logText(part: LogPart): string {
  const { log, opening, counts, reasons, otherReasons, omitted, notInAnswer, slowest } = part
  const { record, organization_id: organization, base_url: url } = opening
  const now = rowStatuses.filter(status => counts[status] > 0)
  const current = now.map(status => [statusWord(status), grouped(counts[status])])
  const left = omitted.map(({ column, count }) => [column, grouped(count)])
  const lacking = notInAnswer.map(({ path, count }) => [path, grouped(count)])
  const others = otherReasons > 0 ? [`  ${rows(otherReasons)} for other reasons`] : []
  const calls = slowest.map(({ durationMs, attempts, source, line, key, run }) => [
    ...[grouped(durationMs), grouped(attempts), `${source}:${line}`, key, run],
  ])
  const why = ['Why rows have no record:', ...reasons.flatMap(reasonLines), ...others]
  const parts = [
    `${visible(`${log}: ${record}s of organization ${organization} at ${url}`)}\n`,
    section('Rows now:', current),
    runSection(part),
    reasons.length === 0 ? '' : `${why.join('\n')}\n`,
    section('Values left out:', left),
    section('Sent, and not in the answer:', lacking),
    section('The slowest calls:', calls, ['ms', 'attempts', 'row', 'key', 'run']),
  ]
  return parts.filter(Boolean).join('\n')
}

type Cells = readonly string[]

const section = (title: string, table: readonly Cells[], header?: Cells) =>
  table.length === 0
    ? ''
    : `${title}\n${aligned(header ? [header, ...table] : table)
        .map(line => `  ${line}\n`)
        .join('')}`

function runSection({ runs, earlierRuns }: LogPart): string {
  const shown = runs.slice(-mostRuns)
  const used = runStatuses.filter(status => shown.some(({ counts }) => counts[status] > 0))
  const hasKnown = shown.some(({ known }) => known > 0)
  const total = earlierRuns + runs.length
  const title = shown.length < total ? `The last ${mostRuns} of ${grouped(total)} runs:` : 'Runs:'
  const table = shown.map(run => [
    ...[run.run, timeOf(run.startedAt), spanOf(run.durationMs)],
    run.byHand ? 'by hand' : run.rows === undefined ? '-' : grouped(run.rows),
    ...used.map(status => grouped(run.counts[status])),
    ...(hasKnown ? [grouped(run.known)] : []),
  ])
  const header = ['run', 'began (UTC)', 'took', 'rows', ...used.map(statusWord)]
  return section(title, table, hasKnown ? [...header, 'known'] : header)
}

const reasonLines = ({ status, rows: count, reason, answer, remedy, examples }: ReasonFacts) => [
  `  ${grouped(count)} × ${statusWord(status)}: ${visible([reason, answer].filter(Boolean).join(': '))}`,
  ...examples.slice(0, 1).map(({ source, line, key }) => `      ${visible(`${source}:${line}, key ${key}`)}`),
  `      ${remedy}`,
]

/** Makes one line for programs, with the names of the fields. */
function logJson({ log: results, opening, byHand: settledByHand, ...part }: LogPart): string {
  const { counts, duplicates, runs, earlierRuns, reasons, otherReasons, omitted, notInAnswer, slowest } = part
  const rows = { counts, duplicates, settledByHand, runs, earlierRuns }
  const why = { reasons, otherReasons, omitted, notInAnswer, slowest }
  return visibleJson(`${JSON.stringify({ results, ...opening, ...rows, ...why }, inSnakeCase)}\n`)
}

function describeRepaired(path: string, moved: number): string {
  const log = visible(path)
  if (moved === 0) return `${log}: no line is damaged\n`
  const lines = counted(moved, 'damaged line')
  return `${log}: ${lines} moved to ${log}.damaged. A row without another line is in doubt now: rowlift resolve ${log}\n`
}
