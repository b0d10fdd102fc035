import { appendFileSync, closeSync, openSync, rmSync, statSync } from 'node:fs'
import { ulid } from 'ulid'
import { standardInput } from '../input/source.ts'
import { reasonOf, UsageError } from '../model/errors.ts'
import { nextText, visibleJson } from '../output/text.ts'
import { unwritten } from '../output/words/notices.ts'
import { checkReplaceable, whenFree } from '../platform/busy-files.ts'
import { ownerOnly, replaceFile } from '../platform/replace-file.ts'
import { type CommandEnd, exitCodeOfPart, fieldsOf, type ImportPart } from '../result/run-result.ts'
import type { Summary } from '../result/summary-schema.ts'
import { resolveLink } from '../store/files/result-log.ts'
import { exitCodes } from './exit-code.ts'
import { checkDistinct, type NamedFile } from './file-conflicts.ts'
import { featureOutputs, type Output, type OutputImport, type OutputPorts } from './output.ts'

type MakeOutput = (path: string, ports: OutputPorts) => Promise<Output>

/** The outputs by the option that names their path; in this order they are written. */
const makers = {
  report: async (path, ports) => (await import('./page.ts')).pageOutput(path, ports), // few ask for it
  worksheets: (path, ports) => featureOutputs.worksheets(path, ports),
  metrics: async (path, ports) => featureOutputs.metrics(await replaceableName(path), ports),
  approval: async (path, ports) => featureOutputs.approval(await replaceableName(path), ports),
  summary: async (path, ports) => summaryOutput(await replaceableName(path), ports), // last: stdout takes it once
} satisfies Readonly<Record<string, MakeOutput>>

export type OutputPaths = Readonly<Record<keyof typeof makers, string | undefined>>

export async function openOutputs(paths: OutputPaths, ports: OutputPorts) {
  const files: Output[] = []
  for (const [option, make] of Object.entries<MakeOutput>(makers)) {
    const path = paths[option as keyof OutputPaths]
    if (path !== undefined) files.push(await make(path, ports))
  }
  const refused = new Set<Output>()
  return {
    sinksOf: (job: OutputImport) => files.flatMap(file => file.sinksOf?.(job) ?? []),
    /** Checks that they can be written and are no protected files. Throws a UsageError; a faulty file is left out at the end. */
    async check(protectedFiles: readonly NamedFile[]) {
      let fault: unknown
      for (const [at, file] of files.entries())
        await checkFile(file, [...protectedFiles, ...files.slice(0, at)]).catch(error => {
          refused.add(file)
          fault ??= error
        })
      if (fault !== undefined) throw fault
    },
    /** Writes them; returns the exit code, which is no longer 0 when one of them could not be written. */
    async write(end: CommandEnd): Promise<number> {
      let current = end
      const due = files.filter(file => !refused.has(file))
      for (const [at, file] of due.entries()) {
        const { path, role } = file
        const words = await file
          .write(current)
          .catch(error => file.unwritten?.(error, current) ?? unwritten(role, path, reasonOf(error)))
        if (words === undefined) continue
        ports.onFailed(words, { path, role })
        if (current.exitCode !== exitCodes.finished) continue
        current = { ...current, exitCode: exitCodes.stoppedEarly, error: words }
        for (const earlier of due.slice(0, at)) await earlier.write(current).catch(() => {}) // their exit code was 0
      }
      return current.exitCode
    },
  }
}

/** Checks by a trial that a file can be written; what is written to a device or a pipe is appended. */
async function checkFile(file: Output, kept: readonly NamedFile[]): Promise<void> {
  const { path, role } = file
  if (path === standardInput) {
    const other = kept.find(each => each.path === path)
    if (other !== undefined) throw new UsageError('stdout_twice', { role: other.role, other: role })
    return
  }
  await checkDistinct([file], kept)
  if (file.check !== undefined) return file.check()
  try {
    if (isStream(path)) return
    checkReplaceable(path)
    const trial = `${path}.${ulid()}.new`
    closeSync(openSync(trial, 'wx'))
    await whenFree(() => rmSync(trial)) // a virus scanner looks at new files
  } catch (error) {
    throw new UsageError('cannot_write_artifact', { path, role, reason: reasonOf(error) })
  }
}

function summaryOutput(path: string, { context: { stdout, stdoutIsTerminal } }: OutputPorts): Output {
  const isStdout = path === standardInput || path === '/dev/stdout'
  const spaces = isStdout && !stdoutIsTerminal ? 0 : 2
  return {
    path,
    role: 'summary',
    async write(end) {
      const text = visibleJson(`${JSON.stringify(commandSummary(end), null, spaces)}\n`)
      if (isStdout) stdout.write(text)
      else await writeAnew(path, text, ownerOnly) // it names files
    },
  }
}

/** The summary file: one object. The fields of the JSON line in the log have the same names and values. */
export function commandSummary(command: CommandEnd): Summary {
  const { version, startedAt, endedAt, dryRun, exitCode, error, imports, next } = command
  const parts = imports.map(part => [part.name, partSummary(command, part)] as const)
  const [only] = parts
  return {
    schema_version: 2,
    rowlift: version,
    started_at: startedAt.toISOString(),
    ended_at: endedAt.toISOString(),
    dry_run: dryRun,
    exit_code: exitCode,
    finished: parts.length > 0 && parts.every(([, { finished }]) => finished),
    error,
    ...(only?.[0] === undefined ? only?.[1] : { steps: Object.fromEntries(parts) }),
    next: nextText(next),
  }
}

function partSummary(command: CommandEnd, part: ImportPart) {
  const { paths, end } = part
  const { dry_run, ...fields } = end ? fieldsOf(end) : { dry_run: undefined, finished: false }
  return { ...paths, sources: [...paths.sources], ...fields, exit_code: exitCodeOfPart(command, part) }
}

/** Replaces a file in one step; writes to a device or a pipe. Throws the error of the system. */
export async function writeAnew(path: string, text: string, mode: number): Promise<void> {
  if (isStream(path)) appendFileSync(path, text)
  else await (await replaceFile(path, [text], { id: ulid(), mode })).close()
}

/** Checks for a device or a pipe, also through a link. Throws for a folder. */
export function isStream(path: string): boolean {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry?.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' })
  return isOfProcess(path) || (entry !== undefined && !entry.isFile())
}

/** The file that a link leads to; names that belong to the process stay as they are. */
const replaceableName = async (path: string): Promise<string> =>
  isOfProcess(path) ? path : resolveLink(path)

const isOfProcess = (path: string) => /^\/(dev\/(std|fd\/)|proc\/)/.test(path)
