import { byOption } from '../features.ts'
import { UsageError } from '../model/errors.ts'
import { pathIn } from '../platform/process-info.ts'
import type { StorePlace } from '../run/prepared-import.ts'
import { resolveLink } from '../store/files/result-log.ts'
import type { Log } from '../store/files/whole-lines.ts'
import type { ParsedArgs } from './command.ts'
import type { CliContext } from './context.ts'

type Parsed = ParsedArgs & { readonly values: StorePlace }

/** Checks whether a command means an import in a ledger. Beside a file only flags say so: the environment may name a ledger for others. */
export const isInLedger = ({ positionals, flags, values }: Parsed): boolean =>
  (flags.ledger ?? flags.import ?? (positionals.length === 0 ? values.ledger : undefined)) !== undefined

/** Reads the log that a command names, a file or an import in a ledger, with its name as it was given. Throws a UsageError. */
export async function withNamedLog<T>(
  command: string,
  parsed: Parsed,
  context: CliContext,
  read: (log: Log, name: string) => Promise<T>,
): Promise<T> {
  const [name, ...more] = parsed.positionals
  if (more.length > 0 || (name !== undefined) === isInLedger(parsed))
    throw new UsageError('one_log_only', { command })
  if (name !== undefined) return read(await resolveLink(pathIn(context, name)), name)
  const { withView } = await byOption.ledgerLog()
  return withView(parsed.values, context, ({ log }) => read(log, log.name))
}
