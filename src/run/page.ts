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
import { replay } from '../store/files/checkpoint.ts'
import type { ResultLine } from '../store/files/lines.ts'
import { isHeld, type LockWatch } from '../store/files/lock.ts'
import { readResultLines, resolveLink } from '../store/files/result-log.ts'
import { intentLogPath, isThere, type Log, type WholeLine } from '../store/files/whole-lines.ts'
import { checkDistinct, namedFiles } from './file-conflicts.ts'
import { readLogOf, watchingOf } from './logs.ts'
import type { Output, OutputImport, OutputPorts } from './output.ts'
import { checkLogExists } from './paths.ts'
import type { OutcomeSink } from './prepared-import.ts'

/** The page of a command: of one import, or of all steps of a plan that started. Without a title it has the first one's name. */
export function pageOutput(path: string, { title, context, onWritten }: OutputPorts): Output {
  const pageParts = new Map<string | undefined, ReturnType<typeof pagePart>>()
  let isWritten = false // the run is over, so it is written once
  return {
    path,
    role: 'page',
    async check() {
      await checkPageFile(path)
      await loadPage()
    },
    unwritten: (error, { dryRun, imports }) =>
      pageNotWritten(error, dryRun ? [] : imports.flatMap(({ end }) => end?.written ?? [])),
    sinksOf(job) {
      const part = pagePart(job, context)
      pageParts.set(job.name, part)
      return part.sinks
    },
    async write({ imports, endedAt, version, next }) {
      if (isWritten) return
      const parts: Part[] = []
      for (const { name, end } of imports) {
        const part = end && (await pageParts.get(name)?.partOf(end))
        if (part !== undefined) parts.push(part)
      }
      const [first] = parts
      if (first === undefined) return
      const notStarted = imports.flatMap(({ name, end }) => (end === undefined ? (name ?? []) : []))
      const about = { title: title ?? first.name, createdAt: endedAt.toISOString(), version }
      await writePage(path, await pageText({ ...about, parts, notStarted, next }))
      isWritten = true
      onWritten(pageWritten(path))
    },
  }
}

/**
 * An import on the page: the sinks of its outcomes, and its part once it has ended. A run that sends has no sinks: its log is
 * read afterwards. `partOf` throws a UsageError if the log cannot be read.
 */
export function pagePart({ name, prepared }: OutputImport, info: ProcessInfo) {
  const { sources, settings, profile, comparison, store } = prepared
  const nameOf = ({ path, sheet }: (typeof sources)[number]) =>
    sheet === undefined ? path : `${path}, sheet "${sheet}"`
  const dryRunPart = (lastRun: RunResult): Part => ({
    type: 'dry_run',
    name: name ?? sources[0]?.path ?? '',
    sources: sources.map(nameOf),
    mapping: settings.mapping ?? '',
    lastRun,
    ...profile?.markup(lastRun.left_out),
    near: comparison?.markup(),
    ...lastRun.details.tally.losses.facts(),
    ...lastRun.details.tally.reasons.problems(remedyOf, { log: undefined, doubts: 'held' }),
  })
  const partOfLog = async (lastRun: RunResult): Promise<Part> => {
    const { written = '' } = lastRun // a run without a log has no page
    const { import: inLedger, lockTimeout } = settings
    const title = name ?? inLedger ?? basename(written)
    const part = await readLogOf({ ...settings, store, results: written }, info, path =>
      logPart(path, title, watchingOf(info, lockTimeout), { lastRun }),
    )
    if (part === undefined) throw new Error('the ledger lost an import')
    return part
  }
  const sinks: readonly OutcomeSink[] = settings.dryRun && profile !== undefined ? [profile] : []
  return {
    sinks,
    partOf: async (end: RunResult): Promise<Part> => ({
      ...(settings.dryRun ? dryRunPart(end) : await partOfLog(end)),
      changes: prepared.changes?.result().page,
    }),
  }
}

type LogReading = Readonly<{ lastRun?: RunResult; onLine?: (line: ResultLine) => void }>

/**
 * Reads a result log twice, as a stream, also while a run writes it: `watching` shows whether one does, and its calls in flight
 * are no doubts. `onLine` gets each line. Throws a UsageError.
 */
export async function logPart(
  path: Log,
  name: string,
  watching: LockWatch,
  { lastRun, onLine }: LogReading = {},
): Promise<LogPart> {
  await checkLogExists(path)
  const stats = new LogStats(describeCode)
  let last = 0
  const isHeldFile =
    typeof path === 'string' && (await isThere(intentLogPath(path))) && (await isHeld(path, watching))
  const note = ({ line, number }: WholeLine, isNews: boolean) => {
    if (isNews) stats.note(line)
    last = number
  }
  const checkpoint = await replay(path, {}, note, !isHeldFile)
  for (const doubt of checkpoint.orphans)
    if (checkpoint.get(doubt.key, doubt.hash)?.status !== 'settled') stats.note(doubt)
  // the log may have grown
  for await (const lines of readResultLines(path))
    for (const { line, number } of lines)
      if (number <= last) {
        stats.take(line, checkpoint)
        onLine?.(line)
      }
  for (const doubt of checkpoint.orphans) stats.take(doubt, checkpoint)
  const log = typeof path === 'string' ? path : `--import=${path.name}` // in commands, for those who have ROWLIFT_LEDGER
  return stats.part({ name, log, recovered: checkpoint.recovered, lastRun }, remedyOf)
}

/** Starts each page, so that no other file is ever overwritten. */
export const pageMark = '<!-- rowlift report -->\n'

export async function pageText(facts: PageFacts): Promise<string> {
  const { createPage } = await loadPage()
  return pageMark + createPage(facts)
}

/** Loads what makes the page, which few runs need, and those before their first call. */
const loadPage = () => import('../output/page/page.ts')

/** Checks that the folder exists and that nothing but a page is overwritten. Throws a UsageError. */
async function checkPageFile(named: string): Promise<void> {
  const refuse = (error: unknown) => {
    throw new UsageError('cannot_write_page', { path: named, reason: reasonOf(error) })
  }
  const path = await resolveLink(named)
  await access(`${dirname(path)}/`, constants.W_OK | constants.X_OK).catch(refuse)
  const file = await stat(path).catch(error => (error.code === 'ENOENT' ? undefined : refuse(error)))
  if (file === undefined) return
  if (!file.isFile()) throw new UsageError('page_not_a_file', { path: named })
  if (file.size > 0 && !(await isPage(path))) throw new UsageError('not_a_page', { path: named })
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
export async function checkReportFile(path: string, logs: readonly Log[]): Promise<void> {
  const paths = logs.filter(log => typeof log === 'string')
  const files = (await Promise.all(paths.map(resolveLink))).flatMap(log => [log, intentLogPath(log)])
  await checkDistinct([{ path, role: 'page' }], namedFiles(undefined, { 'result log': files }))
  await checkPageFile(path)
}
