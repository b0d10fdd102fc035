import type { Outcome } from '../model/outcome.ts'
import type { Describe } from '../model/problem.ts'
import type { Call } from '../model/row.ts'
import { InFlight } from './in-flight.ts'
import type { Lock } from './lock.ts'
import { abandonedLine, isLogged, type Opening, resultLine, settlesCall } from './outcome.ts'
import type { PastRuns } from './past-runs.ts'
import { type LineSink, openResultLog } from './results.ts'

/** What a run keeps, so that whatever becomes of it every row is accounted for (DESIGN 4). */
export interface Journal {
  /** Resolves when an outcome is kept, undefined when there is nothing to keep; rejects with a LogError. */
  record(outcome: Outcome): Promise<void> | undefined
  readonly announced: {
    /** Resolves once it is safe that a call may be under way; rejects with a LogError or LockError. */
    begin(call: Call): Promise<void>
    /** Hears that a call is over and reached nothing. */
    withdraw(call: Call): void
  }
  /** Throws a LogError, or a LockError when another run has taken the log over. */
  close(): Promise<void>
}

/** What each line of a journal is made with. */
export interface Keeping {
  readonly opening: Opening
  readonly now: () => Date
  readonly describe: Describe
  /** Hears the line of an outcome that could not be kept. */
  readonly onUnwritten: (line: string) => void
}

/**
 * Opens the files of a result log whose lock is held: mends its end, begins the run, and puts in doubt the rows whose
 * calls an earlier run left under way. Throws a LogError or LockError.
 */
export async function openJournal(
  path: string,
  { mend, abandoned }: PastRuns,
  lock: Lock,
  keeping: Keeping,
): Promise<Journal> {
  const { opening, now } = keeping
  const log = await openResultLog(path, mend, lock)
  try {
    const doubts = abandoned.map(doubt => abandonedLine(doubt, keeping.describe))
    await Promise.all([JSON.stringify(opening), ...doubts].map(line => log.append(line)))
    const announced = await InFlight.open(path, opening, lock, now) // only now are the earlier calls needed no more
    return {
      announced,
      record: recorder(log, keeping, key => announced.settled(key)),
      close: async () => {
        await log.close()
        await announced.close()
      },
    }
  } catch (error) {
    await log.close().catch(() => {}) // what it was begun for did not come about, and why is told
    throw error
  }
}

/** Keeps outcomes in a stream that nobody can read again: nothing can be resumed. */
export async function streamJournal(log: LineSink, keeping: Keeping): Promise<Journal> {
  await log.append(JSON.stringify(keeping.opening))
  return {
    announced: { begin: async () => {}, withdraw: () => {} },
    record: recorder(log, keeping, () => {}),
    close: () => log.close(),
  }
}

function recorder(
  log: LineSink,
  { opening, now, describe, onUnwritten }: Keeping,
  onSettled: (key: string) => void,
): Journal['record'] {
  const keep = async (outcome: Outcome) => {
    const line = resultLine(opening.run, now(), outcome, opening.record, describe)
    try {
      await log.append(line)
    } catch (error) {
      onUnwritten(line)
      throw error
    }
    if (settlesCall(outcome)) onSettled(outcome.identity.key)
  }
  return outcome => (isLogged(outcome) ? keep(outcome) : undefined)
}
