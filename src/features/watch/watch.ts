import { stat } from 'node:fs/promises'
import { type CliContext, portsOf, tell } from '../../cli/context.ts'
import { standardInput } from '../../input/source.ts'
import { loadMapping } from '../../mapping/document.ts'
import { runTests } from '../../mapping/run-tests.ts'
import { sleep } from '../../model/clock.ts'
import { RowliftError, UsageError } from '../../model/errors.ts'
import { describeTests, describeTestTotal } from '../../output/test-text.ts'
import { describeError } from '../../output/words.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { mappingPath } from '../../run/paths.ts'
import { required } from '../../run/resolve-options.ts'
import type { ImportSettings, Settings } from '../../settings/settings.ts'
import { describeChanges, describePreview, type Preview, previewOf } from './preview.ts'

const pollMs = 50

/** Calls `round` at once, and again when a file was saved, until a signal comes. Reports its faults: the next save may mend them. */
export async function watchFiles(
  files: readonly string[],
  { clock, interrupts, stderr }: CliContext,
  round: () => Promise<void>,
): Promise<number> {
  const ending = new AbortController()
  const unwatch = interrupts.onSignal(signal =>
    ending.signal.aborted ? interrupts.exit(exitCodes[signal]) : ending.abort(),
  )
  const report = (error: unknown) => {
    if (!(error instanceof RowliftError)) throw error
    tell(stderr, `rowlift: ${describeError(error)}\n`)
  }
  for (let [seen, done] = ['', '']; !ending.signal.aborted; ) {
    const now = await versionOf(files)
    const isNew = now === seen && now !== done // it has settled: an editor may save in steps
    if (isNew) done = now
    if (isNew) await round().catch(report)
    seen = now
    await sleep(clock, pollMs, ending.signal).catch(() => {})
  }
  unwatch()
  return exitCodes.finished
}

const statOf = (path: string) => stat(path).catch(() => undefined)

async function versionOf(files: readonly string[]): Promise<string> {
  const stats = await Promise.all(files.map(statOf))
  return JSON.stringify(stats.map(file => file && [file.ino, file.size, file.mtimeMs, file.ctimeMs]))
}

/** Options that write files, and plans. */
const refused = ['plan', 'preview', 'report', 'summary', 'rejects', 'metrics', 'approval']

/** `import --dry-run --watch`: shows what each save of the mapping changes in the first bodies. Throws a UsageError. */
export async function watchImport(
  sources: readonly string[],
  settings: ImportSettings,
  origins: Settings,
  context: CliContext,
): Promise<number> {
  const { stdout, stdoutHasColors, stderr } = context
  const isRefused = refused.some(option => origins.get(option)?.from.startsWith('--'))
  const stats = await Promise.all(sources.map(statOf))
  const haveStream = sources.includes(standardInput) || stats.some(file => file?.isFIFO())
  if (!settings.dryRun || isRefused || haveStream) throw new UsageError('watch_options')
  if (sources.length === 0) throw new UsageError('no_source')
  const name = required(settings.mapping, 'mapping')
  let last: { readonly version: string; readonly preview: Preview } | undefined
  return watchFiles([mappingPath(name), ...sources], context, async () => {
    const mapping = await loadMapping(mappingPath(name), name)
    const version = await versionOf(sources)
    const preview = await previewOf({ sources, settings, mapping }, portsOf(context))
    if (last?.version === version) tell(stdout, describeChanges(last.preview, preview, stdoutHasColors))
    else tell(stderr, describePreview(preview, name))
    last = { version, preview }
    const results = runTests(mapping)
    const failed = results.filter(({ differences }) => differences.length > 0)
    if (failed.length > 0) tell(stdout, describeTests({ file: name, results: failed }, stdoutHasColors))
    if (results.length > 0) tell(stdout, describeTestTotal([{ file: name, results }], stdoutHasColors))
  })
}
