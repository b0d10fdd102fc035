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
import { Comparison } from './comparison.ts'
import { readDoubts, resolveDoubts } from './doubts.ts'
import {
  commandOf,
  describeSettled,
  describeWithoutId,
  firstItems,
  mostInTable,
  tableText,
} from './doubts-text.ts'
import { columnValues, exportRows } from './export-rows.ts'
import { matcherFor } from './matcher.ts'
import type { ResolvingOptions } from './options.ts'
import { mostCandidates } from './record-index.ts'
import { importAgain, listed, mostListed } from './verify.ts'

type Options = ResolvingOptions & { readonly from: string; readonly log: string }

/**
 * Settles the rows in doubt that an export of the service shows, and prints what was decided; a dry run only prints. Returns the
 * exit code. Throws a UsageError, SourceError, LockError or LogError.
 */
export async function settleFrom(options: Options, context: CliContext): Promise<number> {
  const { stdout, stdoutIsTerminal, stderr } = context
  const { log: path, from, dryRun } = options
  const endOf = ({ decision, candidates }: DecidedRow): Ending | undefined =>
    decision === 'in_doubt' ? undefined : { recordId: candidates[0], export: basename(from) }
  const settle = async (lock: Lock, run: string) => {
    const compared = await compareDoubts(options, context)
    const { checkpoint } = compared.doubts
    const how = { checkpoint, endOf, run, ...commandOf(context) }
    await resolveDoubts(path, lock, compared.decided(), how)
    return compared
  }
  const { decided, counts } = dryRun
    ? await compareDoubts(options, context)
    : await holdingLog(path, lockWait(options, context), context, settle)
  await writeTexts(async function* () {
    if (stdoutIsTerminal) yield tableText((await firstItems(decided(), mostInTable)).map(decidedCells))
    else for await (const row of decided()) yield decidedLine(row)
  }, stdout)
  printTo(stderr, describeCounts(options, counts))
  return counts.in_doubt > 0 ? exitCodes.someBad : exitCodes.finished
}

/** Compares what was sent of the rows in doubt with an export, and counts them by what is decided. */
async function compareDoubts(options: Options, context: CliContext) {
  const { log, from, complete, country } = options
  const doubts = await readDoubts(log)
  const { checkpoint } = doubts
  const { record = usualRecordType, use_created: mayShare } = checkpoint.opening ?? {}
  const match = required(options.match, 'match')
  const matcher = matcherFor(match, record, country)
  const sentIn = ({ body }: Doubt) => matcher.textOf(matcher.sent(body))
  const sent = new SentBodies()
  for await (const doubt of doubts.each()) sent.addDoubt(sentIn(doubt))
  matcher.checkPaths()
  const counts = { created: 0, failed: 0, in_doubt: 0, without_id: 0 }
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
      if (id === undefined) counts.without_id += 1
      if (!isTaken || mayShare) sent.addRow(matcher.textOf(row.values), id, isTaken)
    }
  values.check()
  if (known) await checkComplete(known, options, context, checkpoint.opening)
  const decided = async function* (): AsyncGenerator<DecidedRow> {
    for await (const doubt of doubts.each()) {
      const mayBeMissing = complete && !isDamaged(doubt) && !doubts.hasOtherBodies(doubt.key)
      yield { ...doubt, ...decision(sent.of(sentIn(doubt)), mayBeMissing) }
    }
  }
  for await (const row of decided()) counts[row.decision] += 1
  return { doubts, decided, counts }
}

/** The share of the records of a log that a complete export may lack, or have with other values. */
const allowed = { percent: 1 }

/** Throws a UsageError if the records that a log knows do not show that an export is complete. */
async function checkComplete(known: Comparison, options: Options, context: CliContext, opening?: Opening) {
  const { log, from: path, knownGone: gone } = options
  for await (const rows of gone === undefined ? [] : exportRows(gone, { id: 'record_id' }, context.stdin))
    for (const row of rows)
      if (row.id !== undefined) known.addRow(row)
      else throw new UsageError('not_a_record_id', { path: `${gone}`, line: row.line })
  const check = async () => {
    const { records, missing, same, different } = known.counts()
    const compared = same + different
    if (!isOver(missing, allowed, records) && !isOver(different, allowed, compared)) return compared
    const first = await firstItems(listed(readResultLines(log), known.faulty), mostListed)
    const rows = first.map(at => `${at.source} row ${at.row}, key ${at.key}: ${at.record_id}`)
    const others = missing + different - rows.length
    throw new UsageError('unlike_log', { path, log, records, missing, different, rows, others })
  }
  await check()
  if (opening) await importAgain(log, opening, portsOf(context), known.addAgain)
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

type DecidedRow = Doubt & ReturnType<typeof decision>

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
  counts: Awaited<ReturnType<typeof compareDoubts>>['counts'],
): string {
  const { created, failed, in_doubt: left, without_id: withoutId } = counts
  const settled = `${rows(created + failed)} ${dryRun ? 'would be settled' : 'settled'} by ${visible(from)}`
  const how = `${counted(created, 'has its record', 'have their record')}, ${counted(failed, 'was', 'were')} not created`
  const byHand = commandLine(['resolve', log, '--key', 'KEY', '--record-id', 'ID'])
  return due(
    describeSettled(log, `${settled}: ${how}`, left),
    withoutId > 0 && `${describeWithoutId(withoutId, from)}\n`,
    left > 0 && `Where several records match, say which it is: ${byHand}\n`,
    left > 0 && !complete && `Where none does, and the export was made after the last call: add --complete\n`,
  ).join('')
}
