import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ownerOnly } from '../journal/durable-file.ts'
import { readLatestLines } from '../journal/latest-lines.ts'
import type { LockWatch } from '../journal/lock.ts'
import { resolveLink } from '../journal/result-log.ts'
import { intentLogPath } from '../journal/whole-lines.ts'
import { cannotWrite, reasonOf, UsageError } from '../model/errors.ts'
import type { CommandEnd, ImportPart } from '../report/command-end.ts'
import { DryRunStats } from '../report/log-stats/dry-run-stats.ts'
import { LogStats } from '../report/log-stats/log-stats.ts'
import type { LastRun, LogPart, PageFacts, Part } from '../report/page/facts.ts'
import { describeSource } from '../report/words/source-words.ts'
import { describeStop, describeUnmet } from '../report/words.ts'
import { replaceFile, startOfFile } from './atomic-write.ts'
import type { OutcomeSink } from './delivery.ts'
import { checkDistinct } from './file-conflicts.ts'
import { readLogOf } from './log-place.ts'
import { lockTimeout } from './options.ts'
import { checkLogExists } from './paths.ts'
import { type ProcessInfo, watchingOf } from './ports.ts'
import type { PreparedImport } from './prepare.ts'

export interface PageImport {
  /** The step of a plan; undefined for a single import. */
  readonly name: string | undefined
  readonly prepared: Pick<PreparedImport, 'sources' | 'settings' | 'mapping'>
}

type EndedImport = NonNullable<ImportPart['end']>

/** The page of a command: of one import, or of all steps of a plan that started. */
export class CommandPage {
  readonly path: string
  readonly #title: string | undefined
  readonly #info: ProcessInfo
  readonly #imports = new Map<string | undefined, PageImport & { readonly stats: DryRunStats }>()

  /** Without a title the page has the name of its first import. */
  constructor(path: string, title: string | undefined, info: ProcessInfo) {
    this.path = path
    this.#title = title
    this.#info = info
  }

  check = (): Promise<void> => checkPageFile(this.path)

  /** A run that sends has no sinks: its log is read afterwards. */
  sinksOf(job: PageImport): readonly OutcomeSink[] {
    const { mapping, sources, settings } = job.prepared
    const header = sources.flatMap(({ columns = [] }) => columns)
    const stats = new DryRunStats(row => mapping.map(row, true), header)
    this.#imports.set(job.name, { ...job, stats })
    if (!settings.dryRun) return []
    return [{ keep: (outcome, row) => void stats.take(outcome, row), close: async () => {} }]
  }

  /** Writes the page unless no import started; returns whether it did. Throws a UsageError or LogError. */
  async write({ imports, endedAt, version, next }: CommandEnd): Promise<boolean> {
    const parts: Part[] = []
    for (const { name, end } of imports) if (end !== undefined) parts.push(await this.partOf(name, end))
    const [first] = parts
    if (first === undefined) return false
    const title = this.#title ?? first.name
    const unbegun = imports.flatMap(({ name, end }) => (end === undefined ? (name ?? []) : []))
    const facts = { title, createdAt: endedAt.toISOString(), version, parts, unbegun, next }
    await writePage(this.path, await pageText(facts))
    return true
  }

  /** Throws a UsageError when the log cannot be read. */
  async partOf(name: string | undefined, end: EndedImport): Promise<Part> {
    const job = this.#imports.get(name)
    if (job === undefined) throw new Error(`the page has no import ${name}`)
    const { prepared, stats } = job
    const { settings } = prepared
    const { mapping = '' } = settings
    const lastRun = lastRunOf(end)
    if (settings.dryRun) {
      const sources = prepared.sources.map(describeSource)
      const about = { name: name ?? prepared.sources[0]?.path ?? '', sources, mapping, lastRun }
      return stats.part(about, column => prepared.mapping.fieldsOf(column))
    }
    const { written = '' } = end // a run without a log has no page
    const { import: inLedger, lockTimeout } = settings
    const log = inLedger === undefined ? written : `--import=${inLedger}`
    const title = name ?? inLedger ?? basename(written)
    const watching = watchingOf(this.#info, lockTimeout)
    const part = await readLogOf({ ...settings, results: written }, this.#info, path =>
      logPart(path, title, watching, { log, lastRun }),
    )
    if (part === undefined) throw new Error('the ledger lost an import')
    return part
  }
}

function lastRunOf({ tally, durationMs, columns, unmet, near }: EndedImport): LastRun {
  const { stopReason, ends, leftOut, changed } = tally
  return {
    ...{ durationMs, changed, columns, near },
    stopped: stopReason && describeStop(stopReason),
    unmet: unmet.map(each => describeUnmet(each)),
    rows: { ...ends, left_out: leftOut },
  }
}

/**
 * Reads a result log as a stream; `watching` finds out whether a run is writing it, and `log` is what commands name it by where that
 * is not its path. Throws a UsageError.
 */
export async function logPart(
  path: string,
  name: string,
  watching: LockWatch,
  { log = path, lastRun }: { readonly log?: string; readonly lastRun?: LastRun } = {},
): Promise<LogPart> {
  await checkLogExists(path)
  const { checkpoint, merged, each } = await readLatestLines(path, watching)
  const stats = new LogStats(merged, checkpoint.opening?.run)
  for await (const lines of each()) for (const line of lines) stats.take(line)
  return stats.part({ name, log, recovered: checkpoint.recovered, lastRun })
}

/** Starts each page, so that no other file is ever overwritten. */
export const pageMark = '<!-- rowlift report -->\n'

export async function pageText(facts: PageFacts): Promise<string> {
  const { createPage } = await import('../report/page/page.ts') // few runs need it
  return pageMark + createPage(facts)
}

/** Checks that the folder exists and that nothing but a page is overwritten. Throws a UsageError. */
async function checkPageFile(named: string): Promise<void> {
  const refuse = (error: unknown) => {
    throw new UsageError('cannot_write_page', { path: named, reason: reasonOf(error) })
  }
  const path = await resolveLink(named)
  await access(`${dirname(path)}/`, constants.W_OK | constants.X_OK).catch(refuse)
  const found = await stat(path).catch(error => (error.code === 'ENOENT' ? undefined : refuse(error)))
  if (found === undefined) return
  if (!found.isFile()) throw new UsageError('page_not_a_file', { path: named })
  if (found.size > 0 && !startOfFile(path).startsWith(pageMark))
    throw new UsageError('not_a_page', { path: named })
}

/** Writes a page in one step, for its owner alone: it holds personal data. Throws a UsageError or a LogError. */
export async function writePage(named: string, text: string): Promise<void> {
  await checkPageFile(named)
  try {
    replaceFile(await resolveLink(named), ownerOnly, text)
  } catch (error) {
    throw cannotWrite(named, error)
  }
}

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
  const createdAt = clock.now().toISOString()
  return { title: `${parts[0]?.name}${more}`, createdAt, version, parts, unbegun: [], next: undefined }
}

/** A log by its file name, unless another one has the same. */
function nameIn(logs: readonly string[], log: string): string {
  const alike = logs.filter(other => basename(other) === basename(log))
  return alike.length > 1 ? log : basename(log)
}
