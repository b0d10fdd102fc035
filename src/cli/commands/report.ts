import { basename } from 'node:path'
import { reportOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { checkReportFile, pageText, reportLogs, writePage } from '../../app/page.ts'
import { pathIn, writeTexts } from '../../app/ports.ts'
import { standardInput } from '../../input/source.ts'
import { UsageError } from '../../model/errors.ts'
import { describePage } from '../../report/command-output.ts'
import { type Run, tell } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** `rowlift report`: writes a page about result logs; returns the exit code. Throws a UsageError or a LogError. */
export const reportCommand: Run = async ({ positionals: named, flags }, context) => {
  const { stdout, stderr, clock } = context
  const logs = named.map(log => pathIn(context, log))
  const [first] = logs
  if (first === undefined) throw new UsageError('no_log_named')
  const given = parseFlags(reportOptions, flags, context)
  const output = given.output ?? pathIn(context, `${basename(first, '.ndjson')}.report.html`)
  const path = output === standardInput ? undefined : output
  if (path !== undefined) await checkReportFile(path, logs)
  const startedMs = clock.elapsedMs()
  const facts = await reportLogs(logs, context)
  const text = await pageText(facts)
  if (path === undefined) await writeTexts([text], stdout)
  else await writePage(path, text)
  tell(stderr, describePage(path, facts, clock.elapsedMs() - startedMs))
  return exitCodes.finished
}
