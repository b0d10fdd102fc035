import { type Doubts, openDoubts, type Resolution, readDoubts, resolveDoubts } from '../journal/resolve.ts'
import { UsageError } from '../model/errors.ts'
import { kinds } from '../records/kinds.ts'
import { describeProblem } from '../report/words.ts'
import { holdingLog, type LockWait } from './log-lock.ts'
import { checkLogExists } from './paths.ts'
import type { ProcessInfo } from './ports.ts'

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
  settlement: Resolution,
  wait: LockWait,
  info: ProcessInfo,
): Promise<{ settled: number; left: number }> =>
  holdingLog(path, wait, info, async (lock, run) => {
    const doubts = await openDoubts(path, lock, describeProblem)
    checkSettlement(path, settlement, doubts)
    const context = { run, now: info.clock.now, describe: describeProblem }
    const settled = await resolveDoubts(path, lock, doubts, settlement, context)
    return { settled, left: doubts.checkpoint.inDoubt - settled }
  })

function checkSettlement(path: string, { key, recordId }: Resolution, { checkpoint }: Doubts): void {
  if (key !== undefined) {
    const state = checkpoint.get(key, '')?.status
    if (state !== 'in_doubt') throw new UsageError('not_in_doubt', { log: path, key, state })
  }
  const row = recordId && checkpoint.rowOfRecord(recordId)
  if (recordId && row && checkpoint.opening && !kinds[checkpoint.opening.record].findsSimilar)
    throw new UsageError('record_taken', { log: path, row, recordId })
}
