import { Tally } from '../model/tally.ts'
import type { About } from '../report/command-end.ts'
import type { RunFacts } from '../report/summary.ts'
import { exitCodeOf } from './exit-code.ts'
import { type ImportOrder, type OpenRun, openRun } from './open-run.ts'

/** What an import came to. */
export interface ImportEnd extends Omit<RunFacts, 'next'> {
  readonly exitCode: number
  readonly about: About
  /** Whether the same command sends rows in doubt again. */
  readonly resendsDoubts: boolean
}

/** An import, and who looks after it while it is under way. */
export interface WatchedImport extends ImportOrder {
  /** Hears that everything was checked and the first row is about to be taken; gives what to do when the last one was. */
  readonly opened: (run: OpenRun, tally: Tally) => () => void
}

/**
 * Runs one import from its opening to its end. Throws a UsageError, SourceError, LockError or LogError when it could not
 * begin; why it stopped early stands in the tally.
 */
export async function runImport(job: WatchedImport): Promise<ImportEnd> {
  const { settings, context } = job
  const tally = new Tally()
  const run = await openRun({
    ...job,
    tell: event => {
      tally.take(event)
      job.tell(event)
    },
  })
  const startedMs = context.clock.now().getTime()
  const ended = job.opened(run, tally)
  await run.run().finally(ended)
  const { about, dryRun, written, stop, resendsDoubts } = run
  if (stop.reason !== undefined) tally.take({ is: 'stopping', reason: stop.reason })
  const inDoubt = run.inDoubtBefore + tally.newDoubts - tally.settledDoubts
  return {
    about,
    dryRun,
    tally,
    durationMs: context.clock.now().getTime() - startedMs,
    inDoubt,
    columns: run.columnFacts(),
    hasRules: settings.responses.length > 0,
    written,
    rejects: run.rejects(),
    resendsDoubts,
    exitCode: exitCodeOf(tally, stop.reason, inDoubt, dryRun),
  }
}
