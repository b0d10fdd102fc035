import { inFlightPath } from '../journal/in-flight-lines.ts'
import { readLastWords } from '../journal/last-words.ts'
import type { Watching } from '../journal/lock.ts'
import { isThere } from '../journal/log-lines.ts'
import { usageErrors } from '../model/usage-errors.ts'
import { LogAccount } from '../report/account/log-account.ts'
import type { LastRun, LogPart } from '../report/page/facts.ts'

/**
 * What a page shows of a result log, which is read as a stream and left as it is; `lastRun` is what its last run alone
 * knew, and `watching` tells whether a run writes it meanwhile. Throws a UsageError.
 */
export async function logPart(
  path: string,
  name: string,
  watching: Watching,
  lastRun?: LastRun,
): Promise<LogPart> {
  if (!(await isThere(path)))
    throw (await isThere(inFlightPath(path)))
      ? usageErrors.logGone(path, inFlightPath(path))
      : usageErrors.noLog(path)
  const { past, merged, each } = await readLastWords(path, watching)
  const account = new LogAccount(merged)
  for await (const lines of each()) for (const line of lines) account.take(line)
  return account.part({ name, log: path, mended: past.mended, lastRun })
}
