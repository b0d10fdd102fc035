import { ulid } from 'ulid'
import { resolveOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { withImport } from '../../app/ledger.ts'
import { type LockWait, listDoubts, settle } from '../../app/log.ts'
import type { OptionValues } from '../../app/option-values.ts'
import { pathIn, writeTexts } from '../../app/ports.ts'
import type { settleFrom } from '../../app/service-export/settle-from.ts'
import type { FoundImport } from '../../journal/ledger/found-import.ts'
import { doubtFacts, doubtsIn, settleDoubts } from '../../journal/ledger/resolve.ts'
import { type Doubt, orphanLine } from '../../journal/lines.ts'
import type { ByHand } from '../../journal/resolve.ts'
import { resolveLink } from '../../journal/result-log.ts'
import { sleep } from '../../model/clock.ts'
import { UsageError } from '../../model/errors.ts'
import { withoutPassword } from '../../model/ledger-url.ts'
import {
  type DoubtCounts,
  describeDoubt,
  describeDoubts,
  describeSettled,
  describeUnderWay,
  doubtTable,
  waitingForWorkers,
} from '../../report/command-output.ts'
import { decidedLine, decidedTable, describeDecided } from '../../report/export-text.ts'
import { visibleJson } from '../../report/text.ts'
import { watchingLock } from '../../report/words/run-words.ts'
import { describeProblem } from '../../report/words.ts'
import { type CliContext, type Run, tell } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** Lists the rows in doubt, or settles them; returns the exit code. Throws a UsageError, LockError or LogError. */
export const resolveCommand: Run = async ({ positionals: results, flags }, context) => {
  const given = parseFlags(resolveOptions, flags, context)
  checkGoTogether(flags)
  const settlement = settlementOf(given)
  const [named] = results
  if (named === undefined && given.from !== undefined) throw new UsageError('resolve_options')
  if (named === undefined && given.ledger !== undefined)
    await withImport(given, context, found => resolveInLedger(found, given, settlement, context))
  else if (named === undefined || results.length > 1 || flags.ledger !== undefined)
    throw new UsageError('one_log_only', { command: 'resolve' })
  else {
    const path = await resolveLink(pathIn(context, named))
    if (given.from !== undefined) return resolveFrom(path, { ...given, from: given.from }, context)
    await resolveInLog(path, given, settlement, context)
  }
  return exitCodes.finished
}

/** Throws a UsageError where options of settling by hand and by an export are mixed. */
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
  await list(each(key), { store: path, args: [path], inDoubt, underWay: orphans.length, key }, context)
}

/** The rows that stay in doubt are told with the records that match; returns the exit code. */
async function resolveFrom(
  path: string,
  given: Parameters<typeof settleFrom>[1],
  context: CliContext,
): Promise<number> {
  const { settleFrom } = await import('../../app/service-export/settle-from.ts') // it loads what reads sources
  const found = await settleFrom(path, given, lockWait(given, context), context)
  const decided = async function* () {
    for await (const doubt of found.each()) yield { ...doubt, ...found.decide(doubt) }
  }
  const { stdoutIsTerminal: isTable, stdout, stderr } = context
  await writeTexts(() => listed(decided(), isTable ? undefined : decidedLine, decidedTable), stdout)
  tell(stderr, describeDecided(path, given, found.counts))
  return found.counts.in_doubt > 0 ? exitCodes.someBad : exitCodes.finished
}

/** No lock is needed; rows without a record are settled once no worker can hold their calls any more. */
async function resolveInLedger(
  found: FoundImport,
  { ledger = '', key }: Given,
  settlement: ByHand | undefined,
  context: CliContext,
): Promise<void> {
  const { clock, stderr } = context
  const { name: store } = found
  const { count: inDoubt, upTo, heldMs, underWay } = await doubtFacts(found, key)
  if (settlement !== undefined) {
    if (settlement.recordId === undefined && heldMs > 0) {
      tell(stderr, waitingForWorkers(new Date(clock.now().getTime() + heldMs)))
      await sleep(clock, heldMs)
    }
    const by = { run: ulid(), now: clock.now, describe: describeProblem }
    const settled = await settleDoubts(found, upTo, settlement, by)
    return tell(stderr, describeSettled(store, settled, (await doubtFacts(found)).count))
  }
  const doubts = async function* () {
    for await (const page of doubtsIn(found, upTo, key)) for (const { doubt } of page) yield doubt
  }
  const args = ['--ledger', withoutPassword(ledger), '--import', store]
  await list(doubts(), { store, args, inDoubt, underWay: 0, key }, context)
  tell(stderr, describeUnderWay(underWay))
}

export const lockWait = ({ lockTimeout }: { lockTimeout: number }, { stderr }: CliContext): LockWait => ({
  lockTimeoutS: lockTimeout,
  onWait: holder => tell(stderr, `rowlift: ${watchingLock(holder)}\n`),
})

/** Undefined where rows are to be listed. */
function settlementOf({ key, recordId, notCreated, all }: Given): ByHand | undefined {
  if (recordId === undefined && !notCreated && !all) return undefined
  const isOne = key !== undefined && !all && notCreated !== (recordId !== undefined)
  const isAll = key === undefined && all && notCreated && recordId === undefined
  if (!isOne && !isAll) throw new UsageError('resolve_options')
  return { key, recordId }
}

/** On a terminal a table of the first rows, or all of one row; else lines of the log. Advice goes to stderr. */
async function list(
  doubts: AsyncIterable<Doubt>,
  counts: DoubtCounts,
  { stdout, stdoutIsTerminal, stderr }: CliContext,
): Promise<void> {
  const isTable = stdoutIsTerminal && counts.key === undefined
  const textOf = stdoutIsTerminal ? describeDoubt : doubtLine
  await writeTexts(() => listed(doubts, isTable ? undefined : textOf, doubtTable), stdout)
  const isCut = isTable && counts.inDoubt > mostInTable
  tell(stderr, describeDoubts(counts, isCut ? mostInTable : undefined))
}

const mostInTable = 50

/** A text for each, or a table of the first. */
async function* listed<T>(
  items: AsyncIterable<T>,
  textOf: ((item: T) => string) | undefined,
  tableOf: (first: readonly T[]) => string,
): AsyncGenerator<string> {
  const first: T[] = []
  for await (const item of items)
    if (textOf !== undefined) yield textOf(item)
    else if (first.push(item) === mostInTable) break
  yield tableOf(first)
}

/** A call that was in flight has no line yet. */
function doubtLine(doubt: Doubt): string {
  const isInFlight = doubt.errors.some(({ message }) => message === undefined)
  return visibleJson(`${isInFlight ? orphanLine(doubt, describeProblem) : JSON.stringify(doubt)}\n`)
}
