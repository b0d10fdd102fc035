import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { UsageError } from '../../model/errors.ts'
import { describeProblem } from '../../output/words.ts'
import type { ProcessInfo } from '../../platform/process-info.ts'
import { usualRecordType } from '../../records/kinds.ts'
import { holdingLog, type LockWait } from '../../run/hold-log.ts'
import { checkLogExists } from '../../run/paths.ts'
import { required } from '../../run/resolve-options.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { type Doubt, type Ending, isDamaged } from '../../store/files/lines.ts'
import { type Doubts, openDoubts, readDoubts, resolveDoubts } from './doubts.ts'
import { exportRows } from './export-rows.ts'
import { Matcher } from './matcher.ts'
import type { resolveOptions } from './options.ts'

type Options = OptionValues<typeof resolveOptions> & { readonly from: string }

/** Settles the rows in doubt that an export of the service shows; a dry run only looks. Throws a UsageError, SourceError, LockError or LogError. */
export async function settleFrom(
  path: string,
  options: Options,
  wait: LockWait,
  context: ProcessInfo & { readonly stdin: Readable },
) {
  await checkLogExists(path)
  if (options.dryRun) {
    const settling = await compareDoubts(await readDoubts(path), options, context.stdin)
    for await (const doubt of settling.each()) settling.endOf(doubt)
    return settling
  }
  return holdingLog(path, wait, context, async (lock, run) => {
    const doubts = await openDoubts(path, lock, describeProblem)
    const settling = await compareDoubts(doubts, options, context.stdin)
    const by = { run, now: context.clock.now, describe: describeProblem }
    await resolveDoubts(path, lock, doubts, settling, by)
    return settling
  })
}

const mostCandidates = 10

/** Rows in doubt that were sent with the same values, and the records of the export that have these. */
interface SameBody {
  rows: number
  /** How many records match, and the ids of the first. */
  found: number
  readonly candidates: string[]
  /** A record may be theirs or that of another row. */
  isAmbiguous: boolean
}

/** Rows in doubt by the text of what was sent. */
class SentBodies {
  readonly #bodies = new Map<string, SameBody>()
  readonly #ofRecords = new Map<string, SameBody>()

  addDoubt(sent: string): void {
    const body = this.of(sent)
    body.rows += 1
    this.#bodies.set(sent, body)
  }

  /** A body that was not sent has no rows. */
  of(sent: string): SameBody {
    return this.#bodies.get(sent) ?? { rows: 0, found: 0, candidates: [], isAmbiguous: sent === '' }
  }

  /** Takes a record of an export, which may show it in several rows. */
  addRecord(id: string, body: SameBody): void {
    const other = this.#ofRecords.get(id.toLowerCase())
    if (other === body || body.candidates.includes(id)) return
    if (other !== undefined) other.isAmbiguous = body.isAmbiguous = true
    this.#ofRecords.set(id.toLowerCase(), body)
    body.found += 1
    if (body.found <= mostCandidates) body.candidates.push(id)
  }
}

const decide = ({ rows, found, isAmbiguous }: SameBody, mayBeMissing: boolean) => {
  if (isAmbiguous) return 'in_doubt'
  if (found === 1 && rows === 1) return 'created'
  return found === 0 && mayBeMissing ? 'failed' : 'in_doubt'
}

/** Compares what was sent of the rows in doubt with an export. */
async function compareDoubts(
  { checkpoint, each, hasOtherBodies }: Doubts,
  options: Options,
  stdin: Readable,
) {
  const { record = usualRecordType, use_created: mayShare } = checkpoint.opening ?? {}
  const { from, complete, country } = options
  const matcher = new Matcher(required(options.match, 'match'), record, country)
  const sentIn = ({ body }: Doubt) => matcher.textOf(matcher.sent(body))
  const sent = new SentBodies()
  for await (const doubt of each()) sent.addDoubt(sentIn(doubt))
  matcher.checkPaths(record)
  const counts = { created: 0, failed: 0, in_doubt: 0, without_id: 0 }
  let isOurs = checkpoint.recordCount === 0
  for await (const rows of exportRows(from, options, stdin))
    for (const { id, values } of rows) {
      const body = sent.of(matcher.textOf(values) || ' ') // a record without values matches no row
      const isTaken = id !== undefined && checkpoint.ownerOf(id) !== undefined
      isOurs ||= isTaken
      if (id === undefined) counts.without_id += 1
      if (id === undefined || (isTaken && mayShare)) body.isAmbiguous = true // the service may have given it to both
      if (body.rows > 0 && id !== undefined && (!isTaken || mayShare)) sent.addRecord(id, body)
    }
  if (complete && !isOurs) throw new UsageError('export_of_others', { path: from })
  const match = (doubt: Doubt) => {
    const body = sent.of(sentIn(doubt))
    const decision = decide(body, complete && !isDamaged(doubt) && !hasOtherBodies(doubt.key))
    return { decision, found: body.found, candidates: body.candidates } as const
  }
  const endOf = (doubt: Doubt): Ending | undefined => {
    const { decision, candidates } = match(doubt)
    counts[decision] += 1
    return decision === 'in_doubt' ? undefined : { recordId: candidates[0], export: basename(from) }
  }
  return { each, decide: match, endOf, counts }
}
