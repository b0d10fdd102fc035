import { resolveOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { type LedgerPlace, settleIn, withImport } from '../../app/ledger.ts'
import { type LockWait, listDoubts, settle } from '../../app/log.ts'
import type { OptionValues } from '../../app/option-values.ts'
import { pathIn, writeTexts } from '../../app/ports.ts'
import { doubtFacts, doubtsIn } from '../../journal/ledger/resolve.ts'
import { type Doubt, orphanLine } from '../../journal/lines.ts'
import type { Resolution } from '../../journal/resolve.ts'
import { resolveLink } from '../../journal/result-log.ts'
import { UsageError } from '../../model/errors.ts'
import { withoutPassword } from '../../model/ledger-url.ts'
import {
  describeDoubt,
  describeDoubts,
  describeSettled,
  describeUnderWay,
  doubtTable,
  type Store,
  waitingForWorkers,
} from '../../report/command-output.ts'
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
  if (named === undefined && given.ledger !== undefined) {
    await resolveInLedger(given, settlement, context)
    return exitCodes.finished
  }
  if (named === undefined || results.length > 1 || flags.ledger !== undefined)
    throw new UsageError('one_log_only', { command: 'resolve' })
  const path = await resolveLink(pathIn(context, named))
  if (settlement === undefined) {
    const { checkpoint, each } = await listDoubts(path, given.key)
    const { inDoubt, orphans } = checkpoint
    const store = { name: path, args: [path] }
    await list({ store, inDoubt, underWay: orphans.length, each }, given.key, context)
  } else {
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
  { store, inDoubt, underWay, each }: Listing,
  key: string | undefined,
  { stdout, stdoutIsTerminal, stderr }: CliContext,
): Promise<void> {
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
  const cutTo = isTable && inDoubt > mostInTable ? mostInTable : undefined
  tell(stderr, describeDoubts(store, { inDoubt, underWay, key, cutTo }))
}

/** The rows in doubt of a result log or of an import in a ledger. */
interface Listing {
  readonly store: Store
  readonly inDoubt: number
  /** Of a log: those that were under way when their run ended. */
  readonly underWay: number
  readonly each: (key?: string) => AsyncIterable<Doubt>
}

/** The same on a ledger: no lock is needed. */
const resolveInLedger = (
  { key, ...place }: LedgerPlace & { readonly key: string | undefined },
  settlement: Resolution | undefined,
  context: CliContext,
): Promise<void> =>
  withImport(place, context, async found => {
    const { name } = found
    const facts = await doubtFacts(found, key)
    if (settlement !== undefined) {
      const onWait = (until: Date) => tell(context.stderr, waitingForWorkers(until))
      const { settled, left } = await settleIn(found, settlement, facts, { ...context, onWait })
      return tell(context.stderr, describeSettled(name, settled, left))
    }
    const args = ['--ledger', withoutPassword(place.ledger ?? ''), '--import', name]
    const each = async function* () {
      for await (const page of doubtsIn(found, facts.upTo, key)) for (const { doubt } of page) yield doubt
    }
    await list({ store: { name, args }, inDoubt: facts.count, underWay: 0, each }, key, context)
    tell(context.stderr, describeUnderWay(facts.underWay))
  })

const mostInTable = 50

/** A call that was in flight has no line yet. */
const doubtLine = (doubt: Doubt) =>
  doubt.errors.some(({ message }) => message === undefined)
    ? orphanLine(doubt, describeProblem)
    : JSON.stringify(doubt)
