import { type CliContext, lockWait, printTo } from '../../cli/context.ts'
import { visible } from '../../output/text.ts'
import { describeProblem } from '../../output/words.ts'
import { holdingLog } from '../../run/logs.ts'
import { checkLogExists } from '../../run/paths.ts'
import type { Checkpoint } from '../../store/files/checkpoint.ts'
import { addLines, inGroups } from '../../store/files/journal.ts'
import { lineWith, type Opening, orphanLine } from '../../store/files/lines.ts'
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
  const now = () => context.clock.now().toISOString()
  await holdingLog(path, lockWait(options, context), context, (lock, run) =>
    work(({ opening, orphans, tailRepair }, { command, ...changed }, lines = async function* () {}) => {
      const own = { run, at: now(), rowlift: context.version, command }
      const groups = async function* () {
        yield orphans.map(doubt => orphanLine(doubt, describeProblem))
        yield [lineWith({ ...own, ...opening, approval: undefined, ...changed, ...own })]
        yield* inGroups(lines({ run, at: own.at }))
        yield [lineWith({ run, at: now(), ended: { rows: 0 }, command })]
      }
      return addLines(path, lock, groups(), tailRepair)
    }),
  )
}
