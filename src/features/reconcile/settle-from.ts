import { basename } from 'node:path'
import { type CliContext, lockWait, portsOf, printTo } from '../../cli/context.ts'
import { UsageError } from '../../model/errors.ts'
import { isOver } from '../../model/expectations.ts'
import { commandLine, counted, due, jsonLine, rows, visible } from '../../output/text.ts'
import { usualRecordType } from '../../records/kinds.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { holdingLog } from '../../run/logs.ts'
import { writeTexts } from '../../run/ports.ts'
import { required } from '../../run/resolve-options.ts'
import { type Doubt, type Ending, isDamaged, type Opening } from '../../store/files/lines.ts'
import type { Lock } from '../../store/files/lock.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import { type Log, logArgs, logName } from '../../store/files/whole-lines.ts'
import { Comparison, listed, mostListed } from './comparison.ts'
import { type Doubts, readDoubts, resolveDoubts } from './doubts.ts'
import {
  commandOf,
  describeSettled,
  describeWithoutId,
  firstItems,
  mostInTable,
  tableText,
} from './doubts-text.ts'
import { columnValues, exportRows } from './export-rows.ts'
import { importAgain } from './import-again.ts'
import { matcherFor } from './matcher.ts'
import type { ResolvingOptions } from './options.ts'
import { mostCandidates } from './record-index.ts'

type Options<L = Log> = ResolvingOptions & { readonly from: string; readonly log: L }

/** The rows in doubt of a log, and the calls that may be under way: a record may be theirs. */
type DoubtsOf<D extends Doubt> = Pick<Doubts, 'checkpoint'> & {
  readonly each: () => AsyncIterable<D>
  readonly mayBeMissing: (doubt: D) => boolean
  readonly underWay?: readonly Pick<Doubt, 'body'>[]
}

/**
 * Settles the rows in doubt that an export of the service shows, and prints what was decided; a dry run only prints. Returns the
 * exit code. Throws a UsageError, SourceError, LockError or LogError.
 */
export async function settleFrom(options: Options<string>, context: CliContext): Promise<number> {
  const { log: path, dryRun } = options
  const settle = async (lock: Lock, run: string) => {
    const doubts = await readDoubts(path)
    const compared = await compareDoubts(doubts, options, context)
    const how = { checkpoint: doubts.checkpoint, endOf: endingIn, run, ...commandOf(context) }
    await resolveDoubts(path, lock, compared.decided(), how)
    return compared
  }
  const compared = dryRun
    ? await compareDoubts(await readDoubts(path), options, context)
    : await holdingLog(path, lockWait(options, context), context, settle)
  return tellDecided(compared, options, context)
}

/**
 * Prints what was decided of each row, and how many were settled; `inDoubt` is for a store in which others come into doubt meanwhile.
 * Returns the exit code.
 */
export async function tellDecided(
  { decided, withoutId }: Pick<Compared, 'decided' | 'withoutId'>,
  options: Options & { readonly inDoubt?: number },
  { stdout, stdoutIsTerminal, stderr }: CliContext,
): Promise<number> {
  await writeTexts(async function* () {
    if (stdoutIsTerminal) yield tableText((await firstItems(decided(), mostInTable)).map(decidedCells))
    else for await (const row of decided()) yield decidedLine(row)
  }, stdout)
  const counts = { created: 0, failed: 0, in_doubt: 0 }
  for await (const { decision } of decided()) counts[decision] += 1
  const { in_doubt, ...settled } = counts
  const left = options.inDoubt ?? in_doubt
  printTo(stderr, describeCounts(options, { ...settled, left, withoutId }))
  return left > 0 ? exitCodes.someBad : exitCodes.finished
}

type Compared = Awaited<ReturnType<typeof compareDoubts>>

/** Compares what was sent of the rows in doubt with an export; `decided` reads them again. */
export async function compareDoubts<D extends Doubt>(
  doubts: DoubtsOf<D>,
  options: Options,
  context: CliContext,
) {
  const { log, from, complete, country } = options
  const { checkpoint, underWay = [] } = doubts
  const { record = usualRecordType, use_created: mayShare } = checkpoint.opening ?? {}
  const match = required(options.match, 'match')
  const matcher = matcherFor(match, record, country)
  const sentIn = ({ body }: Pick<Doubt, 'body'>) => matcher.textOf(matcher.sent(body))
  const sent = new SentBodies()
  for await (const doubt of doubts.each()) sent.addDoubt(sentIn(doubt))
  for (const call of underWay) sent.addDoubt(sentIn(call))
  matcher.checkPaths()
  let withoutId = 0
  const known = complete && checkpoint.inDoubt > 0 ? new Comparison(matcher) : undefined
  for await (const lines of known ? readResultLines(log) : [])
    for (const { line } of lines) if (!('export' in line)) known?.addLine(line) // it is no test of exports
  const values = columnValues(from, known ? match : [])
  for await (const rows of exportRows(from, options, context.stdin))
    for (const row of rows) {
      const { id } = row
      known?.addRow(row)
      values.note(row)
      const isTaken = id !== undefined && checkpoint.ownerOf(id) !== undefined
      if (id === undefined) withoutId += 1
      if (!isTaken || mayShare) sent.addRow(matcher.textOf(row.values), id, isTaken)
    }
  values.check()
  if (known) await checkComplete(known, options, context, checkpoint.opening)
  const decided = async function* (): AsyncGenerator<D & DecidedRow> {
    for await (const doubt of doubts.each()) {
      const mayBeMissing = complete && !isDamaged(doubt) && doubts.mayBeMissing(doubt)
      yield { ...doubt, ...decision(sent.of(sentIn(doubt)), mayBeMissing), export: basename(from) }
    }
  }
  return { decided, withoutId }
}

