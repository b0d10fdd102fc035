import { standardInput } from '../input/source.ts'
import { reasonOf, UsageError } from '../model/errors.ts'
import type { CommandEnd } from '../report/command-end.ts'
import { pageNotWritten, pageWritten } from '../report/page-lines.ts'
import { commandSummary } from '../report/summary-file.ts'
import { unwritten } from '../report/words/run-words.ts'
import { checkReplaceable, markOf, replaceableName, replaceFile, startOfFile } from './atomic-write.ts'
import { exitCodes } from './exit-code.ts'
import { checkDistinct, type NamedFile } from './file-conflicts.ts'
import type { CommandPage } from './page.ts'
import { checkPageFile } from './page-file.ts'
import type { Streams } from './ports.ts'

/** The files that are written when a command ends, whatever it came to. */
export interface Artifacts {
  /**
   * Checks before anything is done that they can be written, and that none of them is one of those that are kept. Throws a
   * UsageError; a file that is at fault is not written at the end, the others are.
   */
  check(kept: readonly NamedFile[]): Promise<void>
  /** Writes them; gives the exit code, which is no longer 0 when one of them could not be written. */
  write(end: CommandEnd): Promise<number>
}

/** One of them. It may be written again when the exit code has become another one. */
interface Artifact {
  readonly path: string
  readonly role: string
  /** Throws a UsageError if it cannot be written; by default any file is replaced. */
  readonly check?: () => Promise<void>
  /** What a person reads if it could not be written, where there is more to say. */
  readonly unwritten?: (error: unknown, end: CommandEnd) => string
  write(end: CommandEnd): Promise<void>
}

/** Which of them are asked for, and who hears of those that could not be written. */
export interface ArtifactOptions {
  readonly summary: string | undefined
  readonly metrics: string | undefined
  readonly page: PageArtifact | undefined
  readonly tell: (words: string) => void
}

/** The page of a command, and where it goes. */
interface PageArtifact {
  readonly path: string
  readonly page: CommandPage
  /** What it is called, where the import does not name it. */
  readonly title: string | undefined
  /** Hears where it is. */
  readonly written: (words: string) => void
}

export async function createArtifacts(
  asked: ArtifactOptions,
  streams: Pick<Streams, 'stdout' | 'isTerminal'>,
): Promise<Artifacts> {
  const { summary, metrics, page, tell } = asked
  const files: readonly Artifact[] = [
    ...(page === undefined ? [] : [pageFile(page)]),
    ...(metrics === undefined ? [] : [metricsFile(await replaceableName(metrics))]),
    ...(summary === undefined ? [] : [summaryFile(await replaceableName(summary), streams)]), // last: stdout takes it once
  ]
  const refused = new Set<Artifact>()
  return {
    async check(kept) {
      let fault: unknown
      for (const [at, file] of files.entries())
        await checkFile(file, [...kept, ...files.slice(0, at)]).catch(error => {
          refused.add(file)
          fault ??= error
        })
      if (fault !== undefined) throw fault
    },
    async write(end) {
      let told = end
      const due = files.filter(file => !refused.has(file))
      for (const [at, file] of due.entries()) {
        const words = await file.write(told).catch(error => wordsOf(file, error, told))
        if (words === undefined) continue
        tell(words)
        if (told.exitCode !== exitCodes.finished) continue
        told = { ...told, exitCode: exitCodes.stoppedEarly, error: words }
        for (const earlier of due.slice(0, at)) await earlier.write(told).catch(() => {}) // it said 0
      }
      return told.exitCode
    },
  }
}

async function checkFile(file: Artifact, kept: readonly NamedFile[]): Promise<void> {
  if (file.path === standardInput) {
    const other = kept.find(({ path }) => path === standardInput)
    if (other !== undefined) throw new UsageError('stdout_twice', { role: other.role, other: file.role })
    return
  }
  await checkDistinct([file], kept)
  if (file.check !== undefined) return file.check()
  try {
    checkReplaceable(file.path)
  } catch (error) {
    throw new UsageError('cannot_write_at_end', {
      path: file.path,
      role: file.role,
      reason: reasonOf(error as NodeJS.ErrnoException),
    })
  }
}

const wordsOf = (file: Artifact, error: unknown, end: CommandEnd) =>
  file.unwritten?.(error, end) ?? unwritten(file.role, file.path, reasonOf(error))

/** A page tells of the run, which has done its work, whatever becomes of other files: it is made once. */
function pageFile({ path, page, title, written }: PageArtifact): Artifact {
  let isMade = false
  return {
    path,
    role: 'page',
    check: () => checkPageFile(path),
    unwritten: (error, { dryRun, imports }) => pageNotWritten(error, dryRun ? [] : logsOf(imports)),
    async write(end) {
      if (isMade || !(await page.write(path, end, title))) return
      isMade = true
      written(pageWritten(path))
    },
  }
}

const logsOf = (imports: CommandEnd['imports']) => imports.flatMap(({ end }) => end?.written ?? [])

/** For its owner alone, as it names files and tells what became of rows. */
const summaryMode = 0o600
/** Prometheus' collector reads as another user. */
const metricsMode = 0o644

function summaryFile(path: string, { stdout, isTerminal }: Pick<Streams, 'stdout' | 'isTerminal'>): Artifact {
  const isStdout = path === standardInput || path === '/dev/stdout'
  const spaces = isStdout && !isTerminal ? 0 : 2
  return {
    path,
    role: 'summary',
    async write(end) {
      const text = `${JSON.stringify(commandSummary(end), null, spaces)}\n`
      if (isStdout) stdout.write(text)
      else replaceFile(path, summaryMode, text)
    },
  }
}

/** How often another run that ends at the same moment is given way to. */
const mostTries = 10

function metricsFile(path: string): Artifact {
  let left: string | undefined
  return {
    path,
    role: 'metrics file',
    async write(end) {
      const { metricsText } = await import('../report/metrics.ts') // few ask for it
      for (let tries = 1; ; tries += 1) {
        const mark = markOf(path)
        const now = startOfFile(path)
        const text = await metricsText(end, left ?? now)
        if (replaceFile(path, metricsMode, text, () => tries >= mostTries || markOf(path) === mark)) {
          left ??= now
          return
        }
      }
    },
  }
}
