import { exportOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { exportTo, withImport } from '../../app/ledger.ts'
import { writeTexts } from '../../app/ports.ts'
import { standardInput } from '../../input/source.ts'
import { logTexts } from '../../journal/ledger/export.ts'
import { doubtFacts } from '../../journal/ledger/resolve.ts'
import { UsageError } from '../../model/errors.ts'
import { describeUnderWay } from '../../report/command-output.ts'
import { type Run, tell } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** `rowlift export`: writes the result log of an import in a ledger; returns the exit code. Throws a UsageError or a LogError. */
export const exportCommand: Run = async ({ flags }, context) => {
  const { stdout, stdoutIsTerminal, stderr } = context
  const { output, ...place } = parseFlags(exportOptions, flags, context)
  if (output === undefined && stdoutIsTerminal) throw new UsageError('option_required', { option: 'output' })
  await withImport(place, context, async found => {
    const { underWay } = await doubtFacts(found)
    if (output !== undefined && output !== standardInput) await exportTo(output, found)
    else await writeTexts(() => logTexts(found), stdout)
    tell(stderr, describeUnderWay(underWay))
  })
  return exitCodes.finished
}
