import { stringify } from 'csv-stringify/sync'
import { type CliContext, printTo } from '../../cli/context.ts'
import { UsageError } from '../../model/errors.ts'
import { recordFingerprint } from '../../model/fingerprint.ts'
import { KeyTable } from '../../model/key-table.ts'
import { commandLine, visible } from '../../output/text.ts'
import { checkLogExists } from '../../run/paths.ts'
import { writeTexts } from '../../run/ports.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { givesRecord, type Opening } from '../../store/files/lines.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import { type Log, logArgs, logName, type WholeLine } from '../../store/files/whole-lines.ts'
import { rowsInDoubt } from '../reconcile/doubts-text.ts'
import type { LogOptions } from './options.ts'

/** Prints the records that the import made as CSV, or all; of one run. Throws a UsageError. */
export async function listRecords(
  log: Log,
  { run: named, all, reverse }: LogOptions,
  context: CliContext,
): Promise<void> {
  await checkLogExists(log)
  const runs = new Set<string>()
  const gone = new KeyTable() // the last lines that say so
  const { inDoubt, opening } = await replay(log, {}, ({ line, number }) => {
    runs.add(line.run)
    if (line.status === 'forgotten') gone.set(recordFingerprint(line.record_id ?? ''), number)
  })
  const run = runNamed(logName(log), named, runs, opening)
  const isListed = ({ line, number }: WholeLine) =>
    (all ? givesRecord(line) : line.status === 'created') &&
    line.respells === undefined && // the line of its first name has the record
    (run === undefined || run === line.run) &&
    (gone.size === 0 || number > (gone.get(recordFingerprint(line.record_id ?? '')) ?? 0))
  const listed = async function* () {
    for await (const lines of readResultLines(log)) yield lines.filter(isListed).map(({ line }) => line)
  }
  await writeRecords(listed(), context, reverse)
  if (inDoubt === 0) return
  const resolve = commandLine(['resolve', ...logArgs(log)])
  printTo(
    context.stderr,
    `${rowsInDoubt(inDoubt)} in ${visible(logName(log))}: a record that was made for such a row is not listed (${resolve}).\n`,
  )
}

/** The id of a run, named by `last` or by its start. Throws a UsageError. */
export function runNamed(log: string, named: string | undefined, runs: Iterable<string>, opening?: Opening) {
  const start = named === 'last' ? opening?.run : named
  const [run, ...others] = start === undefined ? [] : [...runs].filter(each => each.startsWith(start))
  if (start !== undefined && (run === undefined || others.length > 0))
    throw new UsageError('unknown_run', { log, run: start, isAmbiguous: run !== undefined })
  return run
}

const columns = ['key', 'record_id', 'status', 'source', 'row']

/** Writes records as CSV. To have the last first, all are kept as text, in some 100 bytes each. */
export const writeRecords = (
  batches: AsyncIterable<object[]> | Iterable<object[]>,
  { stdout, stdoutIsTerminal }: CliContext,
  isReversed = false,
): Promise<void> =>
  writeTexts(async function* () {
    const cast = { string: stdoutIsTerminal ? visible : String }
    const texts: string[] = []
    yield stringify([columns])
    for await (const lines of batches)
      if (isReversed) texts.push(stringify(lines.reverse(), { columns, cast }))
      else yield stringify(lines, { columns, cast })
    yield* texts.reverse()
  }, stdout)
