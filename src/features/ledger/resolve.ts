import { ulid } from 'ulid'
import { type CliContext, printTo } from '../../cli/context.ts'
import { sleep } from '../../model/clock.ts'
import { UsageError } from '../../model/errors.ts'
import { withoutPassword } from '../../model/secrets.ts'
import { counted, rows, timeOf } from '../../output/text.ts'
import { describeProblem } from '../../output/words.ts'
import { withChecksum } from '../../store/files/checksum.ts'
import { byHandIn, type Doubt, type LineByHand, resolvedLine } from '../../store/files/lines.ts'
import { describeSettled, listDoubtful } from '../reconcile/doubts-text.ts'
import type { ResolvingOptions } from '../reconcile/options.ts'
import { type CallEntry, changeEntries, claimRecords, inDoubt, noteReplaced, replacedOf } from './entries.ts'
import { digestOf, type Query } from './query.ts'
import type { LedgerImport } from './run.ts'
import { withImport } from './schema.ts'

/** Lists rows in doubt or settles them; no lock is needed. Rows without a record wait until no worker can hold their calls any more. */
export const resolveInLedger = (
  options: ResolvingOptions,
  isSettling: boolean,
  context: CliContext,
): Promise<void> =>
  withImport(options, context, async imported => {
    const { clock, stderr } = context
    const { key, recordId, replace } = options
    const { name: store } = imported
    const facts = await doubtFacts(imported, key, replace)
    const { count: inDoubt, upTo, heldMs, underWay } = facts
    if (!isSettling) {
      const args = ['--ledger', withoutPassword(options.ledger ?? ''), '--import', store]
      await listDoubtful(doubtsIn(imported, upTo, key), { store, args, inDoubt, underWay: 0, key }, context)
      return printTo(stderr, describeUnderWay(underWay))
    }
    if (recordId === undefined && heldMs > 0) {
      const until = timeOf(new Date(clock.now().getTime() + heldMs).toISOString())
      printTo(stderr, `Waiting until ${until} UTC: so long a call may still be under way.\n`)
      await sleep(clock, heldMs)
    }
    const settled = await settleDoubts(imported, facts, options, { run: ulid(), now: clock.now })
    const words = `${rows(settled)} settled${facts.mistaken ? ' anew' : ''}`
    printTo(stderr, describeSettled(store, words, (await doubtFacts(imported)).count))
  })

export const describeUnderWay = (calls: number): string =>
  calls === 0
    ? ''
    : `${counted(calls, 'call')} under way; if the worker is gone, the next one puts the row in doubt.\n`

/** Rows in doubt as a whole, before they are read one by one. */
interface DoubtFacts {
  readonly count: number
  /** The last of them: a row that comes into doubt again later has another line. */
  readonly upTo: number
  /** The time for which a worker may still hold the call of one of them. */
  readonly heldMs: number
  /** Calls without an outcome: their worker may be gone, and nobody took over yet. */
  readonly underWay: number
  /** A row that a person settled, and that is to be settled anew. */
  readonly mistaken?: MistakenEntry
}

const states: Readonly<Record<string, string>> = { s: 'told', o: 'open' }

/** Counts all rows in doubt, or looks at one. Throws a UsageError if that is not in doubt, and not to be replaced. */
export async function doubtFacts(imported: LedgerImport, key?: string, replace = false): Promise<DoubtFacts> {
  const { database, importId, name } = imported
  const [facts] = await database.query<DoubtFacts & { state: string | null }>(
    `SELECT count(*), coalesce(max(line), 0) AS "upTo",
            coalesce(greatest(0, 1000 * extract(epoch FROM max(held_until) - clock_timestamp())), 0)::float AS "heldMs",
            (SELECT count(*) FROM rowlift.run r JOIN rowlift.chunk c ON c.run = r.id AND NOT c.is_done
               JOIN rowlift.entry o ON o.run = c.run AND o.chunk = c.no AND o.state = 'o' WHERE r.import = $1) AS "underWay",
            (SELECT state FROM rowlift.entry WHERE import = $1 AND name = $2) AS state
       FROM rowlift.entry WHERE import = $1 AND ${inDoubt} AND ($2::bytea IS NULL OR name = $2)`,
    [importId, nameOf(key)],
  )
  if (facts === undefined) throw new Error('a count has no rows')
  if (key === undefined || facts.count > 0) return facts
  const byHand = await lastByHand(imported, key)
  if (byHand && replace) return { ...facts, heldMs: byHand.heldMs, mistaken: byHand }
  const state = facts.state === null ? undefined : (states[facts.state] ?? 'refused')
  throw new UsageError('not_in_doubt', { log: name, key, state, isByHand: byHand !== undefined })
}

interface MistakenEntry extends DoubtEntry, Pick<CallEntry, 'state'>, Pick<DoubtFacts, 'heldMs'> {}

