import { basename } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { replay } from '../journal/checkpoint.ts'
import { compactLog } from '../journal/compact.ts'
import { givesRecord, type ResultLine } from '../journal/lines.ts'
import { readResultLines } from '../journal/result-log.ts'
import { UsageError } from '../model/errors.ts'
import type { LogPart } from '../report/page/facts.ts'
import { describeProblem } from '../report/words.ts'
import { holdingLog, type LockWait } from './log-lock.ts'
import { lockTimeout } from './options.ts'
import { logPart } from './page.ts'
import { checkLogExists } from './paths.ts'
import { type ProcessInfo, watchingOf } from './ports.ts'

/** Reads what `rowlift log` tells of a result log. Throws a UsageError. */
export const readLog = (path: string, info: ProcessInfo): Promise<LogPart> =>
  logPart(path, basename(path), watchingOf(info, lockTimeout.default))

/** Throws a UsageError, LockError or LogError. */
export const compact = (path: string, wait: LockWait, info: ProcessInfo) =>
  holdingLog(path, wait, info, (lock, run) => compactLog(path, lock, { run, describe: describeProblem }))

const columns = ['key', 'record_id', 'status', 'source', 'row']

/** Of a log, or of one run of it: CSV with its records, and how many rows are in doubt, whose records it does not name. */
export interface LoggedRecords {
  readonly inDoubt: number
  readonly texts: () => AsyncGenerator<string>
}

/** `named` is the start of the id of a run, or `last`. Without `all` only records that the import made. Throws a UsageError. */
export async function readRecords(
  path: string,
  named: string | undefined,
  all: boolean,
): Promise<LoggedRecords> {
  await checkLogExists(path)
  const runs = new Set<string>()
  const { inDoubt, opening } = await replay(path, {}, ({ line }) => void runs.add(line.run))
  const start = named === 'last' ? opening?.run : named
  const found = [...runs].filter(run => start !== undefined && run.startsWith(start))
  if (start !== undefined && found.length !== 1)
    throw new UsageError('unknown_run', { log: path, run: start, isAmbiguous: found.length > 0 })
  const isListed = (line: ResultLine) =>
    (all ? givesRecord(line) : line.status === 'created') && (start === undefined || found[0] === line.run)
  return {
    inDoubt,
    async *texts() {
      yield stringify([columns])
      for await (const lines of readResultLines(path))
        yield stringify(
          lines.flatMap(({ line }) => (isListed(line) ? line : [])),
          { columns },
        )
    },
  }
}
