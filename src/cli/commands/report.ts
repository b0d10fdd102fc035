import { basename } from 'node:path'
import { reportOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { checkDistinct } from '../../app/file-conflicts.ts'
import { lockTimeout } from '../../app/options.ts'
import { logPart } from '../../app/page.ts'
import { checkPageFile, pageText, writePage } from '../../app/page-file.ts'
import { pathIn, watchingOf } from '../../app/ports.ts'
import { writeTexts } from '../../app/standard-output.ts'
import { standardInput } from '../../input/source.ts'
import { inFlightPath } from '../../journal/in-flight-lines.ts'
import { trueName } from '../../journal/true-name.ts'
import { UsageError } from '../../model/errors.ts'
import type { LogPart, PageFacts } from '../../report/page/facts.ts'
import { pageMade } from '../../report/page-lines.ts'
import type { CliContext } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** `rowlift report`: makes a page of result logs; gives the exit code. Throws a UsageError or a LogError. */
export async function reportCommand(
  named: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<number> {
  const { stdout, stderr, version, clock } = context
  const results = named.map(log => pathIn(context, log))
  const [first] = results
  if (first === undefined) throw new UsageError('no_logs')
  const { output = pageNameOf(first) } = parseFlags(reportOptions, flags, context)
  const path = output === standardInput ? undefined : pathIn(context, output)
  if (path !== undefined) await checkOutput(path, results)
  const startedMs = clock.elapsedMs()
  const parts: LogPart[] = []
  const watching = watchingOf(context, lockTimeout.default)
  for (const log of results) parts.push(await logPart(await trueName(log), nameIn(results, log), watching))
  const facts: PageFacts = { title: titleOf(parts), createdAt: clock.now().toISOString(), version, parts }
  if (path === undefined) await writeTexts([await pageText(facts)], stdout)
  else await writePage(path, facts)
  stderr.write(pageMade(path, facts, clock.elapsedMs() - startedMs))
  return exitCodes.finished
}

const pageNameOf = (log: string) => `${basename(log, '.ndjson')}.report.html`

/** A page never takes the place of a log, or of what a run leaves beside it. */
async function checkOutput(path: string, results: readonly string[]): Promise<void> {
  const kept = await Promise.all(results.map(trueName))
  await checkDistinct(
    [{ path, role: 'page' }],
    kept.flatMap(log => [log, inFlightPath(log)]).map(log => ({ path: log, role: 'result log' })),
  )
  await checkPageFile(path)
}

/** A log by its name alone, unless another one has the same. */
function nameIn(results: readonly string[], log: string): string {
  const alike = results.filter(other => basename(other) === basename(log))
  return alike.length > 1 ? log : basename(log)
}

const titleOf = ([first, ...others]: readonly LogPart[]) =>
  `${first?.name}${others.length === 0 ? '' : ` and ${others.length} more`}`
