import { UsageError } from '../../model/errors.ts'
import { describeProblem } from '../../output/words.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import { holdingLog, type LockWait } from '../../run/hold-log.ts'
import { checkLogExists } from '../../run/paths.ts'
import { type ByHand, type Doubts, openDoubts, readDoubts, resolveDoubts } from './doubts.ts'

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
