import { basename } from 'node:path'
import type { Run } from '../../cli/command.ts'
import { type CliContext, printTo } from '../../cli/context.ts'
import { isInLedger, withNamedLog } from '../../cli/named-log.ts'
import { UsageError } from '../../model/errors.ts'
import { rows, spanOf, visible } from '../../output/text.ts'
import { pathIn } from '../../platform/process-info.ts'
import type { LogPart, PageFacts } from '../../result/facts.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { watchingOf } from '../../run/logs.ts'
import { checkReportFile, logPart, pageText, writePage } from '../../run/page.ts'
import { checkLogExists, fileOf } from '../../run/paths.ts'
import { writeTexts } from '../../run/ports.ts'
import { lockTimeout } from '../../settings/options.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { type Log, logName } from '../../store/files/whole-lines.ts'
import type { reportOptions } from './options.ts'

/** `rowlift report`: writes a page about result logs, or an import in a ledger; returns the exit code. Throws a UsageError or a LogError. */
export const runReport: Run<typeof reportOptions> = async (parsed, context) => {
  if (isInLedger(parsed))
    return withNamedLog('report', parsed, context, (log, name) =>
      report([log], parsed.values.output ?? `${name.replaceAll('/', '-')}.report.html`, context),
    )
  const logs = parsed.positionals.map(log => pathIn(context, log))
  const [first] = logs
  if (first === undefined) throw new UsageError('no_log_named')
  for (const log of logs) await checkLogExists(log)
  return report(logs, parsed.values.output ?? `${first.replace(/\.ndjson$/, '')}.report.html`, context)
}

async function report(logs: readonly Log[], output: string, context: CliContext): Promise<number> {
  const { stdout, stderr, clock } = context
  const path = fileOf(output)
  if (path !== undefined) await checkReportFile(path, logs)
  const startedMs = clock.elapsedMs()
  const facts = await factsOf(logs, context)
  const text = await pageText(facts)
  if (path === undefined) await writeTexts([text], stdout)
  else await writePage(path, text)
  printTo(stderr, describePage(path, facts, clock.elapsedMs() - startedMs))
  return exitCodes.finished
}

/** Reads the facts of result logs for a page. A log has its file name, unless another one has the same. Throws a UsageError. */
async function factsOf(logs: readonly Log[], context: CliContext): Promise<PageFacts> {
  const { clock, version } = context
  const watching = watchingOf(context, lockTimeout.default)
  const parts: LogPart[] = []
  for (const log of logs) {
    const alike = logs.filter(other => basename(logName(other)) === basename(logName(log)))
    const name = alike.length > 1 ? logName(log) : basename(logName(log))
    parts.push(await logPart(typeof log === 'string' ? await resolveLink(log) : log, name, watching))
  }
  const title = `${parts[0]?.name}${parts.length > 1 ? ` and ${parts.length - 1} more` : ''}`
  return { title, createdAt: clock.now().toISOString(), version, parts, notStarted: [], next: undefined }
}

/** Describes the rows that were read, and the place of the page; `path` is undefined for standard output. */
function describePage(path: string | undefined, { parts }: PageFacts, tookMs: number): string {
  const counts = parts.flatMap(part => (part.type === 'log' ? Object.values(part.counts) : []))
  const count = counts.reduce((sum, count) => sum + count, 0)
  const where = path && `\nPage: ${visible(path)}. It holds personal data; open it in a browser.`
  return `${rows(count)}, ${spanOf(tookMs)}${where ?? ''}\n`
}
