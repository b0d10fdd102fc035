import type { Writable } from 'node:stream'
import { standardInput } from '../input/source.ts'
import { reasonOf, UsageError } from '../model/errors.ts'
import { masked } from '../model/secrets.ts'
import { type CommandEnd, commandSummary } from '../report/command-end.ts'
import { pageNotWritten, pageWritten } from '../report/command-output.ts'
import { visibleJson } from '../report/text.ts'
import { unwritten } from '../report/words/run-words.ts'
import { checkReplaceable, replaceableName, replaceFile, startOfFile, versionOf } from './atomic-write.ts'
import { exitCodes } from './exit-code.ts'
import { checkDistinct, type NamedFile } from './file-conflicts.ts'
import type { CommandPage } from './page.ts'

/** The files that are written when a command ends, whatever its result. */
export interface Artifacts {
  /** Checks that they can be written and are no protected files. Throws a UsageError; a faulty file is left out at the end. */
  check(protectedFiles: readonly NamedFile[]): Promise<void>
  /** Writes them; returns the exit code, which is no longer 0 when one of them could not be written. */
  write(end: CommandEnd): Promise<number>
}

interface Artifact {
  readonly path: string
  readonly role: string
  /** Throws a UsageError if it cannot be written; by default any file is replaced. */
  readonly check?: () => Promise<void>
  readonly unwritten?: (error: unknown, end: CommandEnd) => string
  write(end: CommandEnd): Promise<void>
}

export interface ArtifactOptions {
  readonly summary: string | undefined
  readonly metrics: string | undefined
  readonly approval: string | undefined
  readonly page: CommandPage | undefined
  readonly stdout: Writable
  readonly stdoutIsTerminal: boolean
  readonly onWritten: (message: string) => void
  readonly onFailed: (message: string) => void
}

export async function createArtifacts(asked: ArtifactOptions): Promise<Artifacts> {
  const { summary, metrics, approval, page, onFailed } = asked
  const files: readonly Artifact[] = [
    ...(page === undefined ? [] : [pageFile(page, asked)]),
    ...(metrics === undefined ? [] : [metricsFile(await replaceableName(metrics))]),
    ...(approval === undefined ? [] : [approvalFile(await replaceableName(approval))]),
    ...(summary === undefined ? [] : [summaryFile(await replaceableName(summary), asked)]), // last: stdout takes it once
  ]
  const refused = new Set<Artifact>()
  return {
    async check(protectedFiles) {
      let fault: unknown
      for (const [at, file] of files.entries())
        await checkFile(file, [...protectedFiles, ...files.slice(0, at)]).catch(error => {
          refused.add(file)
          fault ??= error
        })
      if (fault !== undefined) throw fault
    },
    async write(end) {
      let current = end
      const due = files.filter(file => !refused.has(file))
      for (const [at, file] of due.entries()) {
        const words = await file.write(current).catch(error => wordsOf(file, error, current))
        if (words === undefined) continue
        onFailed(words)
        if (current.exitCode !== exitCodes.finished) continue
        current = { ...current, exitCode: exitCodes.stoppedEarly, error: words }
        for (const earlier of due.slice(0, at)) await earlier.write(current).catch(() => {}) // their exit code was 0
      }
      return current.exitCode
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
  const { path, role } = file
  try {
    checkReplaceable(path)
  } catch (error) {
    throw new UsageError('cannot_write_artifact', { path, role, reason: reasonOf(error) })
  }
}

const wordsOf = (file: Artifact, error: unknown, end: CommandEnd) =>
  file.unwritten?.(error, end) ?? unwritten(file.role, file.path, reasonOf(error))

/** A page shows the run, which is over, so it is written once. */
function pageFile(page: CommandPage, { onWritten }: ArtifactOptions): Artifact {
  let isWritten = false
  return {
    path: page.path,
    role: 'page',
    check: page.check,
    unwritten: (error, { dryRun, imports }) => pageNotWritten(error, dryRun ? [] : logsOf(imports)),
    async write(end) {
      if (isWritten || !(await page.write(end))) return
      isWritten = true
      onWritten(pageWritten(page.path))
    },
  }
}

const logsOf = (imports: CommandEnd['imports']) => imports.flatMap(({ end }) => end?.written ?? [])

/** For its owner alone: it names files. */
const summaryMode = 0o600
/** Prometheus' collector reads as another user, and so do those who review an approval. */
const readableMode = 0o644

function summaryFile(path: string, { stdout, stdoutIsTerminal }: ArtifactOptions): Artifact {
  const isStdout = path === standardInput || path === '/dev/stdout'
  const spaces = isStdout && !stdoutIsTerminal ? 0 : 2
  return {
    path,
    role: 'summary',
    async write(end) {
      const text = visibleJson(`${JSON.stringify(commandSummary(end), null, spaces)}\n`)
      if (isStdout) stdout.write(text)
      else replaceFile(path, summaryMode, text)
    },
  }
}

/** Of a dry run, unless one of its imports did not come to its end. */
const approvalFile = (path: string): Artifact => ({
  path,
  role: 'approval',
  async write({ imports }) {
    const ended = imports.flatMap(({ end }) => (end?.tally.stopReason ? [] : (end?.approval ?? [])))
    if (ended.length < imports.length) return
    const approval = { ...ended[0], imports: ended.flatMap(each => each.imports) }
    replaceFile(path, readableMode, `${JSON.stringify(approval, null, 2)}\n`)
  },
})

const mostTries = 10

function metricsFile(path: string): Artifact {
  let previous: string | undefined // that of earlier runs
  return {
    path,
    role: 'metrics file',
    async write(end) {
      const { metricsText } = await import('../report/metrics.ts') // few ask for it
      for (let tries = 1; ; tries += 1) {
        const version = versionOf(path)
        const now = startOfFile(path)
        const text = masked(await metricsText(end, previous ?? now))
        if (replaceFile(path, readableMode, text, () => tries >= mostTries || versionOf(path) === version)) {
          previous ??= now
          return
        }
      }
    },
  }
}
