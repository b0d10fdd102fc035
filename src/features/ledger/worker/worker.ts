// A worker: one of several processes that share the rows of an import through a ledger. Begin with `work`.
import { ulid } from 'ulid'
import { readingOf } from '../../../input/source.ts'
import type { SettledColumns } from '../../../mapping/column-history.ts'
import { isContentKey, isRepeated } from '../../../model/content-key.ts'
import { UsageError } from '../../../model/errors.ts'
import type { Row, RowIdentity } from '../../../model/row.ts'
import { stopReasonOf } from '../../../model/stop.ts'
import type { RunResult } from '../../../result/run-result.ts'
import { openingOf, openSender } from '../../../run/deliver.ts'
import { checkColumns, mostFirst, mostSampled, samplesOf, takeFirstRows } from '../../../run/first-rows.ts'
import { type ExpectedCounts, endOf, unmetIn } from '../../../run/import-end.ts'
import { closeAll } from '../../../run/import-steps.ts'
import { changedSources, logIdentity } from '../../../run/log-identity.ts'
import { holderOf } from '../../../run/logs.ts'
import { checkOpenFiles } from '../../../run/ports.ts'
import { checkApproved } from '../../../run/prepare.ts'
import type {
  CheckedRows,
  PreparedImport,
  RunPorts,
  SharedStore,
  StorePosition,
} from '../../../run/prepared-import.ts'
import { openRejects } from '../../../run/rejects.ts'
import { required } from '../../../run/resolve-options.ts'
import type { Opening } from '../../../store/files/lines.ts'
import { chunkReader } from '../chunk-reader.ts'
import { divide } from '../chunks.ts'
import type { Database } from '../database.ts'
import { withLog } from '../export.ts'
import { joinLedger, type Ledger } from '../ledger.ts'
import { paceOf } from '../pace.ts'
import { withPosition } from '../position.ts'
import { readTotals } from '../progress.ts'
import { referencesIn } from '../references.ts'
import { checkOthers } from '../registration.ts'
import type { RunTotals } from '../run.ts'
import { findImport, hasTables, openDatabase, withLedger } from '../schema.ts'
import { runLanes } from './lanes.ts'

/** The ledger as a run knows it. */
export const ledgerStore: SharedStore = {
  /** Rows of a ledger are known by their keys alone, and read in parts. */
  check({ mapping: { file, indents, keyColumns } }) {
    if (keyColumns.length === 0) throw new UsageError('ledger_needs_key', { mapping: file })
    if (indents.length > 0) throw new UsageError('ledger_with_indent', { mapping: file })
  },
  work,
  otherLogs: prepared => ({
    async claim({ checkpoint, first }, begin) {
      if (checkpoint.opening === undefined) await lookInOthers(prepared, first)
      return begin({})
    },
    async noteEnd() {},
  }),
  withPosition,
  withLog,
}

/** Looks for the first rows of a dry run whose import has no run yet. Throws a UsageError. */
async function lookInOthers(prepared: PreparedImport, first: CheckedRows): Promise<void> {
  const { settings, ports, isStep } = prepared
  const { base_url, organization_id, ...identity } = logIdentity(prepared)
  if (settings.newLog || base_url === undefined || organization_id === undefined) return
  const opening = { ...identity, base_url, organization_id, ...first.opening }
  const firstKeys = first.namedBy({}).map(({ key }) => key)
  await withLedger(settings, ports, async database => {
    if (await hasTables(database))
      await checkOthers(database.query, required(settings.import, 'import'), {
        ...{ opening, firstKeys, isStep },
        renamed: settings.renamed,
      })
  })
}

/** The time for which a worker waits for the service, and so for the database, if the import does not say. */
const usualPatienceS = 600

