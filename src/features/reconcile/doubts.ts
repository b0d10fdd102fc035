import { fingerprint } from '../../model/fingerprint.ts'
import { KeyTable } from '../../model/key-table.ts'
import { type Checkpoint, replay } from '../../store/files/checkpoint.ts'
import { type CommandRun, writeRun } from '../../store/files/journal.ts'
import { byHandIn, type Doubt, type Ending, type ResolvedRow, resolvedLine } from '../../store/files/lines.ts'
import type { Lock } from '../../store/files/lock.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import type { Log, WholeLine } from '../../store/files/whole-lines.ts'

export type Doubts = Awaited<ReturnType<typeof readDoubts>>

/** Number of a line that the log does not have yet. */
const notInLogYet = 0

/** Values in the place of the fingerprint of a body. */
const noBody = 0
const severalBodies = 1

/** Finds the rows in doubt, and what a person said of one row; of each row only a fingerprint is kept. Throws a UsageError. */
export async function readDoubts(path: Log, named?: string) {
  const latest = new KeyTable()
  const bodies = new KeyTable()
  const note = ({ key = '', body }: Partial<Doubt>, number: number) => {
    const name = fingerprint(key)
    const [sent] = fingerprint(JSON.stringify(body ?? null))
    const before = bodies.get(name) ?? noBody
    latest.set(name, number)
    bodies.set(name, before === noBody || before === sent >>> 1 ? sent >>> 1 : severalBodies)
  }
  /** The records that a re-key left without a row. */
  const left = new Set<string | undefined>()
  const last = { byHand: undefined as ReturnType<typeof byHandIn> }
  const checkpoint = await replay(path, { records: true }, ({ line, number }) => {
    if (line.status === 'in_doubt') note(line as Partial<Doubt>, number)
    if (/^\[(".*")?\] /s.test(line.key ?? '')) left.add(line.record_id?.toLowerCase())
    if (line.by_hand) bodies.set(fingerprint(line.key ?? ''), noBody)
    if (line.key === named && line.status !== 'duplicate') last.byHand = byHandIn(line)
  })
  const { orphans } = checkpoint
  for (const orphan of orphans) note(orphan, notInLogYet)
  const doubtIn = ({ line, number }: WholeLine): Doubt[] => {
    const { key = '', status } = line
    const isLatest = status === 'in_doubt' && latest.get(fingerprint(key)) === number
    return isLatest && checkpoint.get(key, '')?.status === 'in_doubt' ? [line as unknown as Doubt] : []
  }
  return {
    checkpoint,
    left,
    /** The last line of the row that is named, if a person wrote it. */
    byHand: last.byHand,
    /** Checks whether a row was sent with no other body since a person last resolved it: without a record of this one it has none. */
    mayBeMissing: ({ key }: Doubt) => bodies.get(fingerprint(key)) !== severalBodies,
    /** Reads each row once, by its latest line; with a key only its row. */
    async *each(key?: string) {
      const isNamed = (doubt: Doubt) => key === undefined || doubt.key === key
      for await (const lines of latest.size === 0 ? [] : readResultLines(path))
        yield* lines.flatMap(doubtIn).filter(isNamed)
      yield* orphans.filter(isNamed)
    },
  }
}

interface Resolution<D extends ResolvedRow> extends Pick<CommandRun, 'run' | 'rowlift' | 'now' | 'describe'> {
  readonly checkpoint: Checkpoint
  /** Decides on each row, once; one without an ending stays in doubt. */
  readonly endOf: (doubt: D) => Ending | undefined
}

/** Resolves rows of a log whose lock is held; returns how many. Throws a LogError or LockError. */
export async function resolveDoubts<D extends ResolvedRow>(
  path: string,
  lock: Lock,
  doubts: AsyncIterable<D> | Iterable<D>,
  { checkpoint, endOf, ...how }: Resolution<D>,
): Promise<number> {
  const { run, now, describe } = how
  let resolved = 0
  const lines = async function* () {
    for await (const doubt of doubts) {
      const ending = endOf(doubt)
      if (ending === undefined) continue
      resolved += 1
      yield resolvedLine(doubt, ending, { run, at: now(), describe })
    }
  }
  const command = { ...how, at: now().toISOString(), change: { command: 'resolve' } } as const
  await writeRun(path, checkpoint, lock, command, lines())
  return resolved
}
