import { RowliftError } from '../../model/errors.ts'
import type { Stop } from '../../model/stop.ts'
import { Tally } from '../../report/tally.ts'
import { describeError, libraryFace } from '../../report/words.ts'
import { exitCodes } from '../exit-code.ts'
import type { OutcomeSink } from '../outcome-sink.ts'
import type { ProcessInfo } from '../ports.ts'
import { prepare } from '../prepare.ts'
import { run } from '../run.ts'
import type { ImportRowsOptions } from './options.ts'
import { orderOf } from './order.ts'
import { type RowOutcome, rowOutcome } from './outcome.ts'
import { type EndInCode, type ImportSummary, summaryOf } from './summary.ts'

/** Who takes outcomes, and what gives a promise where the run is to wait. */
export type Take = (outcome: RowOutcome) => Promise<void> | undefined

/**
 * Runs an import to its end, or until it is stopped. Throws a UsageError, SourceError, LockError or LogError when it could
 * not begin.
 */
export async function runToEnd(
  options: ImportRowsOptions,
  info: ProcessInfo,
  stop: Stop,
  take: Take,
): Promise<ImportSummary> {
  try {
    const order = orderOf(options, info)
    const keeper: OutcomeSink = { keep: outcome => take(rowOutcome(outcome)), close: async () => {} }
    const { unwritten, ports, ...job } = order
    const end = stop.reason
      ? unbegun(options, stop)
      : await prepare(job, { ...ports, stop, tell: () => {} })
          .then(prepared => run(prepared, { sinks: [keeper] }))
          .catch(error => unbegunBy(error, options, stop))
          .finally(() => ports.streams?.stdin.destroy())
    return summaryOf(end, unwritten)
  } catch (error) {
    throw withMessage(error)
  }
}

/** Gives an error its message, with options as they are called in code. */
export function withMessage(error: unknown): unknown {
  if (error instanceof RowliftError) error.message = describeError(error, libraryFace)
  return error
}

/** A run that was stopped while it was being opened has sent nothing; an opening that failed by itself is an error. */
function unbegunBy(error: unknown, options: ImportRowsOptions, stop: Stop): EndInCode {
  if (stop.reason?.code !== 'aborted') throw error
  return unbegun(options, stop)
}

function unbegun({ dryRun = false }: ImportRowsOptions, { reason }: Stop): EndInCode {
  const tally = new Tally()
  if (reason !== undefined) tally.take({ type: 'stopping', reason })
  return {
    dryRun,
    tally,
    durationMs: 0,
    inDoubt: 0,
    written: undefined,
    exitCode: exitCodes.stoppedEarly,
  }
}