/** Takes part in an import until its run has ended, or this worker stops. Throws what `run` throws. */
async function work(
  prepared: PreparedImport,
  { sinks = [], onStart = () => () => {}, later = [] }: RunPorts,
): Promise<RunResult> {
  const { settings, stop, sources } = prepared
  const { clock, emit } = prepared.ports
  checkOpenFiles(settings.concurrency)
  await using database = await openDatabase(required(settings.ledger, 'ledger'), {
    clock,
    patienceMs: (settings.waitForService ?? usualPatienceS) * 1000,
    timeoutMs: Math.min(settings.timeout, settings.lease) * 1000,
    signal: stop.signal,
    onEvent: emit,
  })
  await using rejects = await openRejects(prepared)
  await using changes = await prepared.changes?.open()
  const { ledger, columns, named } = await joinImport(database, prepared, later)
  for (const event of changedSources(ledger.run.before, prepared)) emit(event)
  const all = [rejects ?? [], changes ?? [], sinks].flat()
  const pace = paceOf(database.query, ledger.run.importId, clock)
  const store = { intentLog: ledger.intentLog, claimRecord: () => undefined } // it does that when it records the answer
  const sender = openSender(prepared, serviceOf(prepared), store, pace)
  const startedMs = clock.now().getTime()
  const onEnd = onStart()
  const readers = sources.map(chunkReader)
  const lanes = runLanes(prepared, { ledger, send: sender.send, sinks: all, readers, columns, named })
  const isFinished = await lanes.finally(onEnd)
  sender.close()
  pace.close()
  await closeAll([...all, ledger, ...readers], stop)
  const durationMs = clock.now().getTime() - startedMs
  const facts = await factsOf(ledger, prepared, isFinished)
  return endOf(prepared, { ...facts, duration_ms: durationMs, rejects: rejects?.written() })
}

const serviceOf = ({ options }: PreparedImport) => required(options.service, 'base-url')

/** People and metrics tell workers apart by it. */
const workerName = ({ ports: { host, pid } }: PreparedImport) => `${host}-${pid}`

/**
 * Reads the sources once, and joins the run of those who have the same. Returns what names their rows, too. Throws a UsageError if
 * another run is under way.
 */
async function joinImport(database: Database, prepared: PreparedImport, later: readonly string[]) {
  const { options, settings, mapping, sources, ports, stop } = prepared
  const { clock, cwd = '.' } = ports
  const id = ulid()
  const name = required(settings.import, 'import')
  const before = (await findImport(database, name))?.opening // of a run under way its own
  const { rows, columns } = await lookAtFirst(prepared, before)
  const { first, take, named } = countEqualRows(prepared, columns)
  const divided = await divide(sources, take)
  const looked = await prepared.inspect?.(rows, before)
  const firstRows = { ...columns.history, first_rows: samplesOf(first.rows), ...looked }
  const run = {
    opening: { ...openingOf(id, prepared, serviceOf(prepared)), ...firstRows },
    sources: divided.sources.map((source, at) => {
      const { path = '' } = sources[at] ?? {}
      return { ...source, name: path, reading: readingOf(path, options.sourceSettings) }
    }),
    chunks: divided.chunks,
    isNewRun: settings.newRun,
    ...{ later, isStep: prepared.isStep, renamed: settings.renamed },
    firstKeys: settings.newLog ? undefined : first.keys,
    checkApproved: prepared.approval && ((begun: StorePosition) => checkApproved([prepared], begun)),
    references: mapping.refs.length > 0 ? () => referencesIn(prepared, columns) : undefined,
  }
  const ledger = await joinLedger(database, run, {
    ...{ id, clock, spoolFolder: cwd },
    name,
    worker: workerName(prepared),
    leaseS: settings.lease,
    attemptS: settings.timeout,
    resendsDoubts: options.inDoubt === 'resend',
    unmetIn: (totals, lastRows) => unmetIn(prepared, { counts: wholeOf(totals, prepared.tally), lastRows }),
    lock: { holder: holderOf(id, ports), timeoutMs: settings.lockTimeout * 1000 },
    onFailure: error => stop.request(stopReasonOf(error)),
  })
  return { ledger, columns, named }
}

