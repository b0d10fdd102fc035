import { ulid } from 'ulid'
import { resolveOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import type { OptionValues } from '../../app/option-values.ts'
import { holderOf, pathIn } from '../../app/ports.ts'
import { writeTexts } from '../../app/standard-output.ts'
import {
  type Doubts,
  readDoubts,
  type Settlement,
  settleAccounts,
  settleDoubts,
} from '../../journal/doubts.ts'
import { inFlightPath } from '../../journal/in-flight-lines.ts'
import { lockLog } from '../../journal/lock.ts'
import { isThere } from '../../journal/log-lines.ts'
import { abandonedLine, type Doubt } from '../../journal/outcome.ts'
import { trueName } from '../../journal/true-name.ts'
import { UsageError } from '../../model/errors.ts'
import { kinds } from '../../records/kinds.ts'
import { describeDoubt, doubtsFound, doubtsLeft } from '../../report/doubts.ts'
import { watchingLock } from '../../report/words/run-words.ts'
import { describeProblem } from '../../report/words.ts'
import type { CliContext } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/**
 * `rowlift resolve`: lists the rows in doubt, or settles them under the lock; gives the exit code. Throws a UsageError,
 * LockError or LogError.
 */
export async function resolveCommand(
  results: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<number> {
  const given = parseFlags(resolveOptions, flags, context)
  const settlement = settlementOf(given)
  const [named] = results
  if (named === undefined || results.length > 1) throw new UsageError('one_log')
  const path = await trueName(pathIn(context, named))
  if (!(await isThere(path)))
    throw (await isThere(inFlightPath(path)))
      ? new UsageError('log_gone', { path, inFlight: inFlightPath(path) })
      : new UsageError('no_log', { path })
  if (settlement === undefined) await list(path, context)
  else await settle(path, settlement, given.lockTimeout, context)
  return exitCodes.finished
}

function settlementOf({
  key,
  recordId,
  notCreated,
  all,
}: OptionValues<typeof resolveOptions>): Settlement | undefined {
  if (key === undefined && recordId === undefined && !notCreated && !all) return undefined
  const isOne = key !== undefined && !all && notCreated !== (recordId !== undefined)
  const isAll = key === undefined && all && notCreated && recordId === undefined
  if (!isOne && !isAll) throw new UsageError('resolve_how')
  return { key, recordId }
}

/** The rows go to stdout, for people on a terminal and as lines of the log elsewhere; the advice goes to stderr. */
async function list(path: string, { stdout, stdoutIsTerminal, stderr }: CliContext): Promise<void> {
  const { past, each } = await readDoubts(path)
  const texts = async function* () {
    for await (const doubt of each()) yield stdoutIsTerminal ? describeDoubt(doubt) : `${doubtLine(doubt)}\n`
  }
  await writeTexts(texts, stdout)
  stderr.write(doubtsFound(path, past.inDoubt, past.abandoned.length))
}

/** A call that was under way has no line yet. */
const doubtLine = (doubt: Doubt) =>
  doubt.errors.some(({ message }) => message === undefined)
    ? abandonedLine(doubt, describeProblem)
    : JSON.stringify(doubt)

async function settle(
  path: string,
  settlement: Settlement,
  lockTimeoutS: number,
  context: CliContext,
): Promise<void> {
  const { clock, stderr } = context
  const run = ulid()
  const lock = await lockLog(path, {
    holder: holderOf(run, context),
    clock,
    timeoutMs: lockTimeoutS * 1000,
    onWait: holder => stderr.write(`rowlift: ${watchingLock(holder)}\n`),
    onLost: () => {}, // it is looked at before the first line is added
  })
  try {
    const doubts = await settleAccounts(path, lock, describeProblem)
    checkSettlement(path, settlement, doubts)
    const settled = await settleDoubts(path, lock, doubts, settlement, {
      run,
      now: clock.now,
      describe: describeProblem,
    })
    stderr.write(doubtsLeft(path, settled, doubts.past.inDoubt - settled))
  } finally {
    await lock.release()
  }
}

function checkSettlement(path: string, { key, recordId }: Settlement, { past }: Doubts): void {
  if (key !== undefined) {
    const is = past.of(key, '')?.is
    if (is !== 'in_doubt') throw new UsageError('not_in_doubt', { log: path, key, state: is })
  }
  const line = recordId && past.recordLine(recordId)
  if (recordId && line && past.opening && !kinds[past.opening.record].findsSimilar)
    throw new UsageError('record_of_another', { log: path, line, recordId })
}
