import { bodiesOf } from './bodies.ts'
import { compared } from './compared.ts'
import { median } from './figures.ts'
import type { PhaseCounts } from './gate.ts'
import type { Bar, Line } from './lines.ts'
import { syncTimeMs } from './machine.ts'
import {
  acceptedPerSecond,
  byPhase,
  defaultConcurrency,
  inRounds,
  pacedImport,
  pacedLoop,
} from './paced-runs.ts'
import { type BenchContext, linesOf } from './part.ts'

/** The bar of an import whose calls wait for the disk to sync: a lower one on a slow disk. */
export const paceBar = (syncMs: number, onSlowDisk: number): Bar => ({
  is: 'at least',
  ratio: syncMs <= 0.3 ? 0.95 : onSlowDisk,
})

/** An import, and the loop of got in turn with it: where that falls short, so does the machine. */
export const latencyLines = (
  latencyMs: number,
  onSlowDisk: number,
  context: BenchContext,
): Promise<readonly Line[]> =>
  linesOf(`${latencyMs} ms of latency`, context, async () => {
    const ideal = (defaultConcurrency * 1000) / latencyMs
    const rows = ideal * context.sizes.pace.seconds
    const bodies = await bodiesOf(rows, context.workspace)
    const runs = await inRounds(context.sizes.pace.rounds, context, async () => ({
      syncMs: await syncTimeMs(context.workspace.path('sync')),
      ours: await pacedImport(rows, { latencyMs }, context),
      theirs: await pacedLoop(bodies, { latencyMs }, context),
    }))
    const ours = speeds(runs.map(run => run.ours))
    const theirs = speeds(runs.map(run => run.theirs))
    const syncMs = median(runs.map(run => run.syncMs))
    return [
      {
        what: `${latencyMs} ms of latency`,
        rowlift: median(ours).toFixed(1),
        beside: `ideal ${ideal}; a sync takes ${syncMs.toFixed(2)} ms`,
        ratios: ours.map(speed => speed / ideal),
        bar: paceBar(syncMs, onSlowDisk),
      },
      compared('the same', ours, { of: 'loop of got', perSecond: theirs }),
    ]
  })

const speeds = (runs: readonly (readonly PhaseCounts[])[]): number[] =>
  byPhase(runs, 1).flatMap(counts => counts.map(acceptedPerSecond))
