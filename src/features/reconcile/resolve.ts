import type { Run } from '../../cli/command.ts'
import { type CliContext, lockWait, printTo } from '../../cli/context.ts'
import { isInLedger } from '../../cli/named-log.ts'
import { byOption } from '../../features.ts'
import { UsageError } from '../../model/errors.ts'
import { rows } from '../../output/text.ts'
import { pathIn } from '../../platform/process-info.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { holdingLog } from '../../run/logs.ts'
import { checkLogExists } from '../../run/paths.ts'
import type { ResolvedRow } from '../../store/files/lines.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { type Doubts, readDoubts, resolveDoubts } from './doubts.ts'
import { commandOf, describeSettled, listDoubtful } from './doubts-text.ts'
import type { ResolvingOptions, resolvingOptions } from './options.ts'

/** Lists the rows in doubt, or settles them; returns the exit code. Throws a UsageError, LockError or LogError. */
export const runResolve: Run<typeof resolvingOptions> = async (parsed, context) => {
  const { flags, values: options } = parsed
  const [named, ...more] = parsed.positionals
  const { from } = options
  const isSettling = settles(flags, options)
  if (more.length > 0 || (named !== undefined) === isInLedger(parsed))
    throw new UsageError('one_log_only', { command: 'resolve' })
  if (named === undefined) {
    if (from !== undefined)
      return (await byOption.settleInLedger()).settleInLedger({ ...options, from }, context)
    await (await byOption.ledger()).resolveInLedger(options, isSettling, context)
    return exitCodes.finished
  }
  const path = await resolveLink(pathIn(context, named))
  await checkLogExists(path)
  if (from !== undefined)
    return (await import('./settle-from.ts')).settleFrom({ ...options, from, log: path }, context)
  if (isSettling) await settle(path, options, context)
  else await list(path, options.key, context)
  return exitCodes.finished
}

const byHand = ['key', 'recordId', 'notCreated', 'all', 'replace'] as const
/** Options of a person that go together; the first two list rows. */
const combinations = [
  ...['', 'key', 'key recordId', 'key notCreated', 'notCreated all'],
  ...['key recordId replace', 'key notCreated replace'],
]

/** Checks whether a person settles rows: one by its key, or all. Throws a UsageError if options do not go together. */
function settles(flags: Readonly<Record<string, unknown>>, options: ResolvingOptions): boolean {
  const { from, lockTimeout, ledger, import: name, ...others } = flags
  const withoutExport: readonly string[] = byHand
  const isMixed = Object.keys(others).some(flag => withoutExport.includes(flag) !== (from === undefined))
  const at = combinations.indexOf(byHand.filter(option => options[option]).join(' '))
  if (isMixed || at < 0 || (options.knownGone && !options.complete)) throw new UsageError('resolve_options')
  return at >= 2
}

async function list(path: string, key: string | undefined, context: CliContext): Promise<void> {
  const doubts = await readDoubts(path, key)
  mistakenLine(path, key, doubts)
  const { inDoubt, orphans } = doubts.checkpoint
  const counts = { store: path, args: [path], inDoubt, underWay: orphans.length, key }
  await listDoubtful(doubts.each(key), counts, context)
}

async function settle(path: string, options: ResolvingOptions, context: CliContext): Promise<void> {
  const { key, recordId } = options
  await holdingLog(path, lockWait(options, context), context, async (lock, run) => {
    const doubts = await readDoubts(path, key)
    const { checkpoint } = doubts
    const mistaken = mistakenLine(path, key, doubts, options.replace)
    const isSaid = mistaken && recordId?.toLowerCase() === mistaken.record_id?.toLowerCase()
    const isFree = isSaid || doubts.left.has(recordId?.toLowerCase())
    const row = recordId && !isFree && checkpoint.ownerOf(recordId)
    if (row && checkpoint.opening?.use_created !== true)
      throw new UsageError('record_taken', { log: path, row, recordId })
    const endOf = () => (isSaid ? undefined : { recordId, corrects: mistaken?.run })
    const how = { checkpoint, endOf, run, ...commandOf(context) }
    const settling = mistaken ? [mistaken] : doubts.each(key)
    const settled = await resolveDoubts<ResolvedRow>(path, lock, settling, how)
    const left = checkpoint.inDoubt - (mistaken ? 0 : settled)
    printTo(context.stderr, describeSettled(path, `${rows(settled)} settled${mistaken ? ' anew' : ''}`, left))
  })
}

/** Returns the line by hand that is to be replaced; undefined if the row is in doubt. Throws a UsageError for any other row. */
function mistakenLine(log: string, key: string | undefined, { checkpoint, byHand }: Doubts, replace = false) {
  const state = key === undefined ? 'in_doubt' : checkpoint.get(key, '')?.status
  if (key === undefined || state === 'in_doubt') return undefined
  if (byHand && replace) return byHand
  throw new UsageError('not_in_doubt', { log, key, state, isByHand: byHand !== undefined })
}
