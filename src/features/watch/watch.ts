import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type CliContext, portsOf, printTo } from '../../cli/context.ts'
import { type CheckedSource, rowsOfAll } from '../../input/open.ts'
import { standardInput } from '../../input/source.ts'
import { loadMapping } from '../../mapping/mapping.ts'
import { sleep } from '../../model/clock.ts'
import { isContentKey } from '../../model/content-key.ts'
import { RowliftError, UsageError } from '../../model/errors.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { fieldDifferences } from '../../model/values.ts'
import { paintFor } from '../../output/paint.ts'
import { counted, grouped, rows, visible } from '../../output/text.ts'
import { describeError, describeProblem } from '../../output/words.ts'
import { statuses } from '../../result/row-counts.ts'
import { shorten } from '../../result/short-texts.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { mappingPath } from '../../run/paths.ts'
import type { Ports } from '../../run/ports.ts'
import { type ImportJob, prepare } from '../../run/prepare.ts'
import { required } from '../../run/resolve-options.ts'
import { run } from '../../run/run.ts'
import type { ImportSettings, Settings } from '../../settings/settings.ts'
import { runTests } from '../mapping-tests/run-tests.ts'
import { describeTests, describeTestTotal, fieldText } from '../mapping-tests/test-text.ts'

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
    printTo(stderr, `rowlift: ${describeError(error)}\n`)
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
const refused = 'plan preview report summary rejects changes worksheets metrics approval'.split(' ')

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
    if (last?.version === version) printTo(stdout, describeChanges(last.preview, preview, stdoutHasColors))
    else printTo(stderr, describePreview(preview, name))
    last = { version, preview }
    const results = runTests(mapping)
    const failed = results.filter(({ differences }) => differences.length > 0)
    if (failed.length > 0) printTo(stdout, describeTests({ file: name, results: failed }, stdoutHasColors))
    if (results.length > 0) printTo(stdout, describeTestTotal([{ file: name, results }], stdoutHasColors))
  })
}

/** The outcomes of the first rows, by their places. */
type Preview = ReadonlyMap<string, Outcome>

const mostRows = 1_000
const mostBytes = 50_000_000
/** Settings without a log, so that no row is done, and without files to write. */
const alone = {
  ...{ results: standardInput, preview: undefined, report: undefined, rejects: undefined },
  ...{ changes: undefined, previous: undefined },
  ...{ ledger: undefined, import: undefined, maxFailures: undefined },
}

/** Predicts the outcomes of the first rows. Throws a UsageError or a SourceError. */
async function previewOf(job: ImportJob, ports: Ports): Promise<Preview> {
  const settings = { ...job.settings, ...alone }
  const prepared = await prepare({ ...job, settings }, { ...ports, streams: undefined, emit() {} })
  const first = await firstRows(prepared.sources)
  const sources = prepared.sources.slice(0, 1).map(each => ({ ...each, rows: () => Readable.from([first]) }))
  const outcomes = new Map<string, Outcome>()
  const keep = (outcome: Outcome, row: Row) => void outcomes.set(`${row.source} ${row.row}`, outcome)
  await run({ ...prepared, sources }, { sinks: [{ keep, close: async () => {} }] })
  if (prepared.stop.reason?.code === 'defect') throw prepared.stop.reason.params.error
  return outcomes
}

async function firstRows(sources: readonly CheckedSource[]): Promise<Row[]> {
  const first: Row[] = []
  let bytes = 0
  const count = ({ length }: Buffer) => {
    bytes += length
  }
  for await (const batch of rowsOfAll(sources, count))
    if (first.push(...batch.slice(0, mostRows - first.length)) >= mostRows || bytes > mostBytes) break
  return first
}

function describePreview(preview: Preview, mapping: string): string {
  const good = [...preview.values()].filter(({ status }) => status === 'valid').length
  return `${grouped(good)} of the first ${rows(preview.size)} would be sent. Watching ${visible(mapping)}; Ctrl-C ends.\n`
}

const mostChanges = 10
const longestChange = 120

/** Describes rows of which another body is made, or which have none for another reason: a field on a line. */
function describeChanges(before: Preview, after: Preview, hasColors: boolean): string {
  const paint = paintFor(hasColors)
  const cut = (text: string) => visible(shorten(text, longestChange))
  const changes = [...new Map([...before, ...after])].flatMap(([place, { identity }]) => {
    const fields = changedFields(before.get(place), after.get(place))
    return fields.length === 0 ? [] : [{ identity, fields }]
  })
  const lines = changes.slice(0, mostChanges).flatMap(({ identity: { source, line, key }, fields }) => {
    const row = `${cut(source)}:${line}${isContentKey(key) ? '' : ` (${cut(key)})`}: `
    return fields.slice(0, mostChanges).map(({ path, expected, received }) => {
      const text = (value: unknown) => cut(path === '' ? String(value) : fieldText(value))
      const field = path === '' ? '' : `${cut(path)}  `
      return `${row}${field}${paint('red', text(expected))} -> ${paint('green', text(received))}\n`
    })
  })
  const bodies = counted(Math.max(before.size, after.size), 'body', 'bodies')
  return `${lines.join('')}${grouped(changes.length)} of ${bodies} changed\n`
}

/** Compares two bodies, or what became of a row if it lacks one: then the path is empty. */
function changedFields(old: Outcome | undefined, now: Outcome | undefined) {
  if (old?.status === 'valid' && now?.status === 'valid')
    return fieldDifferences(JSON.parse(JSON.stringify(old.body)), JSON.parse(JSON.stringify(now.body)))
  const [expected, received] = [old, now].map(endText)
  return expected === received ? [] : [{ path: '', expected, received }]
}

function endText(outcome: Outcome | undefined): string {
  if (outcome?.status !== 'invalid') return statuses[outcome?.status ?? 'left_out'].join(' ').trim()
  return outcome.errors.map(error => `${error.path ?? ''} ${describeProblem(error)}`.trim()).join('; ')
}
