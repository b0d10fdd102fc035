import { stat } from 'node:fs/promises'
import type { Run } from '../../cli/command.ts'
import { portsOf, printTo } from '../../cli/context.ts'
import { withNamedLog } from '../../cli/named-log.ts'
import { UsageError } from '../../model/errors.ts'
import { commandLine, counted, due, grouped, visible, visibleJson } from '../../output/text.ts'
import { pageWritten } from '../../output/words/notices.ts'
import { usualRecordType } from '../../records/kinds.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { checkReportFile, pageMark, writePage } from '../../run/page.ts'
import { checkLogExists } from '../../run/paths.ts'
import { type Ports, streamsOf, writeTexts } from '../../run/ports.ts'
import { firstOpening } from '../../run/prepare.ts'
import { required } from '../../run/resolve-options.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import type { Log } from '../../store/files/whole-lines.ts'
import { Comparison, listed, mostListed } from './comparison.ts'
import { describeWithoutId, firstItems, rowsInDoubt, tableText } from './doubts-text.ts'
import { exportRows } from './export-rows.ts'
import { importAgain } from './import-again.ts'
import { matcherFor } from './matcher.ts'
import type { verifyOptions } from './options.ts'
import { verificationPage } from './verify-page.ts'

/** `rowlift verify`: compares a log with an export of the service; returns the exit code. Throws a UsageError, SourceError or LogError. */
export const runVerify: Run<typeof verifyOptions> = (parsed, context) =>
  withNamedLog('verify', parsed, context, async (log, name) => {
    const { values: options } = parsed
    const { stdout, stdoutIsTerminal, stderr, clock, version } = context
    const against = required(options.against, 'against')
    const { report } = options
    if (report !== undefined) await checkReportFile(report, [log, against])
    const verification = await verify(log, { ...options, against }, portsOf(context))
    const texts = stdoutIsTerminal ? verificationTables : verificationJson
    await writeTexts(() => texts(verification), stdout)
    const { in_doubt: inDoubt } = verification.counts
    const sums = describeVerified(name, against, verification)
    const args = typeof log === 'string' ? [name] : log.args
    const settle = commandLine(['resolve', ...args])
    const lines = inDoubt > 0 ? [...sums, `${rowsInDoubt(inDoubt)}: ${settle}`] : sums
    if (report !== undefined) {
      const facts = { createdAt: clock.now().toISOString(), version, log: name, args, against }
      await writePage(report, pageMark + (await verificationPage(facts, sums, verification)))
      lines.push(pageWritten(report))
    }
    printTo(stderr, lines.map(line => `${visible(line)}\n`).join(''))
    const { missing, different, spare = 0 } = verification.counts
    return missing + different + spare > 0 ? exitCodes.someBad : exitCodes.finished
  })

type Options = OptionValues<typeof verifyOptions> & { readonly against: string }

type Verification = Awaited<ReturnType<typeof verify>>

/** Compares the records of a log with an export; `lists` read them again. */
async function verify(path: Log, options: Options, ports: Ports) {
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
