import { basename } from 'node:path'
import type { Run } from '../../cli/command.ts'
import { lockWait, tell } from '../../cli/context.ts'
import { UsageError } from '../../model/errors.ts'
import { commandLine, counted, visible } from '../../output/text.ts'
import { pathIn } from '../../platform/process-info.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { logPart } from '../../run/page.ts'
import { watchingOf, writeTexts } from '../../run/ports.ts'
import { lockTimeout } from '../../settings/options.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { readRecords, repair } from './log.ts'
import type { logOptions } from './options.ts'
import { describeRepaired, logJson, logText } from './overview.ts'

/** Shows what a result log has, lists its records, or repairs it; returns the exit code. Throws a UsageError, LockError or LogError. */
export const runLog: Run<typeof logOptions> = async ({ positionals: logs, values: given }, context) => {
  const { stdout, stdoutIsTerminal, stderr } = context
  const { ids, run, all, json } = given
  const [named] = logs
  if (named === undefined || logs.length > 1) throw new UsageError('one_log_only', { command: 'log' })
  if (Number(ids) + Number(json) + Number(given.repair) > 1 || (!ids && (all || run !== undefined)))
    throw new UsageError('log_options')
  const path = await resolveLink(pathIn(context, named))
  if (given.repair)
    tell(stderr, describeRepaired(path, (await repair(path, lockWait(given, context), context)).length))
  else if (ids) {
    const { texts, inDoubt } = await readRecords(path, run, all, stdoutIsTerminal ? visible : String)
    await writeTexts(texts, stdout)
    tell(stderr, describeUnnamedRecords(path, inDoubt))
  } else {
    const part = await logPart(path, basename(path), watchingOf(context, lockTimeout.default))
    await writeTexts([json ? logJson(part) : logText(part)], stdout)
  }
  return exitCodes.finished
}

/** Rows whose records the log does not name. */
const describeUnnamedRecords = (results: string, inDoubt: number): string =>
  inDoubt === 0
    ? ''
    : `${counted(inDoubt, 'row is in doubt', 'rows are in doubt')} in ${visible(results)}: a record that was made for such a row is not listed (${commandLine(['resolve', results])}).\n`
