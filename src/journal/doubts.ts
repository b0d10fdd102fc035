import { rmSync } from 'node:fs'
import { fingerprint, KeyTable } from '../model/key-table.ts'
import { inFlightPath } from './in-flight-lines.ts'
import type { Lock } from './lock.ts'
import { abandonedLine, type Doubt } from './outcome.ts'
import type { PastRuns } from './past-runs.ts'
import { replay, resultLines } from './replay.ts'
import { openResultLog } from './results.ts'

/** The rows that a result log leaves in doubt. */
export interface Doubts {
  readonly past: PastRuns
  /** Each row once, by the last line that tells of it, as a stream. */
  each(): AsyncGenerator<Doubt>
}

/** Finds the rows in doubt; of each no more than a fingerprint is remembered. Throws a UsageError. */
export async function readDoubts(path: string): Promise<Doubts> {
  const lastLines = new KeyTable()
  let last = 0
  const past = await replay(path, true, ({ line, number }) => {
    if (line.status !== 'in_doubt') return
    lastLines.set(fingerprint(line.key ?? ''), number)
    last = number
  })
  const isTold = (key: string, number: number) =>
    past.of(key, '')?.is === 'in_doubt' && lastLines.get(fingerprint(key)) === number
  return {
    past,
    async *each() {
      const abandoned = new Set(past.abandoned.map(({ key }) => key))
      for await (const { line, number } of last === 0 ? [] : resultLines(path)) {
        const { status, key = '' } = line
        if (status === 'in_doubt' && !abandoned.has(key) && isTold(key, number))
          yield line as unknown as Doubt
        if (number === last) break
      }
      for (const call of past.abandoned)
        if (past.opening) yield JSON.parse(abandonedLine(call, past.opening.record))
    },
  }
}

/**
 * The same of a log whose lock is held: its end is mended, and the calls that a run left under way are put in doubt
 * there, so that lines can be added. Throws a UsageError, LogError or LockError.
 */
export async function settleAccounts(path: string, lock: Lock): Promise<Doubts> {
  const { mend, abandoned, opening } = await replay(path, false)
  const log = await openResultLog(path, mend, lock)
  try {
    if (opening !== undefined)
      await Promise.all(abandoned.map(call => log.append(abandonedLine(call, opening.record))))
  } finally {
    await log.close()
  }
  lock.check()
  rmSync(inFlightPath(path), { force: true })
  return readDoubts(path)
}
