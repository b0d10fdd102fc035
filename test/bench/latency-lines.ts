import { bodiesOf } from './bodies.ts'
import { compared } from './compared.ts'
import { median } from './figures.ts'
import type { PhaseCounts } from './gate.ts'
import type { Line } from './lines.ts'
import {
  acceptedPerSecond,
  byPhase,
  defaultConcurrency,
  inRounds,
  pacedImport,
  pacedLoop,
} from './paced-runs.ts'
import { type BenchContext, linesOf } from './part.ts'

/** An import, and the loop of got in turn with it: where that falls short, so does the machine. */
export const latencyLines = (latencyMs: number, context: BenchContext): Promise<readonly Line[]> =>
  linesOf(`${latencyMs} ms of latency`, context, async () => {
    const ideal = (defaultConcurrency * 1000) / latencyMs
    const rows = ideal * context.sizes.pace.seconds
    const bodies = await bodiesOf(rows, context.workspace)
    const runs = await inRounds(context.sizes.pace.rounds, context, async () => ({
      ours: await pacedImport(rows, { latencyMs }, context),
      theirs: await pacedLoop(bodies, { latencyMs }, context),
    }))
    const ours = speeds(runs.map(run => run.ours))
    const theirs = speeds(runs.map(run => run.theirs))
    return [
      {
        what: `${latencyMs} ms of latency`,
        rowlift: median(ours).toFixed(1),
        beside: `ideal ${ideal}`,
        ratios: ours.map(speed => speed / ideal),
        bar: { is: 'at least', ratio: 0.95 },
      },
      compared('the same', ours, { of: 'loop of got', perSecond: theirs }),
    ]
  })

const speeds = (runs: readonly (readonly PhaseCounts[])[]): number[] =>
  byPhase(runs, 1).flatMap(counts => counts.map(acceptedPerSecond))
