import { basename } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import type { Run } from '../../cli/command.ts'
import { type CliContext, lockWait, tell } from '../../cli/context.ts'
import { UsageError } from '../../model/errors.ts'
import { commandLine, counted, visible } from '../../output/text.ts'
import { pathIn } from '../../platform/process-info.ts'
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
import { describeRepaired, logJson, logText } from './overview.ts'
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
    tell(context.stderr, describeRepaired(path, moved.length))
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
  tell(
    stderr,
    `${doubts} in ${visible(path)}: a record that was made for such a row is not listed (${resolve}).\n`,
  )
}
