import type { Run } from '../../cli/command.ts'
import { tell } from '../../cli/context.ts'
import { standardInput } from '../../input/source.ts'
import { UsageError } from '../../model/errors.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { writeTexts } from '../../run/ports.ts'
import { exportTo, logTexts, withImport } from './access.ts'
import type { exportOptions } from './command-options.ts'
import { doubtFacts } from './resolve.ts'
import { describeUnderWay } from './run-resolve.ts'

/** `rowlift export`: writes the result log of an import in a ledger; returns the exit code. Throws a UsageError or a LogError. */
export const runExport: Run<typeof exportOptions> = async ({ values: { output, ...place } }, context) => {
  const { stdout, stdoutIsTerminal, stderr } = context
  if (output === undefined && stdoutIsTerminal) throw new UsageError('option_required', { option: 'output' })
  await withImport(place, context, async found => {
    const { underWay } = await doubtFacts(found)
    if (output !== undefined && output !== standardInput) await exportTo(output, found)
    else await writeTexts(() => logTexts(found), stdout)
    tell(stderr, describeUnderWay(underWay))
  })
  return exitCodes.finished
}
