import { logOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { compact, readLog, readRecords, repair } from '../../app/log.ts'
import { pathIn, writeTexts } from '../../app/ports.ts'
import { resolveLink } from '../../journal/result-log.ts'
import { UsageError } from '../../model/errors.ts'
import { describeUnnamedRecords } from '../../report/command-output.ts'
import { describeCompacted, describeRepaired, logJson, logText } from '../../report/log-overview.ts'
import { visible } from '../../report/text.ts'
import { type Run, tell } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'
import { lockWait } from './resolve.ts'

/** Tells what a result log has, lists its records, compacts it, or repairs it; returns the exit code. Throws a UsageError, LockError or LogError. */
export const logCommand: Run = async ({ positionals: logs, flags }, context) => {
  const { stdout, stdoutIsTerminal, stderr } = context
  const given = parseFlags(logOptions, flags, context)
  const { ids, run, all, json } = given
  const [named] = logs
  if (named === undefined || logs.length > 1) throw new UsageError('one_log_only', { command: 'log' })
  if (
    Number(ids) + Number(json) + Number(given.compact) + Number(given.repair) > 1 ||
    (!ids && (all || run !== undefined))
  )
    throw new UsageError('log_options')
  const path = await resolveLink(pathIn(context, named))
  if (given.compact)
    tell(stderr, describeCompacted(path, await compact(path, lockWait(given, context), context)))
  else if (given.repair)
    tell(stderr, describeRepaired(path, await repair(path, lockWait(given, context), context)))
  else if (ids) {
    const { texts, inDoubt } = await readRecords(path, run, all, stdoutIsTerminal ? visible : String)
    await writeTexts(texts, stdout)
    tell(stderr, describeUnnamedRecords(path, inDoubt))
  } else {
    const log = await readLog(path, context)
    await writeTexts([json ? logJson(log) : logText(log)], stdout)
  }
  return exitCodes.finished
}