/** Settles the columns that name rows without a key by the first rows. Throws a UsageError if those of the last run are gone. */
async function lookAtFirst(prepared: PreparedImport, before: Opening | undefined) {
  await using taken = await takeFirstRows(prepared, before, () => {})
  const { rows, columns } = taken
  const { mapping, ports } = prepared
  const identify = mapping.identifier('keys', columns)
  const isNamed = (row: Row) => row.fault === undefined && mapping.selects(row)
  if (rows.some(row => isNamed(row) && isContentKey(identify(row).key)))
    checkColumns({ prepared, columns, checkpoint: { opening: before, settled: before ? 1 : 0 } })
  if (columns.added.length > 0) ports.emit({ type: 'columns_added', columns: columns.added })
  return { rows, columns }
}

/**
 * Rows without a key are named by their content, and equal ones by their number besides. It is counted over all sources, so that a
 * row has the same name on every machine, whatever its chunk. The first rows that `where` selects are kept, too.
 */
function countEqualRows({ mapping }: PreparedImport, columns: SettledColumns) {
  const identify = mapping.identifier('keys', columns)
  /** The keys of rows that are equal to an earlier one, by their places. */
  const keys = new Map<string, string>()
  const first = { keys: [] as string[], rows: [] as Row[] }
  return {
    first,
    /** Takes each row once, in the order of the sources. */
    take(row: Row, source: number): void {
      const { key } = identify(row)
      if (isRepeated(key)) keys.set(`${source} ${row.row}`, key)
      if (first.keys.length === mostFirst || row.fault !== undefined || !mapping.selects(row)) return
      if (first.keys.push(key) <= mostSampled) first.rows.push(row)
    },
    /** Returns a row as its chunk names it, with its number among all rows. */
    named(identity: RowIdentity, source: number): RowIdentity {
      const key = keys.get(`${source} ${identity.row}`)
      return key === undefined ? identity : { ...identity, key }
    },
  }
}

/** Returns the facts of a run that has ended from the rows of all workers, of a worker that stopped from its own. */
async function factsOf(ledger: Ledger, prepared: PreparedImport, isFinished: boolean) {
  const { tally, stop, settings } = prepared
  const { stopReason, limitReached } = tally
  const totals = stop.reason?.code === 'log' ? undefined : await readTotals(ledger.run).catch(() => undefined)
  return {
    run: ledger.run.opening.run,
    counts: totals && isFinished ? { ...wholeOf(totals, tally), stopReason, limitReached } : tally,
    lastRows: ledger.run.lastRows,
    in_doubt_total: totals?.inDoubt ?? tally.newDoubts,
    ledger: {
      import: settings.import ?? '',
      worker: workerName(prepared),
      all: totals && isFinished ? shown(totals) : undefined,
    },
  }
}

/** `known`, `returned` and `unclear` count rows that are in a status too. */
const shown = ({ byStatus: { known: _, returned: __, unclear: ___, ...byStatus } }: RunTotals) =>
  Object.fromEntries(Object.entries(byStatus).filter(([, count]) => count > 0))

/** The counts of a run that has ended; what answers lack is known of this worker's calls. */
function wholeOf(
  { rows, byStatus, unlogged }: RunTotals,
  { ends, losses, changed, conflicts }: PreparedImport['tally'],
): ExpectedCounts {
  const { left_out: leftOut = 0, returned = 0 } = unlogged
  return {
    ends: { ...ends, ...Object.fromEntries(Object.keys(ends).map(end => [end, byStatus[end] ?? 0])) },
    known: { invalid: unlogged.invalid ?? 0, failed: unlogged.failed ?? 0 }, // others have a line
    ...{ rows, leftOut, returned, losses, changed, conflicts },
    ...{ unclear: byStatus.unclear ?? 0, stopReason: undefined, limitReached: undefined },
  }
}