/** The share of the records of a log that a complete export may lack, or have with other values. */
const allowed = { percent: 1 }

/** Throws a UsageError if the records that a log knows do not show that an export is complete. */
async function checkComplete(known: Comparison, options: Options, context: CliContext, opening?: Opening) {
  const { from: path, knownGone: gone } = options
  const log = logName(options.log)
  for await (const rows of gone === undefined ? [] : exportRows(gone, { id: 'record_id' }, context.stdin))
    for (const row of rows)
      if (row.id !== undefined) known.addRow(row)
      else throw new UsageError('not_a_record_id', { path: `${gone}`, line: row.line })
  const check = async () => {
    const { records, missing, same, different } = known.counts()
    const compared = same + different
    if (!isOver(missing, allowed, records) && !isOver(different, allowed, compared)) return compared
    const first = await firstItems(listed(readResultLines(options.log), known.faulty), mostListed)
    const rows = first.map(at => `${at.source} row ${at.row}, key ${at.key}: ${at.record_id}`)
    const others = missing + different - rows.length
    throw new UsageError('unlike_log', { path, log, records, missing, different, rows, others })
  }
  await check()
  if (opening) await importAgain(options.log, opening, portsOf(context), known.addAgain)
  if (known.isMoved(allowed)) throw new UsageError('import_moved', { log, path: `${opening?.sources}` })
  if ((await check()) === 0) throw new UsageError('nothing_compared', { path, log })
}

/**
 * Rows in doubt that were sent with the same values, and the records of the export that have these: their number, and the ids of the
 * first. It is ambiguous if a record may be theirs or that of another row.
 */
const newBody = (isAmbiguous: boolean) => ({ rows: 0, matches: 0, candidates: [] as string[], isAmbiguous })
type SentBody = ReturnType<typeof newBody>

function decision({ rows, matches, candidates, isAmbiguous }: SentBody, mayBeMissing: boolean) {
  const isFound = !isAmbiguous && matches === 1 && rows === 1
  const isMissing = !isAmbiguous && matches === 0 && mayBeMissing
  const decision = isFound ? 'created' : isMissing ? 'failed' : 'in_doubt'
  return { decision, matches, candidates } as const
}

/** Rows in doubt, and the records that match them, by the text of what was sent. */
class SentBodies {
  readonly #bodies = new Map<string, SentBody>()
  readonly #ofRecords = new Map<string, SentBody>()

  of(sent: string): SentBody {
    return this.#bodies.get(sent) ?? newBody(sent === '')
  }

  addDoubt(sent: string): void {
    const body = this.of(sent)
    body.rows += 1
    this.#bodies.set(sent, body)
  }

  /** Adds a row of the export, which may show a record in several; one without values matches no row in doubt. */
  addRow(values: string, id: string | undefined, isShared: boolean): void {
    const body = values === '' ? undefined : this.#bodies.get(values)
    if (body === undefined) return
    if (id === undefined || isShared) body.isAmbiguous = true // the service may have given the record to both
    const record = id?.toLowerCase()
    const other = record && this.#ofRecords.get(record)
    if (id === undefined || record === undefined || other === body || body.candidates.includes(id)) return
    if (other) other.isAmbiguous = body.isAmbiguous = true
    this.#ofRecords.set(record, body)
    body.matches += 1
    if (body.matches <= mostCandidates) body.candidates.push(id)
  }
}

export type DecidedRow = Doubt & ReturnType<typeof decision> & Pick<Ending, 'export'>

/** Returns the end of a row; undefined if it stays in doubt. */
export const endingIn = ({ decision, candidates, export: name }: DecidedRow): Ending | undefined =>
  decision === 'in_doubt' ? undefined : { recordId: candidates[0], export: name }

function decidedLine({ key, source, row, line, decision, matches, candidates }: DecidedRow): string {
  const records = decision === 'created' ? { record_id: candidates[0] } : { candidates, found: matches }
  return jsonLine({ key, source, row, line, decision, ...records })
}

const decidedCells = ({ key, decision, matches: found, candidates }: DecidedRow) => {
  return { key, decision, found, records: candidates.join(' ') }
}

/** Describes how many rows an export settles, and what to do about the others. */
function describeCounts(
  { log, from, dryRun, complete }: Options,
  { created, failed, left, withoutId }: Record<'created' | 'failed' | 'left' | 'withoutId', number>,
): string {
  const settled = `${rows(created + failed)} ${dryRun ? 'would be settled' : 'settled'} by ${visible(from)}`
  const how = `${counted(created, 'has its record', 'have their record')}, ${counted(failed, 'was', 'were')} not created`
  const byHand = commandLine(['resolve', ...logArgs(log), '--key', 'KEY', '--record-id', 'ID'])
  return due(
    describeSettled(logName(log), `${settled}: ${how}`, left),
    withoutId > 0 && `${describeWithoutId(withoutId, from)}\n`,
    left > 0 && `Where several records match, say which it is: ${byHand}\n`,
    left > 0 && !complete && `Where none does, and the export was made after the last call: add --complete\n`,
  ).join('')
}
