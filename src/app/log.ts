// What commands other than import do with a result log: they read it, list its records, settle its doubts, compact it, or repair it.
import { basename } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { ulid } from 'ulid'
import { replay } from '../journal/checkpoint.ts'
import { compactLog } from '../journal/compact.ts'
import { givesRecord, type ResultLine } from '../journal/lines.ts'
import { type Lock, lockLog } from '../journal/lock.ts'
import { repairLog } from '../journal/repair.ts'
import { type ByHand, type Doubts, openDoubts, readDoubts, resolveDoubts } from '../journal/resolve.ts'
import { readResultLines } from '../journal/result-log.ts'
import { UsageError } from '../model/errors.ts'
import type { LockOwner } from '../model/lock-owner.ts'
import type { LogPart } from '../report/page/facts.ts'
import { describeProblem } from '../report/words.ts'
import { lockTimeout } from './options.ts'
import { logPart } from './page.ts'
import { checkLogExists } from './paths.ts'
import { holderOf, type ProcessInfo, watchingOf } from './ports.ts'

/** Reads what `rowlift log` tells of a result log. Throws a UsageError. */
export const readLog = (path: string, info: ProcessInfo): Promise<LogPart> =>
  logPart(path, basename(path), watchingOf(info, lockTimeout.default))

/** Throws a UsageError, LockError or LogError. */
export const compact = (path: string, wait: LockWait, info: ProcessInfo) =>
  holdingLog(path, wait, info, (lock, run) => compactLog(path, lock, { run, describe: describeProblem }))

/** Throws a UsageError, LockError or LogError. */
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

/** Finds the rows in doubt; of a key, that its row is. Throws a UsageError. */
export async function listDoubts(path: string, key: string | undefined): Promise<Doubts> {
  await checkLogExists(path)
  const doubts = await readDoubts(path)
  checkSettlement(path, { key, recordId: undefined }, doubts)
  return doubts
}

/** Settles rows in doubt; returns how many, and how many are left. Throws a UsageError, LockError or LogError. */
export const settle = (
  path: string,
  settlement: ByHand,
  wait: LockWait,
  info: ProcessInfo,
): Promise<{ settled: number; left: number }> =>
  holdingLog(path, wait, info, async (lock, run) => {
    const doubts = await openDoubts(path, lock, describeProblem)
    checkSettlement(path, settlement, doubts)
    const context = { run, now: info.clock.now, describe: describeProblem }
    const resolution = { key: settlement.key, endOf: () => settlement }
    const settled = await resolveDoubts(path, lock, doubts, resolution, context)
    return { settled, left: doubts.checkpoint.inDoubt - settled }
  })

function checkSettlement(path: string, { key, recordId }: ByHand, { checkpoint }: Doubts): void {
  if (key !== undefined) {
    const state = checkpoint.get(key, '')?.status
    if (state !== 'in_doubt') throw new UsageError('not_in_doubt', { log: path, key, state })
  }
  const row = recordId && checkpoint.ownerOf(recordId)
  if (recordId && row && checkpoint.opening?.use_created !== true)
    throw new UsageError('record_taken', { log: path, row, recordId })
}

export interface LockWait {
  readonly lockTimeoutS: number
  /** Called when another run may hold the log. */
  readonly onWait: (holder: LockOwner | undefined) => void
}

/** Works on an existing result log under its lock, as a run of its own. Throws a UsageError, LockError or LogError. */
export async function holdingLog<T>(
  path: string,
  { lockTimeoutS, onWait }: LockWait,
  info: ProcessInfo,
  work: (lock: Lock, run: string) => Promise<T>,
): Promise<T> {
  await checkLogExists(path)
  const run = ulid()
  const lock = await lockLog(path, {
    holder: holderOf(run, info),
    clock: info.clock,
    timeoutMs: lockTimeoutS * 1000,
    onWait,
    onLost: () => {}, // it is checked before anything is written
  })
  return work(lock, run).finally(lock.release)
}
