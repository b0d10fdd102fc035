import { basename } from 'node:path'
import { intentLogPath } from '../journal/intent-log.ts'
import { resolveLink } from '../journal/result-log.ts'
import type { LogPart, PageFacts } from '../report/page/facts.ts'
import { checkDistinct } from './file-conflicts.ts'
import { lockTimeout } from './options.ts'
import { checkPageFile, logPart } from './page.ts'
import { type ProcessInfo, watchingOf } from './ports.ts'

/** Checks that a page of these logs can be written and is none of their files. Throws a UsageError. */
export async function checkReportFile(path: string, logs: readonly string[]): Promise<void> {
  const files = await Promise.all(logs.map(resolveLink))
  await checkDistinct(
    [{ path, role: 'page' }],
    files.flatMap(log => [log, intentLogPath(log)]).map(log => ({ path: log, role: 'result log' })),
  )
  await checkPageFile(path)
}

/** Reads what a page shows of result logs. Throws a UsageError. */
export async function reportLogs(logs: readonly string[], info: ProcessInfo): Promise<PageFacts> {
  const parts: LogPart[] = []
  const watching = watchingOf(info, lockTimeout.default)
  for (const log of logs) parts.push(await logPart(await resolveLink(log), nameIn(logs, log), watching))
  const more = parts.length > 1 ? ` and ${parts.length - 1} more` : ''
  const { clock, version } = info
  return { title: `${parts[0]?.name}${more}`, createdAt: clock.now().toISOString(), version, parts }
}

/** A log by its file name, unless another one has the same. */
function nameIn(logs: readonly string[], log: string): string {
  const alike = logs.filter(other => basename(other) === basename(log))
  return alike.length > 1 ? log : basename(log)
}
