import { type CliContext, lockWait, printTo } from '../../cli/context.ts'
import { visible } from '../../output/text.ts'
import { describeProblem } from '../../output/words.ts'
import { holdingLog } from '../../run/logs.ts'
import { checkLogExists } from '../../run/paths.ts'
import type { Checkpoint } from '../../store/files/checkpoint.ts'
import { writeRun } from '../../store/files/journal.ts'
import type { Opening } from '../../store/files/lines.ts'
import type { LogOptions } from './options.ts'

/** Makes what tells people about a log. */
export const tellOf =
  (path: string, { stderr }: CliContext) =>
  (words: string) =>
    printTo(stderr, `${visible(`${path}: ${words}`)}\n`)

/**
 * Writes the run of a command, after the rows of orphaned calls, which are in doubt then. Its opening is that of the last import, and
 * what changes; `lines` get its id and time. It counts once its closing line is on disk.
 */
export type WriteRun = (
  checkpoint: Checkpoint,
  change: Pick<Opening, 'command'> & Partial<Opening>,
  lines?: (own: { readonly run: string; readonly at: string }) => AsyncIterable<string>,
) => Promise<void>

/** Works on a log under its lock, or, if neither a person nor an export says yes, without writing it. Throws a UsageError, LockError or LogError. */
export async function workOn(
  path: string,
  options: LogOptions,
  context: CliContext,
  work: (write: WriteRun | undefined) => Promise<void>,
): Promise<void> {
  await checkLogExists(path)
  if (!options.yes && options.from === undefined) return work(undefined)
  const { clock, version } = context
  await holdingLog(path, lockWait(options, context), context, (lock, run) =>
    work((checkpoint, change, lines) => {
      const own = { run, at: clock.now().toISOString() }
      const command = { ...own, rowlift: version, change, now: clock.now, describe: describeProblem }
      return writeRun(path, checkpoint, lock, command, lines?.(own))
    }),
  )
}
