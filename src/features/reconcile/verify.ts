import { stat } from 'node:fs/promises'
import type { Run } from '../../cli/command.ts'
import { portsOf, printTo } from '../../cli/context.ts'
import { UsageError } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import { recordFingerprint } from '../../model/fingerprint.ts'
import { KeyTable } from '../../model/key-table.ts'
import { bodyIn, type Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { commandLine, counted, due, grouped, visible, visibleJson } from '../../output/text.ts'
import { pageWritten } from '../../output/words/notices.ts'
import { pathIn } from '../../platform/process-info.ts'
import { usualRecordType } from '../../records/kinds.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { checkReportFile, pageMark, writePage } from '../../run/page.ts'
import { checkLogExists } from '../../run/paths.ts'
import { type ImportPorts, type Ports, streamsOf, writeTexts } from '../../run/ports.ts'
import { firstOpening, prepare } from '../../run/prepare.ts'
import type { StepLookups } from '../../run/prepared-import.ts'
import { required } from '../../run/resolve-options.ts'
import { run } from '../../run/run.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { importOptions } from '../../settings/options.ts'
import { parseSettings } from '../../settings/settings.ts'
import { replay } from '../../store/files/checkpoint.ts'
import type { Opening } from '../../store/files/lines.ts'
import { readResultLines, resolveLink } from '../../store/files/result-log.ts'
import { Comparison } from './comparison.ts'
import { describeWithoutId, firstItems, rowsInDoubt, tableText } from './doubts-text.ts'
import { exportRows } from './export-rows.ts'
import { matcherFor } from './matcher.ts'
import type { verifyOptions } from './options.ts'
import { verificationPage } from './verify-page.ts'

/** `rowlift verify`: compares a log with an export of the service; returns the exit code. Throws a UsageError, SourceError or LogError. */
export const runVerify: Run<typeof verifyOptions> = async (
  { positionals: [named, ...more], values: options },
  context,
) => {
  const { stdout, stdoutIsTerminal, stderr, clock, version } = context
  if (named === undefined || more.length > 0) throw new UsageError('one_log_only', { command: 'verify' })
  const path = await resolveLink(pathIn(context, named))
  const against = required(options.against, 'against')
  const { report } = options
  if (report !== undefined) await checkReportFile(report, [path, against])
  const verification = await verify(path, { ...options, against }, portsOf(context))
  const texts = stdoutIsTerminal ? verificationTables : verificationJson
  await writeTexts(() => texts(verification), stdout)
  const { in_doubt: inDoubt } = verification.counts
  const sums = describeVerified(named, against, verification)
  const lines = inDoubt > 0 ? [...sums, `${rowsInDoubt(inDoubt)}: ${commandLine(['resolve', named])}`] : sums
  if (report !== undefined) {
    const facts = { createdAt: clock.now().toISOString(), version, log: named, against }
    await writePage(report, pageMark + (await verificationPage(facts, sums, verification)))
    lines.push(pageWritten(report))
  }
  printTo(stderr, lines.map(line => `${visible(line)}\n`).join(''))
  const { missing, different, spare = 0 } = verification.counts
  return missing + different + spare > 0 ? exitCodes.someBad : exitCodes.finished
}

type Options = OptionValues<typeof verifyOptions> & { readonly against: string }

type Verification = Awaited<ReturnType<typeof verify>>

/** Compares the records of a log with an export; `lists` read them again. */
async function verify(path: string, options: Options, ports: Ports) {
  await checkLogExists(path)
  const file = await stat(options.against).catch(() => undefined) // reading it reports what is wrong
  if (file?.isFIFO()) throw new UsageError('bad_values', { faults: [['--against', 'must be a file']] }) // it is read several times
  const { record = usualRecordType } = (await firstOpening(path)) ?? {}
  const matcher = matcherFor(options.match ?? [], record, options.country)
  const comparison = new Comparison(matcher)
  const { opening, inDoubt } = await replay(path, {}, ({ line }) => comparison.addLine(line))
  const rows = () => exportRows(options.against, options, streamsOf(ports).stdin)
  for await (const batch of rows()) for (const row of batch) comparison.addRow(row)
  if (options.match && opening) await importAgain(path, opening, ports, comparison.addAgain)
  matcher.checkPaths()
  const { sentAgain } = comparison
  const spares = () => (sentAgain > 0 && options.match ? listed(rows(), comparison.spare) : [])
  let spare = 0
  for await (const _ of spares()) spare += 1
  const twice = sentAgain > 0 ? { sent_again: sentAgain, spare } : {}
  const counts = { ...comparison.counts(), ...twice, in_doubt: inDoubt }
  return {
    counts,
    isCompared: options.match !== undefined,
    names: comparison.names,
    lists: () => ({
      ...(sentAgain > 0 && { spare: spares() }),
      missing: counts.missing === 0 ? [] : listed(readResultLines(path), comparison.missing),
      unknown: counts.unknown === 0 ? [] : listed(rows(), comparison.unknown),
      different: counts.different === 0 ? [] : listed(rows(), comparison.different),
    }),
  }
}

/** Yields the entries of each record once. */
export async function* listed<T, E extends { readonly record_id: string }>(
  batches: AsyncIterable<readonly T[]>,
  entriesOf: (item: T) => readonly E[],
) {
  const once = new KeyTable()
  for await (const batch of batches)
    for (const entries of batch.map(entriesOf)) {
      const [first] = entries
      if (first === undefined || once.get(recordFingerprint(first.record_id)) !== undefined) continue
      once.set(recordFingerprint(first.record_id), 0)
      yield* entries
    }
}

/** Prepares an import once more, as a dry run. Throws a UsageError, SourceError or LogError. */
export function prepareAgain(
  { sources, mapping, results }: Pick<Opening, 'sources' | 'mapping'> & { readonly results: string },
  ports: ImportPorts,
  steps?: StepLookups,
) {
  const options = { mapping: pathIn(ports, mapping), results, dryRun: true }
  const values = Object.entries(options).map(([name, value]) => [name, { value, from: results }] as const)
  const settings = parseSettings(importOptions, new Map(values))
  const job = { sources: sources.map(source => pathIn(ports, source)), settings }
  return prepare(job, { ...ports, streams: undefined }, steps)
}

/** Reads the sources of the last run again, as a dry run. Throws a UsageError if they or the mapping are not what they were. */
export async function importAgain(
  log: string,
  { mapping, mapping_sha256, sources }: Opening,
  ports: Ports,
  take: (outcome: Outcome, bodyOf: () => unknown) => void,
): Promise<void> {
  const moved = (path: string) => new UsageError('import_moved', { log, path })
  if (sources.includes('-')) throw moved('standard input')
  const assumed: string[] = []
  const emit = (event: RunEvent) => void (event.type === 'lookup_assumed' && assumed.push(event.path))
  const prepared = await prepareAgain({ sources, mapping, results: log }, { ...ports, emit }).catch(error => {
    const isGone = /^((file|source)_unreadable|log_mismatch)$/.test(error.code)
    throw isGone ? moved(error.params.path ?? error.params.source ?? mapping) : error
  })
  if (prepared.mapping.sha256 !== mapping_sha256) throw moved(mapping)
  for (const path of assumed) throw moved(path)
  const bodyOf = (row: Row) => bodyIn(prepared.mapping.map(row, true))
  const keep = (outcome: Outcome, row: Row) => void take(outcome, () => bodyOf(row))
  await run(prepared, { sinks: [{ keep, close: async () => {} }] })
  if (prepared.stop.reason !== undefined) throw moved(sources.join(', '))
}

/** Writes one object, and its lists as they are read. */
async function* verificationJson({ counts, lists }: Verification): AsyncGenerator<string> {
  yield `{"counts":${JSON.stringify(counts)}`
  for (const [name, items] of Object.entries(lists())) {
    yield `,\n"${name}":[`
    let comma = ''
    for await (const item of items) {
      yield visibleJson(`${comma}\n${JSON.stringify(item)}`)
      comma = ','
    }
    yield ']'
  }
  yield '}\n'
}

export const mostListed = 20

async function* verificationTables({ lists }: Verification): AsyncGenerator<string> {
  for (const [name, items] of Object.entries(lists())) {
    const text = tableText(await firstItems<object>(items, mostListed))
    if (text !== '') yield `${name}\n${text}`
  }
}

/** Describes the counts, so that they add up, each sentence on a line. */
function describeVerified(log: string, against: string, { counts, isCompared }: Verification): string[] {
  const sum = (whole: string, ...parts: (readonly [number, string])[]) =>
    `${whole} = ${parts.map(([count, what]) => `${grouped(count)} ${what}`).join(' + ')}`
  const { records, exported, found, missing, unknown, same, different, changed } = counts
  const { not_compared: left, sent_again = 0, spare = 0 } = counts
  const spares = isCompared
    ? `${grouped(spare)} of the records that no row made ${spare === 1 ? 'has' : 'have'} the values of one, and ${spare === 1 ? 'is' : 'are'} spare`
    : '--match COLUMN=PATH finds their spare records'
  const gone = `${grouped(left - changed)} do not come any more or were not made by the last mapping`
  const why = left > 0 ? ` (${grouped(changed)} read differently now, ${gone})` : ''
  return due(
    `${log}: ${sum(counted(records, 'record'), [found, 'found'], [missing, 'missing there'])}`,
    `${against}: ${sum(counted(exported, 'record'), [found, 'found'], [unknown, 'that no row made'])}`,
    isCompared &&
      sum(`${grouped(found)} found`, [same, 'same'], [different, 'different'], [left, `not compared${why}`]),
    sent_again > 0 &&
      `${counted(sent_again, 'row was', 'rows were')} sent again after an unclear answer: ${spares}`,
    counts.without_id > 0 && describeWithoutId(counts.without_id, against),
  )
}
