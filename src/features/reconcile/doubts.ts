import { fingerprint, KeyTable } from '../../model/key-table.ts'
import type { Describe } from '../../model/problem.ts'
import { type Checkpoint, replay } from '../../store/files/checkpoint.ts'
import { removeIntentLog } from '../../store/files/intent-log.ts'
import { type Doubt, type Ending, orphanLine, resolvedLine } from '../../store/files/lines.ts'
import type { Lock } from '../../store/files/lock.ts'
import { openResultLog, readResultLines } from '../../store/files/result-log.ts'
import { intentLogPath, type WholeLine } from '../../store/files/whole-lines.ts'

export interface Doubts {
  readonly checkpoint: Checkpoint
  /** Reads each row once, by its latest line; with a key only its row. */
  each(key?: string): AsyncGenerator<Doubt>
  /** Checks whether a row was sent with several bodies since a person last resolved it. */
  hasOtherBodies(key: string): boolean
}

/** Number of a line that the log does not have yet. */
const notInLogYet = 0

/** Values in the place of the fingerprint of a body. */
const noBody = 0
const severalBodies = 1

/** Finds the rows in doubt; of each row only a fingerprint is kept. Throws a UsageError. */
export async function readDoubts(path: string): Promise<Doubts> {
  const latest = new KeyTable()
  const bodies = new KeyTable()
  const note = ({ key = '', body }: Partial<Doubt>, number: number) => {
    const name = fingerprint(key)
    const [sent] = fingerprint(JSON.stringify(body ?? null))
    const before = bodies.get(name) ?? noBody
    latest.set(name, number)
    bodies.set(name, before === noBody || before === sent >>> 1 ? sent >>> 1 : severalBodies)
  }
  const checkpoint = await replay(path, { records: true }, ({ line, number }) => {
    if (line.status === 'in_doubt') note(line as Partial<Doubt>, number)
    if (line.by_hand) bodies.set(fingerprint(line.key ?? ''), noBody)
  })
  const { orphans } = checkpoint
  for (const orphan of orphans) note(orphan, notInLogYet)
  const isLatest = ({ line: { key = '', status }, number }: Pick<WholeLine, 'line' | 'number'>) =>
    status === 'in_doubt' &&
    latest.get(fingerprint(key)) === number &&
    checkpoint.get(key, '')?.status === 'in_doubt'
  return {
    checkpoint,
    hasOtherBodies: key => bodies.get(fingerprint(key)) === severalBodies,
    async *each(key) {
      const isNamed = (doubt: Doubt) => key === undefined || doubt.key === key
      for await (const lines of latest.size === 0 ? [] : readResultLines(path))
        yield* lines
          .filter(isLatest)
          .map(({ line }) => line as unknown as Doubt)
          .filter(isNamed)
      yield* orphans.filter(isNamed)
    },
  }
}

/** Reads the doubts of a log whose lock is held, if none are given; puts orphaned calls in doubt. Throws a UsageError, LogError or LockError. */
export async function openDoubts(path: string, lock: Lock, describe: Describe, read?: Doubts) {
  const doubts = read ?? (await readDoubts(path))
  const { tailRepair, orphans } = doubts.checkpoint
  const log = await openResultLog(path, tailRepair, lock)
  try {
    await Promise.all(orphans.map(doubt => log.append(orphanLine(doubt, describe))))
  } finally {
    await log.close()
  }
  removeIntentLog(intentLogPath(path), lock)
  return doubts
}

/** Answer of a person for one row, or of all if there is no key. */
export interface ByHand extends Ending {
  readonly key: string | undefined
}

interface Resolution {
  /** Decides on each row, once; one without an ending stays in doubt. */
  readonly endOf: (doubt: Doubt) => Ending | undefined
  readonly run: string
  readonly now: () => Date
  readonly describe: Describe
}

const mostAtOnce = 1_000

/** Resolves rows of a log whose lock is held; returns how many. Throws a LogError or LockError. */
export async function resolveDoubts(
  path: string,
  lock: Lock,
  doubts: AsyncIterable<Doubt>,
  { endOf, run, now, describe }: Resolution,
): Promise<number> {
  const log = await openResultLog(path, undefined, lock)
  const lines: string[] = []
  const flush = () => {
    lock.check() // the outcomes of another run must not be overruled
    return Promise.all(lines.splice(0).map(line => log.append(line)))
  }
  let resolved = 0
  try {
    for await (const doubt of doubts) {
      const ending = endOf(doubt)
      if (ending === undefined) continue
      lines.push(resolvedLine(doubt, ending, { run, at: now(), describe }))
      resolved += 1
      if (lines.length === mostAtOnce) await flush()
    }
    await flush()
  } finally {
    await log.close()
  }
  removeIntentLog(intentLogPath(path), lock)
  return resolved
}
