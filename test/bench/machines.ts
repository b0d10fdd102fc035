import { rmSync } from 'node:fs'
import { compared } from './compared.ts'
import { median, ratios } from './figures.ts'
import { middleOf, type SharedRun, sharedImport } from './ledger-runs.ts'
import { type LedgerServer, startLedgerServer } from './ledger-server.ts'
import type { Line } from './lines.ts'
import { acceptedPerSecond, defaultConcurrency, inRounds } from './paced-runs.ts'
import { type BenchContext, linesOf, type Part, tableOf } from './part.ts'
import { importArgs, rowlift } from './rowlift.ts'
import { grouped } from './table.ts'

const latencyMs = 20
/** So long that the cores are not what several workers wait for. */
const longLatencyMs = 100

export const machines: Part = {
  title: 'Several workers on one ledger',
  reading:
    'All on this machine: workers, PostgreSQL (its data on the disk) and a server that answers after 100 ms, so that the ' +
    'cores last for all workers; beside files after 20 ms, and at once in the last imports. Calls per second are those of ' +
    'the middle half of a run, by the clock of the server. Linear is so many times the speed of one worker in the same ' +
    'round.',
  async measure(context) {
    const ledger = await startLedgerServer()
    try {
      return tableOf([
        ...(await linesOf('more and more workers', context, () => scaling(ledger, context))),
        ...(await linesOf('a worker and the file journal', context, () => besideFiles(ledger, context))),
        ...(await linesOf('a service that answers at once', context, () => atOnce(ledger, context))),
        ...(await linesOf('a large import', context, () => largeImport(ledger, context))),
      ])
    } finally {
      await ledger.end()
    }
  },
}

async function scaling(ledger: LedgerServer, context: BenchContext): Promise<Line[]> {
  const { machines: sizes } = context.sizes
  const { workers, concurrency, seconds } = sizes
  const ideal = (concurrency * 1000) / longLatencyMs
  const rounds = await inRounds(sizes.rounds, context, async () => {
    const runs: SharedRun[] = []
    for (const each of workers) {
      const behaviour = { latencyMs: longLatencyMs, phases: middleOf(seconds) }
      const asked = { workers: each, rows: ideal * each * seconds, concurrency, behaviour }
      runs.push(await sharedImport(asked, ledger, context))
    }
    return runs
  })
  const runsOf = (at: number) => rounds.flatMap(runs => runs[at] ?? [])
  const alone = runsOf(0).map(({ callsPerSecond }) => callsPerSecond)
  return workers.flatMap((count, at) => {
    const runs = runsOf(at)
    const what = `${count} ${count === 1 ? 'worker' : 'workers'}, ${concurrency} in flight each`
    const linear = { of: 'linear', perSecond: alone.map(speed => speed * count) }
    const speeds = runs.map(({ callsPerSecond }) => callsPerSecond)
    const line: Line =
      at === 0
        ? {
            what,
            rowlift: grouped(median(speeds)),
            beside: `ideal ${ideal}`,
            ratios: ratios(
              speeds,
              speeds.map(() => ideal),
            ),
          }
        : compared(what, speeds, linear, { is: 'at least', ratio: 0.9 })
    return [line, cpuLine(runs)]
  })
}

/** How much of the cores a run took: where they are used up, more workers are not faster. */
function cpuLine(runs: readonly SharedRun[]): Line {
  const cores = (of: keyof SharedRun['cpu']) =>
    median(runs.map(({ cpu, callsPerSecond }) => (cpu[of] * callsPerSecond) / 1000)).toFixed(2)
  return {
    what: 'cores used',
    rowlift: `workers ${cores('workers')}`,
    beside: `PostgreSQL ${cores('database')}, server ${cores('service')}`,
  }
}

