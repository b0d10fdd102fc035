// What commands other than import do with a result log: they read it, list its records, or repair it.
import { stringify } from 'csv-stringify/sync'
import { UsageError } from '../../model/errors.ts'
import { describeProblem } from '../../output/words.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import { holdingLog, type LockWait } from '../../run/hold-log.ts'
import { checkLogExists } from '../../run/paths.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { givesRecord, type ResultLine } from '../../store/files/lines.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import { repairLog } from './repair.ts'

/** Returns the damaged texts, which were moved. Throws a UsageError, LockError or LogError. */
export const repair = (path: string, wait: LockWait, info: ProcessInfo) =>
  holdingLog(path, wait, info, (lock, run) => repairLog(path, lock, { run, describe: describeProblem }))

const columns = ['key', 'record_id', 'status', 'source', 'row']

/**
 * Of a log, or of one run of it: CSV with its records, and how many rows are in doubt, whose records it does not name. `named` is the
 * start of the id of a run, or `last`. Without `all` only records that the import made; `show` makes a text of each. Throws a UsageError.
 */
export async function readRecords(
  path: string,
  named: string | undefined,
  all: boolean,
  show: (text: string) => string,
) {
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
          { columns, cast: { string: show } },
        )
    },
  }
}
