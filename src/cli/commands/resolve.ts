import { resolveOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import type { OptionValues } from '../../app/option-values.ts'
import { pathIn, writeTexts } from '../../app/ports.ts'
import { listDoubts, settle } from '../../app/resolve.ts'
import { type Doubt, orphanLine } from '../../journal/lines.ts'
import type { Resolution } from '../../journal/resolve.ts'
import { resolveLink } from '../../journal/result-log.ts'
import { UsageError } from '../../model/errors.ts'
import { describeDoubt, describeDoubts, describeSettled } from '../../report/command-output.ts'
import { watchingLock } from '../../report/words/run-words.ts'
import { describeProblem } from '../../report/words.ts'
import type { ParsedArgs } from '../args.ts'
import type { CliContext } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** Lists the rows in doubt, or settles them; returns the exit code. Throws a UsageError, LockError or LogError. */
export async function resolveCommand(
  { positionals: results, flags }: ParsedArgs,
  context: CliContext,
): Promise<number> {
  const { stderr } = context
  const given = parseFlags(resolveOptions, flags, context)
  const settlement = settlementOf(given)
  const [named] = results
  if (named === undefined || results.length > 1) throw new UsageError('one_log_only')
  const path = await resolveLink(pathIn(context, named))
  if (settlement === undefined) await list(path, context)
  else {
    const { settled, left } = await settle(
      path,
      {
        settlement,
        lockTimeoutS: given.lockTimeout,
        onWait: holder => stderr.write(`rowlift: ${watchingLock(holder)}\n`),
      },
      context,
    )
    stderr.write(describeSettled(path, settled, left))
  }
  return exitCodes.finished
}

function settlementOf({
  key,
  recordId,
  notCreated,
  all,
}: OptionValues<typeof resolveOptions>): Resolution | undefined {
  if (key === undefined && recordId === undefined && !notCreated && !all) return undefined
  const isOne = key !== undefined && !all && notCreated !== (recordId !== undefined)
  const isAll = key === undefined && all && notCreated && recordId === undefined
  if (!isOne && !isAll) throw new UsageError('resolve_options')
  return { key, recordId }
}

/** Rows go to stdout, as text on a terminal, else as lines of the log; advice goes to stderr. */
async function list(path: string, { stdout, stdoutIsTerminal, stderr }: CliContext): Promise<void> {
  const { checkpoint, each } = await listDoubts(path)
  const texts = async function* () {
    for await (const doubt of each()) yield stdoutIsTerminal ? describeDoubt(doubt) : `${doubtLine(doubt)}\n`
  }
  await writeTexts(texts, stdout)
  stderr.write(describeDoubts(path, checkpoint.inDoubt, checkpoint.orphans.length))
}

/** A call that was in flight has no line yet. */
const doubtLine = (doubt: Doubt) =>
  doubt.errors.some(({ message }) => message === undefined)
    ? orphanLine(doubt, describeProblem)
    : JSON.stringify(doubt)
