import { fingerprint, KeyTable } from '../model/key-table.ts'
import type { Describe } from '../model/problem.ts'
import { removeInFlight } from './in-flight.ts'
import { inFlightPath } from './in-flight-lines.ts'
import type { Lock } from './lock.ts'
import { abandonedLine, type Doubt, settledLine } from './outcome.ts'
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
      for await (const lines of last === 0 ? [] : resultLines(path)) {
        for (const { line, number } of lines)
          if (line.status === 'in_doubt' && !abandoned.has(line.key ?? '') && isTold(line.key ?? '', number))
            yield line as unknown as Doubt
        if ((lines.at(-1)?.number ?? 0) >= last) break
      }
      yield* past.abandoned
    },
  }
}

/**
 * The same of a log whose lock is held: its end is mended, and the calls that a run left under way are put in doubt
 * there, so that lines can be added. Throws a UsageError, LogError or LockError.
 */
export async function settleAccounts(path: string, lock: Lock, describe: Describe): Promise<Doubts> {
  const doubts = await readDoubts(path)
  const { mend, abandoned } = doubts.past
  const log = await openResultLog(path, mend, lock)
  try {
    await Promise.all(abandoned.map(doubt => log.append(abandonedLine(doubt, describe))))
  } finally {
    await log.close()
  }
  removeInFlight(inFlightPath(path), lock)
  return doubts
}

/** How a person settles rows in doubt. */
export interface Settlement {
  /** The one row, or all when undefined. */
  readonly key: string | undefined
  /** The record that was made; undefined when none was. */
  readonly recordId: string | undefined
}

const mostAtOnce = 1_000

/** Settles rows of a log whose lock is held; gives how many. Throws a LogError or LockError. */
export async function settleDoubts(
  path: string,
  lock: Lock,
  { each }: Doubts,
  { key, recordId }: Settlement,
  { run, now, describe }: { readonly run: string; readonly now: () => Date; readonly describe: Describe },
): Promise<number> {
  const log = await openResultLog(path, undefined, lock)
  const lines: string[] = []
  const flush = () => {
    lock.check() // what another run has found out meanwhile must not be overruled
    return Promise.all(lines.splice(0).map(line => log.append(line)))
  }
  let settled = 0
  try {
    for await (const doubt of each()) {
      if (key !== undefined && doubt.key !== key && doubt.alias !== key) continue
      lines.push(settledLine(run, now(), doubt, recordId, describe))
      settled += 1
      if (key !== undefined) break
      if (lines.length === mostAtOnce) await flush()
    }
    await flush()
  } finally {
    await log.close()
  }
  return settled
}
