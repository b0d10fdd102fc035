// The files that a run writes so that it can go on after a kill: the result log and the intent log. Begin with openJournal here, with
// `replay` in checkpoint.ts for what the next run reads, and with docs/durability.md for the order of writes.

import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Outcome } from '../../model/outcome.ts'
import type { Describe } from '../../model/problem.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type IntentLog, openIntentLog, removeIntentLog } from './intent-log.ts'
import {
  type Closing,
  closingLine,
  endsCall,
  isLogged,
  type Opening,
  openingLine,
  orphanLine,
  resultLine,
} from './lines.ts'
import type { Lock } from './lock.ts'
import { type LineSink, openResultLog } from './result-log.ts'
import { intentLogPath, mostUnsynced, type TailRepair } from './whole-lines.ts'

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
  const { tailRepair, orphans } = checkpoint
  const log = await openResultLog(path, tailRepair, lock)
  try {
    const doubts = orphans.map(doubt => orphanLine(doubt, describe))
    await Promise.all([openingLine(opening), ...doubts].map(line => log.append(line)))
    const intentLog = await openIntentLog(path, opening, lock, now) // only now can the orphans in the old one go
    return journalOf(log, options, intentLog)
  } catch (error) {
    await log.close().catch(() => {}) // the first error is the one to report
    throw error
  }
}

/** Adds lines to a log whose lock is held: each group is on disk before the next one is taken. Throws a LogError or LockError. */
export async function addLines(
  path: string,
  lock: Lock,
  groups: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  repair?: TailRepair,
): Promise<void> {
  const log = await openResultLog(path, repair, lock)
  try {
    for await (const group of groups) {
      lock.check() // the outcomes of another run must not be overruled
      await Promise.all(group.map(line => log.append(line)))
    }
  } finally {
    await log.close()
  }
  removeIntentLog(intentLogPath(path), lock)
}

/** Groups of so few lines that a power cut can take each. */
export async function* inGroups(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string[]> {
  const group: string[] = []
  for await (const line of lines) {
    if (group.length === mostUnsynced) yield group.splice(0)
    group.push(line)
  }
  yield group
}

/** Writes outcomes to a stream: such a run cannot be resumed. Throws a LogError if the stream takes nothing. */
export async function streamJournal(log: LineSink, options: JournalOptions): Promise<Journal> {
  await log.append(openingLine(options.opening))
  await log.close() // it stays open
  return journalOf(log, options, {
    add: () => endOfTurn(undefined),
    remove() {},
    forget() {},
    close: async () => {},
  })
}

export type Journal = ReturnType<typeof journalOf>

function journalOf(
  log: LineSink,
  { opening, now, describe, onUnwritten }: JournalOptions,
  intentLog: IntentLog,
) {
  /** The log may end with a line that was written in part. */
  let isTorn = false
  const write = async (outcome: Outcome) => {
    const { run, record } = opening
    const line = resultLine(outcome, { run, at: now(), record, describe })
    try {
      await log.append(line)
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
    /** Resolves with an outcome once it is kept; undefined if there is nothing to keep. Rejects with a LogError. */
    record(outcome: Outcome): Promise<Outcome> | undefined {
      if (!outcome.known) return isLogged(outcome) ? write(outcome) : undefined
      if (endsCall(outcome)) intentLog.remove(outcome.identity.key)
      return undefined
    },
    /** Closes the log; `ended` is of a run that read its sources to their end. Throws a LogError, or a LockError once another run has the log. */
    async close(ended?: Closing['ended'], unmet?: Closing['unmet']): Promise<void> {
      try {
        if (ended !== undefined) await log.append(closingLine(opening.run, now(), ended, unmet))
      } finally {
        await log.close().finally(() => intentLog.close(isTorn))
      }
    },
  }
}
