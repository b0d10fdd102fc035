import { ulid } from 'ulid'
import { lockLog } from '../journal/lock.ts'
import { type Doubts, openDoubts, type Resolution, readDoubts, resolveDoubts } from '../journal/resolve.ts'
import { UsageError } from '../model/errors.ts'
import type { LockOwner } from '../model/lock-owner.ts'
import { kinds } from '../records/kinds.ts'
import { describeProblem } from '../report/words.ts'
import { checkLogExists } from './paths.ts'
import { holderOf, type ProcessInfo } from './ports.ts'

export async function listDoubts(path: string) {
  await checkLogExists(path)
  return readDoubts(path)
}

export interface SettleOptions {
  readonly settlement: Resolution
  readonly lockTimeoutS: number
  /** Called when another run may hold the log. */
  readonly onWait: (holder: LockOwner | undefined) => void
}

/** Settles rows in doubt; returns how many, and how many are left. Throws a UsageError, LockError or LogError. */
export async function settle(
  path: string,
  { settlement, lockTimeoutS, onWait }: SettleOptions,
  info: ProcessInfo,
): Promise<{ settled: number; left: number }> {
  await checkLogExists(path)
  const run = ulid()
  const { clock } = info
  const lock = await lockLog(path, {
    holder: holderOf(run, info),
    clock,
    timeoutMs: lockTimeoutS * 1000,
    onWait,
    onLost: () => {}, // it is checked before the first line is written
  })
  try {
    const doubts = await openDoubts(path, lock, describeProblem)
    checkSettlement(path, settlement, doubts)
    const context = { run, now: clock.now, describe: describeProblem }
    const settled = await resolveDoubts(path, lock, doubts, settlement, context)
    return { settled, left: doubts.checkpoint.inDoubt - settled }
  } finally {
    await lock.release()
  }
}

function checkSettlement(path: string, { key, recordId }: Resolution, { checkpoint }: Doubts): void {
  if (key !== undefined) {
    const state = checkpoint.get(key, '')?.status
    if (state !== 'in_doubt') throw new UsageError('not_in_doubt', { log: path, key, state })
  }
  const row = recordId && checkpoint.rowOfRecord(recordId)
  if (recordId && row && checkpoint.opening && !kinds[checkpoint.opening.record].findsSimilar)
    throw new UsageError('record_taken', { log: path, row, recordId })
}
