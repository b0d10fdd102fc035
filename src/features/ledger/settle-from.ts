// Rows in doubt in a ledger, settled by an export of the service. Workers may be at work meanwhile: what is decided on is one view
// of the ledger, and a row that has another line by the time it is settled is left alone.
import { stat } from 'node:fs/promises'
import { ulid } from 'ulid'
import { type CliContext, printTo } from '../../cli/context.ts'
import { UsageError } from '../../model/errors.ts'
import { rows, timeOf, visible } from '../../output/text.ts'
import { describeProblem } from '../../output/words.ts'
import { withChecksum } from '../../store/files/checksum.ts'
import { type Doubt, type OrphanedCall, resolvedLine } from '../../store/files/lines.ts'
import { readDoubts } from '../reconcile/doubts.ts'
import type { ResolvingOptions } from '../reconcile/options.ts'
import { compareDoubts, type DecidedRow, endingIn, tellDecided } from '../reconcile/settle-from.ts'
import { changeEntries, claimRecords, noteReplaced, replacedOf } from './entries.ts'
import { type ImportView, withView } from './export.ts'
import { pagesOf, type Query } from './query.ts'
import { type DoubtEntry, describeUnderWay, digestOfRecord, doubtFacts } from './resolve.ts'
import type { LedgerImport } from './run.ts'

type Options = ResolvingOptions & { readonly from: string }

/** A row in doubt; `isHeld`: when the export was written, a worker may still have held its call. */
interface LedgerDoubt extends Doubt {
  readonly entry: DoubtEntry & { readonly isHeld: boolean }
}

/**
 * Settles the rows in doubt of an import that an export of the service shows, and prints what was decided; a dry run only prints. An
 * export that lacks a record says nothing if the call may have ended after it was written. Returns the exit code. Throws a
 * UsageError, SourceError or LogError.
 */
export const settleInLedger = (options: Options, context: CliContext): Promise<number> =>
  withView(options, context, async view => {
    const { from, dryRun } = options
    const { log, imported } = view
    const writtenAgoS = (context.clock.now().getTime() - (await writtenAtMs(from))) / 1000
    const read = await readDoubts(log)
    const doubts = {
      checkpoint: read.checkpoint,
      each: () => doubtsIn(view, writtenAgoS),
      mayBeMissing: (doubt: LedgerDoubt) => !doubt.entry.isHeld && read.mayBeMissing(doubt),
      underWay: await callsUnderWay(view),
    }
    const all = { ...options, log }
    const { decided, withoutId } = await compareDoubts(doubts, all, context)
    const left = dryRun ? new Set() : await settle(imported, decided(), context)
    let held = 0
    const told = async function* () {
      held = 0
      for await (const row of decided()) {
        const stays = row.decision === 'in_doubt' || left.has(row.key)
        held += Number(options.complete && row.matches === 0 && row.entry.isHeld)
        yield stays ? ({ ...row, decision: 'in_doubt' } as const) : row
      }
    }
    const { count, heldMs, underWay } = await doubtFacts(imported)
    const inDoubt = dryRun ? {} : { inDoubt: count }
    const exitCode = await tellDecided({ decided: told, withoutId }, { ...all, ...inDoubt }, context)
    printTo(context.stderr, describeHeld(held, from, context.clock.now().getTime() + heldMs))
    printTo(context.stderr, describeUnderWay(underWay))
    return exitCode
  })

/** Returns when a file was written. Throws a UsageError for a pipe: the view must be later than what it shows. */
async function writtenAtMs(path: string): Promise<number> {
  const file = await stat(path).catch(() => undefined) // reading it reports what is wrong
  if (path === '-' || file?.isFIFO())
    throw new UsageError('bad_values', { faults: [['--from', 'must be a file']] })
  return file?.mtimeMs ?? 0
}