/** Finds the last line of a row, if a person wrote it. A late answer may have one that its entry does not name. */
async function lastByHand({ database, importId }: LedgerImport, key: string) {
  const [last] = await database.query<MistakenEntry>(
    `SELECT e.name, e.run, e.source, e.row, e.state, e.line AS seq, l.line,
            coalesce(greatest(0, 1000 * extract(epoch FROM e.held_until - clock_timestamp())), 0)::float AS "heldMs"
       FROM rowlift.entry e JOIN rowlift.line l ON l.seq >= e.line JOIN rowlift.run r ON r.id = l.run AND r.import = e.import
      WHERE e.import = $1 AND e.name = $2 AND e.state NOT IN ('o', 'd') AND l.status <> 'duplicate' AND strpos(l.line, $3) > 0
      ORDER BY l.seq DESC LIMIT 1`,
    [importId, nameOf(key), `"key":${JSON.stringify(key)}`],
  )
  return last && byHandIn(JSON.parse(last.line)) && last
}

const nameOf = (key: string | undefined) => (key === undefined ? null : digestOf(key))

export type DoubtEntry = Pick<CallEntry, 'name' | 'run' | 'source' | 'row'> & {
  readonly seq: number
  readonly line: string
}

async function* doubtsIn(...scope: Parameters<typeof doubtPages>): AsyncGenerator<Doubt> {
  for await (const page of doubtPages(...scope)) yield* page.map(({ line }) => JSON.parse(line) as Doubt)
}

const atOnce = 1_000

/** Reads rows in the order in which they came into doubt. */
async function* doubtPages(
  { database, importId }: LedgerImport,
  upTo: number,
  key?: string,
): AsyncGenerator<readonly DoubtEntry[]> {
  for (let after = 0; ; ) {
    const page = await database.query<DoubtEntry>(
      `SELECT e.name, e.run, e.source, e.row, e.line AS seq, l.line FROM rowlift.entry e JOIN rowlift.line l ON l.seq = e.line
        WHERE e.import = $1 AND e.${inDoubt} AND ($2::bytea IS NULL OR e.name = $2) AND e.line > $3 AND e.line <= $4
        ORDER BY e.line LIMIT ${atOnce}`,
      [importId, nameOf(key), after, upTo],
    )
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.seq
  }
}

/** Settles rows by hand, unless they have another line by now; returns how many. Throws a UsageError. */
export async function settleDoubts(
  imported: LedgerImport,
  { upTo, mistaken }: Pick<DoubtFacts, 'upTo' | 'mistaken'>,
  { key, recordId }: Pick<ResolvingOptions, 'key' | 'recordId'>,
  { run, now }: { readonly run: string; readonly now: () => Date },
): Promise<number> {
  const { database, importId, name: log, opening } = imported
  const isMade = recordId !== undefined
  const end = isMade ? ({ to: 's', status: 'created' } as const) : ({ to: 'r', status: 'failed' } as const)
  const change = { from: mistaken?.state ?? 'd', ...end }
  let settled = 0

  /** Gives the record to a row. Throws a UsageError if another row has it, unless rows may share records. */
  async function claim(query: Query, entry: DoubtEntry, id: string): Promise<void> {
    const [owner] = await claimRecords(query, importId, [{ ...entry, id: digestOfRecord(id) }])
    if (owner === undefined || owner.name === entry.name || opening.use_created === true) return
    const [place] = await query<{ source: string }>(
      `SELECT sources -> $2::int ->> 'name' AS source FROM rowlift.run WHERE id = $1`,
      [owner.run, owner.source],
    )
    const row = { source: place?.source ?? '', row: owner.row }
    throw new UsageError('record_taken', { log, row, recordId: id })
  }

  for await (const page of mistaken ? [[mistaken]] : doubtPages(imported, upTo, key)) {
    const rows = page.map(entry => {
      const before = JSON.parse(entry.line) as LineByHand
      const ending = { recordId, corrects: mistaken && before.run }
      const line = withChecksum(resolvedLine(before, ending, { run, describe: describeProblem, at: now() }))
      return { ...entry, line, replaced: replacedOf(before), lost: mistaken && before.record_id }
    })
    if (mistaken && rows[0]?.lost?.toLowerCase() === recordId?.toLowerCase()) return 0 // somebody said so already
    settled += await database.transaction(async query => {
      for (const { name, lost } of rows)
        if (lost !== undefined) await query(releaseRecord, [importId, digestOfRecord(lost), name])
      if (isMade) for (const entry of page) await claim(query, entry, recordId)
      const count = await changeEntries(query, importId, change, rows)
      if (mistaken && count === 0)
        throw new UsageError('not_in_doubt', { log, key: key ?? '', state: 'open', isByHand: false })
      await noteReplaced(query, importId, rows)
      return count
    })
  }
  return settled
}

const releaseRecord = 'DELETE FROM rowlift.record WHERE import = $1 AND id = $2 AND name = $3'

export const digestOfRecord = (recordId: string) => digestOf(recordId.toLowerCase())
