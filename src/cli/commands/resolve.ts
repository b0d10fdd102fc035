import { resolveOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { type LockWait, listDoubts, settle } from '../../app/log.ts'
import type { OptionValues } from '../../app/option-values.ts'
import { pathIn, writeTexts } from '../../app/ports.ts'
import { type Doubt, orphanLine } from '../../journal/lines.ts'
import type { Resolution } from '../../journal/resolve.ts'
import { resolveLink } from '../../journal/result-log.ts'
import { UsageError } from '../../model/errors.ts'
import { describeDoubt, describeDoubts, describeSettled, doubtTable } from '../../report/command-output.ts'
import { visibleJson } from '../../report/text.ts'
import { watchingLock } from '../../report/words/run-words.ts'
import { describeProblem } from '../../report/words.ts'
import { type CliContext, type Run, tell } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** Lists the rows in doubt, or settles them; returns the exit code. Throws a UsageError, LockError or LogError. */
export const resolveCommand: Run = async ({ positionals: results, flags }, context) => {
  const { stderr } = context
  const given = parseFlags(resolveOptions, flags, context)
  const settlement = settlementOf(given)
  const [named] = results
  if (named === undefined || results.length > 1) throw new UsageError('one_log_only', { command: 'resolve' })
  const path = await resolveLink(pathIn(context, named))
  if (settlement === undefined) await list(path, given.key, context)
  else {
    const { settled, left } = await settle(path, settlement, lockWait(given, context), context)
    tell(stderr, describeSettled(path, settled, left))
  }
  return exitCodes.finished
}

export const lockWait = ({ lockTimeout }: { lockTimeout: number }, { stderr }: CliContext): LockWait => ({
  lockTimeoutS: lockTimeout,
  onWait: holder => tell(stderr, `rowlift: ${watchingLock(holder)}\n`),
})

/** Undefined where rows are to be listed. */
function settlementOf({
  key,
  recordId,
  notCreated,
  all,
}: OptionValues<typeof resolveOptions>): Resolution | undefined {
  if (recordId === undefined && !notCreated && !all) return undefined
  const isOne = key !== undefined && !all && notCreated !== (recordId !== undefined)
  const isAll = key === undefined && all && notCreated && recordId === undefined
  if (!isOne && !isAll) throw new UsageError('resolve_options')
  return { key, recordId }
}

/** On a terminal a table of the first rows, or all of one row; else lines of the log. Advice goes to stderr. */
async function list(
  path: string,
  key: string | undefined,
  { stdout, stdoutIsTerminal, stderr }: CliContext,
): Promise<void> {
  const { checkpoint, each } = await listDoubts(path, key)
  const isTable = stdoutIsTerminal && key === undefined
  const texts = async function* () {
    const first: Doubt[] = []
    for await (const doubt of each(key))
      if (!stdoutIsTerminal) yield visibleJson(`${doubtLine(doubt)}\n`)
      else if (!isTable) yield describeDoubt(doubt)
      else if (first.push(doubt) === mostInTable) break
    yield doubtTable(first)
  }
  await writeTexts(texts, stdout)
  const { inDoubt, orphans } = checkpoint
  const cutTo = isTable && inDoubt > mostInTable ? mostInTable : undefined
  tell(stderr, describeDoubts(path, { inDoubt, underWay: orphans.length, key, cutTo }))
}

const mostInTable = 50

/** A call that was in flight has no line yet. */
const doubtLine = (doubt: Doubt) =>
  doubt.errors.some(({ message }) => message === undefined)
    ? orphanLine(doubt, describeProblem)
    : JSON.stringify(doubt)
