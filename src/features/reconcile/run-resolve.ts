import type { Run } from '../../cli/command.ts'
import { type CliContext, lockWait, tell } from '../../cli/context.ts'
import { byOption } from '../../features.ts'
import { UsageError } from '../../model/errors.ts'
import { pathIn } from '../../platform/process-info.ts'
import { exitCodes } from '../../run/exit-code.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { listDoubts, settle } from './by-hand.ts'
import type { ByHand } from './doubts.ts'
import { describeSettled, listDoubtful } from './doubts-list.ts'
import type { resolveOptions } from './options.ts'

/** Lists the rows in doubt, or settles them; returns the exit code. Throws a UsageError, LockError or LogError. */
export const runResolve: Run<typeof resolveOptions> = async (
  { positionals: results, flags, values: given },
  context,
) => {
  checkGoTogether(flags)
  const settlement = settlementOf(given)
  const [named] = results
  if (named === undefined && given.from !== undefined) throw new UsageError('resolve_options')
  if (named === undefined && given.ledger !== undefined)
    await (await byOption.ledger()).resolveInLedger(given, settlement, context)
  else if (named === undefined || results.length > 1 || flags.ledger !== undefined)
    throw new UsageError('one_log_only', { command: 'resolve' })
  else {
    const path = await resolveLink(pathIn(context, named))
    if (given.from !== undefined)
      return (await import('./run-from.ts')).resolveFrom(path, { ...given, from: given.from }, context)
    await resolveInLog(path, given, settlement, context)
  }
  return exitCodes.finished
}

/** Throws a UsageError if options of settling by hand and by an export are mixed. */
function checkGoTogether(flags: Readonly<Record<string, unknown>>): void {
  const ofBoth = ['from', 'lockTimeout']
  const byHand = ['key', 'recordId', 'notCreated', 'all', 'ledger', 'import']
  for (const flag of Object.keys(flags))
    if (!ofBoth.includes(flag) && byHand.includes(flag) !== (flags.from === undefined))
      throw new UsageError('resolve_options')
}

type Given = OptionValues<typeof resolveOptions>

async function resolveInLog(
  path: string,
  given: Given,
  settlement: ByHand | undefined,
  context: CliContext,
): Promise<void> {
  if (settlement !== undefined) {
    const { settled, left } = await settle(path, settlement, lockWait(given, context), context)
    return tell(context.stderr, describeSettled(path, settled, left))
  }
  const { key } = given
  const { checkpoint, each } = await listDoubts(path, key)
  const { inDoubt, orphans } = checkpoint
  await listDoubtful(
    each(key),
    { store: path, args: [path], inDoubt, underWay: orphans.length, key },
    context,
  )
}

/** Undefined if rows are to be listed. */
function settlementOf({ key, recordId, notCreated, all }: Given): ByHand | undefined {
  if (recordId === undefined && !notCreated && !all) return undefined
  const isOne = key !== undefined && !all && notCreated !== (recordId !== undefined)
  const isAll = key === undefined && all && notCreated && recordId === undefined
  if (!isOne && !isAll) throw new UsageError('resolve_options')
  return { key, recordId }
}
