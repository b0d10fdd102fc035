import { type CliContext, lockWait, tell } from '../../cli/context.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { writeTexts } from '../../run/ports.ts'
import { listed } from './doubts-list.ts'
import { settleFrom } from './settle-from.ts'
import { decidedLine, decidedTable, describeDecided } from './settle-text.ts'

/** The rows that stay in doubt are told with the records that match; returns the exit code. */
export async function resolveFrom(
  path: string,
  given: Parameters<typeof settleFrom>[1],
  context: CliContext,
): Promise<number> {
  const found = await settleFrom(path, given, lockWait(given, context), context)
  const decided = async function* () {
    for await (const doubt of found.each()) yield { ...doubt, ...found.decide(doubt) }
  }
  const { stdoutIsTerminal: isTable, stdout, stderr } = context
  await writeTexts(() => listed(decided(), isTable ? undefined : decidedLine, decidedTable), stdout)
  tell(stderr, describeDecided(path, given, found.counts))
  return found.counts.in_doubt > 0 ? exitCodes.someBad : exitCodes.finished
}
