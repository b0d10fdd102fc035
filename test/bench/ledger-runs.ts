import type { LedgerServer } from './ledger-server.ts'
import type { BenchContext } from './part.ts'
import { type LedgerPlace, ledgerArgs, measuredRowlift } from './rowlift.ts'
import type { Behaviour } from './service.ts'

/** What was measured while workers shared an import. */
export interface SharedRun {
  /** In the middle of the run, when all of them were at work. */
  readonly callsPerSecond: number
  readonly commitsPerSecond: number
  /** The CPU time for each row, in milliseconds. */
  readonly cpu: { readonly workers: number; readonly database: number; readonly service: number }
  readonly peakBytes: number
  readonly durationMs: number
}

export interface SharedImport {
  readonly workers: number
  readonly rows: number
  readonly concurrency: number
  readonly behaviour: Behaviour
}

let imports = 0

/** Imports a source with several workers that start together; throws unless each row made one record. */
export async function sharedImport(
  { workers, rows, concurrency, behaviour }: SharedImport,
  ledger: LedgerServer,
  { workspace, service }: BenchContext,
): Promise<SharedRun> {
  imports += 1
  const source = await workspace.contacts(rows)
  const place: LedgerPlace = { ledger: ledger.url, name: `import-${imports}` }
  const args = ledgerArgs(source, place, service.url, concurrency)
  const before = await ledger.work()
  const serviceBeforeMs = await service.cpuMs()
  await service.begin(behaviour)
  const ended = await Promise.all(
    Array.from({ length: workers }, (_, at) => measuredRowlift(args, workspace.path(`usage-${at}.json`))),
  )
  const phases = await service.counts()
  const made = phases.reduce((sum, { accepted }) => sum + accepted, 0)
  if (made !== rows) throw new Error(`the service made ${made} records of ${rows} rows`)
  const after = await ledger.work()
  const durationMs = Math.max(...ended.map(each => each.durationMs))
  const { accepted, startMs, endMs } = phases[1] ?? phases[0] ?? { accepted: 0, startMs: 0, endMs: 1 }
  return {
    callsPerSecond: (accepted * 1000) / (endMs - startMs),
    commitsPerSecond: ((after.commits - before.commits) * 1000) / durationMs,
    cpu: {
      workers: ended.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / rows,
      database: ((after.cpuMs ?? Number.NaN) - (before.cpuMs ?? 0)) / rows,
      service: ((await service.cpuMs()) - serviceBeforeMs) / rows,
    },
    peakBytes: Math.max(...ended.map(({ peakBytes }) => peakBytes)),
    durationMs,
  }
}

/** The middle of a run, in which its speed is counted: workers have started, and none has run out of rows. */
export const middleOf = (seconds: number) => [{ lastsMs: seconds * 250 }, { lastsMs: seconds * 500 }, {}]
