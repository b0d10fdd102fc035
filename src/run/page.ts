import { constants } from 'node:fs'
import { access, open, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ulid } from 'ulid'
import { cannotWrite, reasonOf, UsageError } from '../model/errors.ts'
import { pageNotWritten, pageWritten } from '../output/words/notices.ts'
import { remedyOf } from '../output/words/remedies.ts'
import { describeCode } from '../output/words.ts'
import type { ProcessInfo } from '../platform/process-info.ts'
import { replaceFile } from '../platform/replace-file.ts'
import type { LogPart, PageFacts, Part } from '../result/facts.ts'
import { LogStats } from '../result/log-stats/log-stats.ts'
import type { RunResult } from '../result/run-result.ts'
import { lockTimeout } from '../settings/options.ts'
import { replay } from '../store/files/checkpoint.ts'
import { isHeld, type LockWatch } from '../store/files/lock.ts'
import { isThere, readResultLines, resolveLink } from '../store/files/result-log.ts'
import { intentLogPath } from '../store/files/whole-lines.ts'
import type { OutcomeSink } from './delivery.ts'
import { checkDistinct } from './file-conflicts.ts'
import { readLogOf } from './log-place.ts'
import type { Output, OutputImport, OutputPorts } from './output.ts'
import { checkLogExists } from './paths.ts'
import { watchingOf } from './ports.ts'
import type { PreparedImport } from './prepare.ts'

/** The page of a command: of one import, or of all steps of a plan that started. Without a title it has the first one's name. */
export function pageOutput(path: string, { title, context, onWritten }: OutputPorts): Output {
  const partsOf = new Map<string | undefined, PagePart['partOf']>()
  let isWritten = false // the run is over, so it is written once
  return {
    path,
    role: 'page',
    check: () => checkPageFile(path),
    unwritten: (error, { dryRun, imports }) =>
      pageNotWritten(error, dryRun ? [] : imports.flatMap(({ end }) => end?.written ?? [])),
    sinksOf(job) {
      const { sinks, partOf } = pagePart(job, context)
      partsOf.set(job.name, partOf)
      return sinks
    },
    async write({ imports, endedAt, version, next }) {
      const parts: Part[] = []
      for (const { name, end } of isWritten ? [] : imports)
        parts.push(...(end ? [await partsOf.get(name)?.(end)] : []).filter(part => part !== undefined))
      const [first] = parts
      if (first === undefined) return
      const notStarted = imports.flatMap(({ name, end }) => (end === undefined ? (name ?? []) : []))
      const createdAt = endedAt.toISOString()
      await writePage(
        path,
        await pageText({ title: title ?? first.name, createdAt, version, parts, notStarted, next }),
      )
      isWritten = true
      onWritten(pageWritten(path))
    },
  }
}

/** An import on the page: what takes its outcomes, and its part once it has ended. */
interface PagePart {
  readonly sinks: readonly OutcomeSink[]
  /** Throws a UsageError if the log cannot be read. */
  readonly partOf: (end: RunResult) => Promise<Part>
}

/** The name of a source, with the sheet if it is one of a workbook. */
const describeSource = ({ path, sheet }: PreparedImport['sources'][number]) =>
  sheet === undefined ? path : `${path}, sheet "${sheet}"`

/** A run that sends has no sinks: its log is read afterwards. */
export function pagePart({ name, prepared }: OutputImport, info: ProcessInfo): PagePart {
  const { sources, settings, profile } = prepared
  if (!settings.dryRun) return { sinks: [], partOf: end => partOfLog(name, end, { prepared, info }) }
  return {
    sinks: profile === undefined ? [] : [profile],
    partOf: async lastRun => ({
      type: 'dry_run',
      name: name ?? sources[0]?.path ?? '',
      sources: sources.map(describeSource),
      mapping: settings.mapping ?? '',
      lastRun,
      ...profile?.markup(lastRun.left_out),
      ...lastRun.details.tally.losses.facts(),
      ...lastRun.details.tally.reasons.problems(remedyOf, { log: undefined, doubts: 'held' }),
    }),
  }
}

async function partOfLog(
  name: string | undefined,
  lastRun: RunResult,
  { prepared, info }: { readonly prepared: PreparedImport; readonly info: ProcessInfo },
): Promise<Part> {
  const { settings, store } = prepared
  const { written = '' } = lastRun // a run without a log has no page
  const { import: inLedger, lockTimeout } = settings
  const log = inLedger === undefined ? written : `--import=${inLedger}`
  const title = name ?? inLedger ?? basename(written)
  const watching = watchingOf(info, lockTimeout)
  const part = await readLogOf({ ...settings, store, results: written }, info, path =>
    logPart(path, title, watching, { log, lastRun }),
  )
  if (part === undefined) throw new Error('the ledger lost an import')
  return part
}

/**
 * Reads a result log twice, as a stream, also while a run writes it; `watching` finds out whether one does: its calls in flight are no
 * doubts. `log` is what commands name it by if that is not its path. Throws a UsageError.
 */
export async function logPart(
  path: string,
  name: string,
  watching: LockWatch,
  { log = path, lastRun }: { readonly log?: string; readonly lastRun?: RunResult } = {},
): Promise<LogPart> {
  await checkLogExists(path)
  const stats = new LogStats(describeCode)
  let last = 0
  const isOver = !((await isThere(intentLogPath(path))) && (await isHeld(path, watching)))
  const checkpoint = await replay(
    path,
    {},
    ({ line, number }, isNews) => {
      if (isNews) stats.note(line)
      last = number
    },
    isOver,
  )
  for (const doubt of checkpoint.orphans)
    if (checkpoint.get(doubt.key, doubt.hash)?.status !== 'settled') stats.note(doubt)
  for await (const lines of readResultLines(path))
    for (const { line, number } of lines) if (number <= last) stats.take(line, checkpoint) // the log may have grown
  for (const doubt of checkpoint.orphans) stats.take(doubt, checkpoint)
  return stats.part({ name, log, recovered: checkpoint.recovered, lastRun }, remedyOf)
}

/** Starts each page, so that no other file is ever overwritten. */
export const pageMark = '<!-- rowlift report -->\n'

export async function pageText(facts: PageFacts): Promise<string> {
  const { createPage } = await import('../output/page/page.ts') // few runs need it
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
  if (found.size > 0 && !(await isPage(path))) throw new UsageError('not_a_page', { path: named })
}

/** False for a file that cannot be read. */
async function isPage(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined)
  const start = await file?.read(Buffer.alloc(pageMark.length)).finally(() => file.close())
  return String(start?.buffer) === pageMark
}

/** Writes a page in one step, for its owner alone: it holds personal data. Throws a UsageError or a LogError. */
export async function writePage(named: string, text: string): Promise<void> {
  await checkPageFile(named)
  try {
    await (await replaceFile(await resolveLink(named), [text], { id: ulid() })).close()
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
  return { title: `${parts[0]?.name}${more}`, createdAt, version, parts, notStarted: [], next: undefined }
}

/** A log by its file name, unless another one has the same. */
function nameIn(logs: readonly string[], log: string): string {
  const alike = logs.filter(other => basename(other) === basename(log))
  return alike.length > 1 ? log : basename(log)
}
