// A worker: one of several processes that share the rows of an import through a ledger. Begin with `work`.
import { ulid } from 'ulid'
import { divide } from '../../input/chunks.ts'
import { readingOf } from '../../input/source.ts'
import type { Database } from '../../journal/ledger/database.ts'
import { Ledger, openDatabase } from '../../journal/ledger/ledger.ts'
import { Pace } from '../../journal/ledger/pace.ts'
import { stopReasonOf } from '../../model/stop.ts'
import { describeProblem } from '../../report/words.ts'
import { openingOf, openSender } from '../deliver.ts'
import type { RunPorts } from '../delivery.ts'
import type { Judged } from '../expectations.ts'
import { endOf, type ImportEnd } from '../import-end.ts'
import { closeAll, openRejects } from '../import-steps.ts'
import { checkOpenFiles, holderOf } from '../ports.ts'
import type { PreparedImport } from '../prepare.ts'
import { required } from '../resolve-options.ts'
import { countEqualRows, type EqualRows } from './equal-rows.ts'
import { Lanes } from './lanes.ts'
import { namesIn } from './links.ts'

/** Where the import does not say how long it waits for the service, and so for the database. */
const usualPatienceS = 600

/** Takes part in an import until its run has ended, or this worker stops. Throws what `run` throws. */
export async function work(prepared: PreparedImport, ports: RunPorts): Promise<ImportEnd> {
  const { settings, stop } = prepared
  const { clock, emit } = prepared.ports
  checkOpenFiles(settings.concurrency)
  const database = await openDatabase(required(settings.ledger, 'ledger'), {
    clock,
    patienceMs: (settings.waitForService ?? usualPatienceS) * 1000,
    timeoutMs: Math.min(settings.timeout, settings.lease) * 1000,
    signal: stop.signal,
    onEvent: emit,
  })
  try {
    return await workOn(database, prepared, ports)
  } finally {
    await database.close()
  }
}

async function workOn(
  database: Database,
  prepared: PreparedImport,
  { sinks = [], onStart = () => () => {}, later = [] }: RunPorts,
): Promise<ImportEnd> {
  const { stop } = prepared
  const { clock } = prepared.ports
  await using rejects = await openRejects(prepared)
  const equalRows = countEqualRows(prepared)
  const ledger = await joined(database, prepared, { later, equalRows })
  const all = [rejects ?? [], sinks].flat()
  const pace = new Pace(database.query, ledger.run.importId, clock)
  const store = { intentLog: ledger.intentLog, claimRecord: () => undefined } // it does that when it records the answer
  const sender = openSender(prepared, serviceOf(prepared), store, pace)
  const startedMs = clock.now().getTime()
  const onEnd = onStart()
  const lanes = new Lanes(prepared, { ledger, send: sender.send, sinks: all, equalRows })
  const isFinished = await lanes.run().finally(onEnd)
  sender.close()
  pace.close()
  const readers = prepared.sources.flatMap(({ close }) => (close ? [{ close }] : []))
  await closeAll([...all, ledger, ...readers], stop)
  const durationMs = clock.now().getTime() - startedMs
  const facts = await factsOf(ledger, prepared, isFinished)
  return endOf(prepared, { ...facts, durationMs, rejects: rejects?.written() })
}

const serviceOf = ({ options }: PreparedImport) => required(options.service, 'base-url')

/** People and metrics tell workers apart by it. */
const workerName = ({ ports: { host, pid } }: PreparedImport) => `${host}-${pid}`

/** Reads the sources once, and joins the run of those who have the same. Throws a UsageError where another run is under way. */
async function joined(
  database: Database,
  prepared: PreparedImport,
  { later, equalRows }: { readonly later: readonly string[]; readonly equalRows: EqualRows },
): Promise<Ledger> {
  const { options, settings, mapping, sources, ports, stop } = prepared
  const { clock, cwd = '.', version } = ports
  const id = ulid()
  const divided = await divide(sources.map((source, at) => equalRows.counting(source, at)))
  const run = {
    opening: openingOf(id, prepared, serviceOf(prepared)),
    sources: divided.sources.map((source, at) => {
      const name = sources[at]?.path ?? ''
      return { ...source, name, reading: readingOf(name, options.sourceSettings) }
    }),
    chunks: divided.chunks,
    isNewRun: settings.newRun,
    later,
    references: mapping.refs.length > 0 ? () => namesIn(prepared) : undefined,
  }
  return Ledger.join(database, run, {
    ...{ id, clock, version, describe: describeProblem, spoolFolder: cwd },
    name: required(settings.import, 'import'),
    worker: workerName(prepared),
    leaseS: settings.lease,
    attemptS: settings.timeout,
    concurrency: settings.concurrency,
    resendsDoubts: options.inDoubt === 'resend',
    useCreated: options.useCreated === true,
    lock: { holder: holderOf(id, ports), clock, timeoutMs: settings.lockTimeout * 1000 },
    onFailure: error => stop.request(stopReasonOf(error)),
  })
}

/** A run that has ended is judged by the rows of all workers, a worker that stopped by its own. */
async function factsOf(ledger: Ledger, prepared: PreparedImport, isFinished: boolean) {
  const { tally, stop, settings } = prepared
  const isAway = stop.reason?.code === 'log'
  const account = isAway ? undefined : await ledger.account().catch(() => undefined)
  return {
    runId: ledger.run.opening.run,
    judged: account && isFinished ? { ...tallied(account, tally), losses: tally.losses } : tally,
    lastRows: ledger.run.lastRows,
    inDoubt: account?.inDoubt ?? tally.newDoubts,
    ledger: {
      import: settings.import ?? '',
      worker: workerName(prepared),
      all: account && isFinished ? shown(account) : undefined,
    },
  }
}

/** `known` and `returned` count rows that are in a status too. */
const shown = ({ byStatus: { known: _, returned: __, ...byStatus } }: Account) =>
  Object.fromEntries(Object.entries(byStatus).filter(([, count]) => count > 0))

type Account = Awaited<ReturnType<Ledger['account']>>

function tallied(
  { rows, byStatus, unlogged }: Account,
  { ends, stopReason, limitReached }: PreparedImport['tally'],
): Omit<Judged, 'losses'> {
  const { left_out: leftOut = 0, returned = 0 } = unlogged
  return {
    ends: { ...ends, ...Object.fromEntries(Object.keys(ends).map(end => [end, byStatus[end] ?? 0])) },
    known: { invalid: unlogged.invalid ?? 0, failed: unlogged.failed ?? 0 }, // others have a line
    ...{ rows, leftOut, returned, stopReason, limitReached },
  }
}
