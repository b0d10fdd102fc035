// The files that a run writes so that it can go on after a kill: the result log and the intent log. Begin with openJournal here, with
// `replay` in checkpoint.ts for what the next run reads, and with docs/durability.md for the order of writes.

import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Outcome } from '../../model/outcome.ts'
import type { Describe } from '../../model/problem.ts'
import type { SyncPoints } from './chained-file.ts'
import type { Checkpoint } from './checkpoint.ts'
import { withChecksum } from './checksum.ts'
import { type IntentLog, openIntentLog } from './intent-log.ts'
import {
  type Closing,
  commandOpening,
  type Doubt,
  endsCall,
  isLogged,
  type Opening,
  type OrphanedCall,
  orphanLine,
  resultLine,
} from './lines.ts'
import type { Lock } from './lock.ts'
import { type LineSink, openResultLog } from './result-log.ts'

/** How a run ended. */
type RunEnd = Pick<Closing, 'ended' | 'unmet' | 'stopped'>

export interface JournalOptions {
  readonly opening: Opening
  readonly now: () => Date
  readonly describe: Describe
  /** Called with the line of an outcome that could not be written. */
  readonly onUnwritten: (line: string) => void
}

/** Repairs the end under the lock, writes the opening line, puts the rows of orphaned calls in doubt. Throws a LogError or LockError. */
export async function openJournal(path: string, checkpoint: Checkpoint, lock: Lock, options: JournalOptions) {
  const { opening, now, describe } = options
  const { end, orphans } = checkpoint
  const points: SyncPoints = {}
  // what was read of the result log is on disk, then the orphans are in the new intent log, then in the result log, then calls go out
  const log = await openResultLog(path, end, lock, points)
  const files: { close(isClosed: boolean): Promise<void> }[] = [log]
  try {
    const intentLog = await openIntentLog(path, lock, {
      ...{ opening, orphans: orphans.map(callOf), crc: end.crc, points, now },
    })
    files.push(intentLog)
    const doubts = orphans.map(doubt => orphanLine(doubt, describe, opening.run))
    await Promise.all([JSON.stringify(opening), ...doubts].map(line => log.append(line)))
    for (const { key } of orphans) intentLog.forget(key)
    return journalOf(log, options, intentLog, 1 + doubts.length)
  } catch (error) {
    for (const file of files) await file.close(false).catch(() => {}) // the first error is the one to report
    throw error
  }
}

/** An orphaned call as it was in the intent log. */
const callOf = ({ status, record_type, errors, ...call }: Doubt): OrphanedCall => call

/** A command as a run of its own, with what it changes in the opening of the last import. */
export interface CommandRun
  extends Pick<JournalOptions, 'now' | 'describe'>,
    Pick<Opening, 'run' | 'at' | 'rowlift'> {
  readonly change: Pick<Opening, 'command'> & Partial<Opening>
}

/** Writes the lines of a command: each group is on disk before the next one is taken. Throws a LogError or LockError. */
export async function writeRun(
  path: string,
  checkpoint: Checkpoint,
  lock: Lock,
  { run, at, rowlift, change, now, describe }: CommandRun,
  lines: AsyncIterable<string> | Iterable<string> = [],
): Promise<void> {
  const opening = commandOpening(checkpoint.opening, { run, at, rowlift }, change)
  let journal: Journal | undefined
  let end: RunEnd | undefined
  try {
    for await (const group of inGroups(lines)) {
      if (change.command === 'resolve' && group.length + checkpoint.orphans.length === 0) break // nothing to say
      journal ??= await openJournal(path, checkpoint, lock, { opening, now, describe, onUnwritten() {} })
      lock.check() // the outcomes of another run must not be overruled
      await Promise.all(group.map(journal.append))
    }
    end = { ended: { rows: 0 } }
  } finally {
    await journal?.close(end)
  }
}

/** Lines of a command that are in memory at a time. */
const mostInGroup = 1_000

async function* inGroups(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string[]> {
  const group: string[] = []
  for await (const line of lines) {
    if (group.length === mostInGroup) yield group.splice(0)
    group.push(line)
  }
  yield group
}

/** Writes outcomes to a stream: such a run cannot be resumed. Throws a LogError if the stream takes nothing. */
export async function streamJournal(stream: LineSink, options: JournalOptions): Promise<Journal> {
  const log = { ...stream, append: (line: string) => stream.append(withChecksum(line)) }
  await log.append(JSON.stringify(options.opening))
  await log.close() // it stays open
  const intentLog = {
    add: () => endOfTurn(undefined),
    ...{ remove() {}, forget() {}, isOver: () => true, close: async () => {} },
  }
  return journalOf(log, options, intentLog, 1)
}

export type Journal = ReturnType<typeof journalOf>

/** `written` is the number of lines that the run wrote so far. */
function journalOf(
  log: LineSink,
  { opening, now, describe, onUnwritten }: JournalOptions,
  intentLog: IntentLog,
  written: number,
) {
  const { run, record, command } = opening
  let lines = written
  /** The log may end with a line that was written in part. */
  let isTorn = false
  const append = (line: string) => {
    lines += 1
    return log.append(line)
  }
  const write = async (outcome: Outcome) => {
    const line = resultLine(outcome, { run, at: now(), record, describe })
    try {
      await append(line)
    } catch (error) {
      isTorn = true
      onUnwritten(line)
      throw error
    }
    if (endsCall(outcome)) intentLog.forget(outcome.identity.key)
    return outcome
  }
  return {
    intentLog,
    /** Adds a line; it is on disk once the promise resolves. Rejects with a LogError. */
    append,
    /** Resolves with an outcome once it is kept; undefined if there is nothing to keep. Rejects with a LogError. */
    record(outcome: Outcome): Promise<Outcome> | undefined {
      if (!outcome.known) return isLogged(outcome) ? write(outcome) : undefined
      if (endsCall(outcome)) intentLog.remove(outcome.identity.key)
      return undefined
    },
    /** Closes the log, with a closing line if it has all outcomes and there is an end. Throws a LogError, or a LockError once another run has the log. */
    async close(end?: RunEnd): Promise<void> {
      let isClosed = false
      try {
        if (end !== undefined && !isTorn && intentLog.isOver()) {
          await append(JSON.stringify({ run, at: now(), ...end, command, lines: lines + 1 }))
          isClosed = true
        }
      } finally {
        await log.close().finally(() => intentLog.close(isClosed))
      }
    },
  }
}
