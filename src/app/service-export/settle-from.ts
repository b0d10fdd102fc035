import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { recordPrint } from '../../journal/checkpoint.ts'
import { type Doubt, type Ending, isDamaged } from '../../journal/lines.ts'
import { type Doubts, openDoubts, readDoubts, resolveDoubts } from '../../journal/resolve.ts'
import { UsageError } from '../../model/errors.ts'
import { KeyTable } from '../../model/key-table.ts'
import { describeProblem } from '../../report/words.ts'
import type { resolveOptions } from '../command-options.ts'
import { holdingLog, type LockWait } from '../log.ts'
import type { OptionValues } from '../option-values.ts'
import { checkLogExists } from '../paths.ts'
import type { ProcessInfo } from '../ports.ts'
import { required } from '../resolve-options.ts'
import { exportRows } from './export-rows.ts'
import { Matcher } from './matcher.ts'

type Given = OptionValues<typeof resolveOptions> & { readonly from: string }

/** Settles the rows in doubt that an export of the service shows; a dry run only looks. Throws a UsageError, SourceError, LockError or LogError. */
export async function settleFrom(
  path: string,
  given: Given,
  wait: LockWait,
  context: ProcessInfo & { readonly stdin: Readable },
) {
  await checkLogExists(path)
  if (!given.dryRun)
    return holdingLog(path, wait, context, async (lock, run) => {
      const doubts = await openDoubts(path, lock, describeProblem)
      const found = await findRecords(doubts, given, context.stdin)
      const by = { run, now: context.clock.now, describe: describeProblem }
      await resolveDoubts(path, lock, doubts, found, by)
      return found
    })
  const found = await findRecords(await readDoubts(path), given, context.stdin)
  for await (const doubt of found.each()) found.endOf(doubt)
  return found
}

const mostCandidates = 10

/** Rows in doubt that were sent alike. */
interface Alike {
  readonly number: number
  rows: number
  /** How many records match, and the ids of the first. */
  found: number
  readonly candidates: string[]
  /** Nobody can say whether a record is theirs. */
  isUnclear: boolean
}

async function findRecords({ checkpoint, each, hasOtherBodies }: Doubts, given: Given, stdin: Readable) {
  const { record = 'contact', use_created: mayShare } = checkpoint.opening ?? {}
  const matcher = new Matcher(required(given.match, 'match'), record, given.country)
  const alike = new Map<string, Alike>()
  const sentIn = ({ body }: Doubt) => matcher.textOf(matcher.sent(body))
  for await (const doubt of each()) {
    const sent = sentIn(doubt)
    const first = { number: alike.size, rows: 0, found: 0, candidates: [], isUnclear: sent === '' }
    const known = alike.get(sent) ?? first
    known.rows += 1
    alike.set(sent, known)
  }
  const all = [...alike.values()]
  matcher.checkPaths(record)
  const counts = { created: 0, failed: 0, in_doubt: 0, without_id: 0 }
  const claims = new KeyTable()
  let isOurs = checkpoint.recordCount === 0
  for await (const rows of exportRows(given.from, given, stdin))
    for (const { id, values } of rows) {
      if (id === undefined) counts.without_id += 1
      const isTaken = id !== undefined && checkpoint.ownerOf(id) !== undefined
      isOurs ||= isTaken
      const found = alike.get(matcher.textOf(values) || ' ')
      if (found === undefined) continue
      if (id === undefined || (isTaken && mayShare)) found.isUnclear = true // the service may have given it to both
      if (id === undefined || (isTaken && !mayShare)) continue
      const other = all[claims.get(recordPrint(id)) ?? -1]
      if (other === found || found.candidates.includes(id)) continue
      if (other !== undefined) other.isUnclear = found.isUnclear = true // an export may show a record in several rows
      claims.set(recordPrint(id), found.number)
      found.found += 1
      if (found.found <= mostCandidates) found.candidates.push(id)
    }
  if (given.complete && !isOurs) throw new UsageError('export_of_others', { path: given.from })
  const decide = (doubt: Doubt) => {
    const { rows = 0, found = 0, candidates = [], isUnclear = true } = alike.get(sentIn(doubt)) ?? {}
    const isFound = found === 1 && rows === 1
    const isNowhere = given.complete && found === 0 && !isDamaged(doubt) && !hasOtherBodies(doubt.key)
    const decision = isUnclear ? 'in_doubt' : isFound ? 'created' : isNowhere ? 'failed' : 'in_doubt'
    return { decision, found, candidates } as const
  }
  const endOf = (doubt: Doubt): Ending | undefined => {
    const { decision, candidates } = decide(doubt)
    counts[decision] += 1
    return decision === 'in_doubt' ? undefined : { recordId: candidates[0], export: basename(given.from) }
  }
  return { each, decide, endOf, counts }
}