/** Reads the rows in doubt of a view, in the order in which they came into doubt. */
async function* doubtsIn({ query, imported }: ImportView, writtenAgoS: number): AsyncGenerator<LedgerDoubt> {
  const select = `
    SELECT e.name, e.run, e.source, e.row, e.line AS seq, l.line,
           coalesce(e.held_until > now() - make_interval(secs => ${writtenAgoS}), false) AS "isHeld"
      FROM rowlift.entry e JOIN rowlift.line l ON l.seq = e.line
     WHERE e.import = ${imported.importId} AND e.state = 'd' AND e.held_until IS NOT NULL ORDER BY e.line`
  for await (const page of pagesOf<LedgerDoubt['entry']>(query, select))
    yield* page.map(entry => ({ ...(JSON.parse(entry.line) as Doubt), entry }))
}

/** Reads the calls of a view that have no outcome: as many as all workers have under way. */
async function callsUnderWay({ query, imported }: ImportView): Promise<OrphanedCall[]> {
  const open = await query<{ intent: string }>(
    `SELECT o.intent FROM rowlift.run r JOIN rowlift.chunk c ON c.run = r.id AND NOT c.is_done
       JOIN rowlift.entry o ON o.run = c.run AND o.chunk = c.no AND o.state = 'o' WHERE r.import = $1`,
    [imported.importId],
  )
  return open.map(({ intent }) => JSON.parse(intent) as OrphanedCall)
}

const atOnce = 500

/** Settles rows in groups, each in one transaction; returns the keys of those that stay as they are. */
async function settle(
  imported: LedgerImport,
  decided: AsyncIterable<LedgerDoubt & DecidedRow>,
  { clock }: CliContext,
): Promise<ReadonlySet<string>> {
  const run = ulid()
  const left = new Set<string>()
  let group: Settling[] = []
  const settleGroup = async () => {
    const settled = await imported.database.transaction(query => settleRows(query, imported, group))
    for (const { name, key } of group) if (!settled.has(name)) left.add(key)
    group = []
  }
  for await (const row of decided) {
    const ending = endingIn(row)
    if (ending === undefined) continue
    const line = withChecksum(resolvedLine(row, ending, { run, describe: describeProblem, at: clock.now() }))
    group.push({ ...row.entry, line, key: row.key, recordId: ending.recordId, replaced: replacedOf(row) })
    if (group.length === atOnce) await settleGroup()
  }
  if (group.length > 0) await settleGroup()
  return left
}

type Settling = DoubtEntry & Readonly<{ key: string; recordId: string | undefined; replaced: string | null }>

/** Settles the rows that are in doubt as they were, and whose record no other row has; returns their names. */
async function settleRows(query: Query, { importId, opening }: LedgerImport, rows: readonly Settling[]) {
  const inDoubt = await query<{ name: string }>(
    `SELECT e.name FROM rowlift.entry e JOIN json_to_recordset($2) AS u(name bytea, seq bigint) ON e.name = u.name
      WHERE e.import = $1 AND e.state = 'd' AND e.line = u.seq ORDER BY e.name FOR UPDATE OF e`,
    [importId, JSON.stringify(rows)],
  )
  const names = new Set(inDoubt.map(({ name }) => name))
  const still = rows.filter(({ name }) => names.has(name))
  const claims = still.flatMap(({ recordId, ...row }) =>
    recordId === undefined ? [] : { ...row, id: digestOfRecord(recordId) },
  )
  const owners = await claimRecords(query, importId, claims)
  const others = new Map(owners.map(({ id, name }) => [id, name]))
  const taken = new Set(claims.filter(({ id, name }) => others.get(id) !== name).map(({ name }) => name))
  const free = opening.use_created === true ? still : still.filter(({ name }) => !taken.has(name))
  const made = free.filter(({ recordId }) => recordId !== undefined)
  const missing = free.filter(({ recordId }) => recordId === undefined)
  await changeEntries(query, importId, { from: 'd', to: 's', status: 'created' }, made)
  await changeEntries(query, importId, { from: 'd', to: 'r', status: 'failed' }, missing)
  await noteReplaced(query, importId, free)
  return new Set(free.map(({ name }) => name))
}

/** Says why an export that is complete does not settle rows that it lacks. */
const describeHeld = (held: number, from: string, untilMs: number): string =>
  held === 0
    ? ''
    : `The calls of ${rows(held)} may have ended after ${visible(from)} was written: export again after ${timeOf(new Date(untilMs).toISOString())} UTC, then the same command.\n`