async function besideFiles(ledger: LedgerServer, context: BenchContext): Promise<Line[]> {
  const { workspace, service, sizes } = context
  const { seconds } = sizes.machines
  const behaviour = { latencyMs, phases: middleOf(seconds) }
  const asked = {
    workers: 1,
    rows: (defaultConcurrency * 1000 * seconds) / latencyMs,
    concurrency: defaultConcurrency,
    behaviour,
  }
  const log = workspace.path('machines.results.ndjson')
  const fileJournal = async () => {
    rmSync(log, { force: true })
    await service.begin(behaviour)
    await rowlift(importArgs(await workspace.contacts(asked.rows), log, service.url))
    const [, middle] = await service.counts()
    return middle === undefined ? Number.NaN : acceptedPerSecond(middle)
  }
  const rounds = await inRounds(sizes.machines.rounds, context, async () => ({
    theirs: await fileJournal(),
    ours: await sharedImport(asked, ledger, context),
  }))
  const runs = rounds.map(({ ours }) => ours)
  const speeds = runs.map(({ callsPerSecond }) => callsPerSecond)
  const files = { of: 'with a result log', perSecond: rounds.map(({ theirs }) => theirs) }
  const us = (of: keyof SharedRun['cpu']) => `${grouped(median(runs.map(({ cpu }) => cpu[of] * 1000)))} µs`
  return [
    compared(`1 worker, ${defaultConcurrency} in flight`, speeds, files, { is: 'at least', ratio: 0.8 }),
    {
      what: 'CPU for each row',
      rowlift: us('workers'),
      beside: `PostgreSQL ${us('database')}`,
      ratios: runs.map(({ cpu }) => cpu.database / (cpu.database + cpu.workers)),
    },
    {
      what: 'commits per second',
      rowlift: grouped(median(runs.map(({ commitsPerSecond }) => commitsPerSecond))),
      beside: 'calls per second',
      ratios: runs.map(({ commitsPerSecond, callsPerSecond }) => commitsPerSecond / callsPerSecond),
    },
  ]
}

const wantedPerSecond = 1_500
const allowedUs = 700
const allowedCommits = 0.1

/** What a worker makes if the service is never what it waits for. */
async function atOnce(ledger: LedgerServer, context: BenchContext): Promise<Line[]> {
  const { machines: sizes, cpu } = context.sizes
  const asked = { workers: 1, rows: cpu.rows, concurrency: cpu.concurrency, behaviour: {} }
  const runs = await inRounds(sizes.rounds, context, () => sharedImport(asked, ledger, context))
  const speeds = runs.map(({ callsPerSecond }) => callsPerSecond)
  const us = (of: keyof SharedRun['cpu']) => runs.map(({ cpu }) => cpu[of] * 1000)
  const commits = runs.map(
    ({ commitsPerSecond, durationMs }) => (commitsPerSecond * durationMs) / 1000 / cpu.rows,
  )
  return [
    compared(`1 worker, ${cpu.concurrency} in flight, answered at once`, speeds, wanted(runs), {
      ...{ is: 'at least', ratio: 1 },
    }),
    {
      what: 'CPU for each row, of both',
      rowlift: `${grouped(median(us('workers')))} µs`,
      beside: `PostgreSQL ${grouped(median(us('database')))} µs, allowed ${allowedUs} µs`,
      ratios: runs.map(({ cpu: { workers, database } }) => ((workers + database) * 1000) / allowedUs),
      bar: { is: 'at most', ratio: 1 },
    },
    {
      what: 'commits for each call',
      rowlift: median(commits).toFixed(3),
      beside: `allowed ${allowedCommits}`,
      ratios: commits.map(each => each / allowedCommits),
      bar: { is: 'at most', ratio: 1 },
    },
  ]
}

const wanted = (runs: readonly SharedRun[]) => ({ of: 'wanted', perSecond: runs.map(() => wantedPerSecond) })

const allowedBytes = 200_000_000

async function largeImport(ledger: LedgerServer, context: BenchContext): Promise<Line[]> {
  const { sizes } = context
  const { rows } = sizes.machines
  const bytesBefore = await ledger.bytes()
  const asked = { workers: 1, rows, concurrency: sizes.memory.concurrency, behaviour: {} }
  const { peakBytes, durationMs } = await sharedImport(asked, ledger, context)
  return [
    {
      what: `${grouped(rows)} rows, peak memory`,
      rowlift: `${grouped(peakBytes / 1_000_000)} MB, ${(durationMs / 1000).toFixed(1)} s`,
      beside: `allowed ${grouped(allowedBytes / 1_000_000)} MB`,
      ratios: [peakBytes / allowedBytes],
      bar: { is: 'at most', ratio: 1 },
    },
    {
      what: 'the same, in the database',
      rowlift: `${grouped(((await ledger.bytes()) - bytesBefore) / rows)} bytes a row`,
      beside: '–',
    },
  ]
}
