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
import { describeChanges, describeTried } from './text.ts'
import { changesBetween, type Tried, trialOf } from './trial.ts'

const pollMs = 50

/** Calls `round` at once, and again when a file was saved, until a signal comes. A fault is told: the next save may mend it. */
export async function watchFiles(
  files: readonly string[],
  { clock, interrupts, stderr }: CliContext,
  round: () => Promise<void>,
): Promise<number> {
  const ending = new AbortController()
  const unwatch = interrupts.onSignal(signal =>
    ending.signal.aborted ? interrupts.exit(exitCodes[signal]) : ending.abort(),
  )
  const tellFault = (error: unknown) => {
    if (!(error instanceof RowliftError)) throw error
    tell(stderr, `rowlift: ${describeError(error)}\n`)
  }
  for (let [seen, done] = ['', '']; !ending.signal.aborted; ) {
    const now = await versionOf(files)
    const isNew = now === seen && now !== done // it has settled: an editor may save in steps
    if (isNew) done = now
    if (isNew) await round().catch(tellFault)
    seen = now
    await sleep(clock, pollMs, ending.signal).catch(() => {})
  }
  unwatch()
  return exitCodes.finished
}

async function versionOf(files: readonly string[]): Promise<string> {
  const found = await Promise.all(files.map(file => stat(file).catch(() => undefined)))
  return JSON.stringify(found.map(file => file && [file.ino, file.size, file.mtimeMs, file.ctimeMs]))
}

const isPipe = async (path: string) => (await stat(path).catch(() => undefined))?.isFIFO() === true

const elsewhere = ['plan', 'preview', 'report', 'summary', 'rejects', 'metrics', 'approval']

/** `import --dry-run --watch`: shows what each save of the mapping changes in the first bodies. Throws a UsageError. */
export async function watchImport(
  sources: readonly string[],
  settings: ImportSettings,
  given: Settings,
  context: CliContext,
): Promise<number> {
  const { stdout, stdoutHasColors, stderr } = context
  const isRefused = elsewhere.some(option => given.get(option)?.from.startsWith('--'))
  const areFiles =
    !sources.includes(standardInput) && !(await Promise.all(sources.map(isPipe))).includes(true)
  if (!settings.dryRun || isRefused || !areFiles) throw new UsageError('watch_options')
  if (sources.length === 0) throw new UsageError('no_source')
  const name = required(settings.mapping, 'mapping')
  const trial = trialOf({ sources, settings }, { ...portsOf(context), emit() {} })
  let last: { readonly version: string; readonly tried: Tried } | undefined
  return watchFiles([mappingPath(name), ...sources], context, async () => {
    const mapping = await loadMapping(mappingPath(name), name)
    const version = await versionOf(sources)
    const tried = await trial(mapping, version)
    if (last?.version === version) {
      const rows = Math.max(last.tried.size, tried.size)
      tell(stdout, describeChanges(changesBetween(last.tried, tried), rows, stdoutHasColors))
    } else tell(stderr, describeTried([...tried.values()], name))
    last = { version, tried }
    const results = runTests(mapping)
    const failed = results.filter(({ differences }) => differences.length > 0)
    if (failed.length > 0) tell(stdout, describeTests({ file: name, results: failed }, stdoutHasColors))
    if (results.length > 0) tell(stdout, describeTestTotal([{ file: name, results }], stdoutHasColors))
  })
}
