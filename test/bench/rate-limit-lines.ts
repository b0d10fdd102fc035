import { median, ratios } from './figures.ts'
import type { PhaseCounts } from './gate.ts'
import type { Bar, Line } from './lines.ts'
import {
  acceptedPerSecond,
  allowedPerSecond,
  byPhase,
  inRounds,
  pacedImport,
  refusedShare,
} from './paced-runs.ts'
import { type BenchContext, linesOf } from './part.ts'
import { grouped } from './table.ts'

const latencyMs = 20

/** A server that allows the same number of calls per second all the time. */
export const rateLimitLines = (context: BenchContext): Promise<readonly Line[]> =>
  linesOf('200 calls per second allowed', context, async () => {
    const rows = 200 * context.sizes.pace.seconds
    const behaviour = { latencyMs, phases: [{ perSecond: 200 }] }
    const runs = await inRounds(context.sizes.pace.rounds, context, () =>
      pacedImport(rows, behaviour, context),
    )
    const [counts = []] = byPhase(runs, 1)
    const reached = counts.map(acceptedPerSecond)
    return [
      {
        what: '200 calls/s allowed',
        rowlift: median(reached).toFixed(1),
        beside: 'ideal 200',
        ratios: reached.map(speed => speed / 200),
        bar: { is: 'at least', ratio: 0.9 },
      },
      refusedLine(counts, { is: 'below', ratio: 0.05 }),
      allowedLine('the same, the bucket being full at the start', counts, 200),
    ]
  })

/** A server that allows less after a while, and then again what it did at first. */
export const changingRateLines = (context: BenchContext): Promise<readonly Line[]> =>
  linesOf('200, then 50, then 200 calls per second allowed', context, async () => {
    const lastsS = context.sizes.pace.seconds / 2
    const rates = [200, 50, 200]
    const rows = rates.reduce((sum, rate) => sum + rate * lastsS, 0)
    const phases = rates.map((perSecond, at) => ({
      perSecond,
      ...(at < rates.length - 1 && { lastsMs: lastsS * 1000 }),
    }))
    const runs = await inRounds(context.sizes.pace.rounds, context, () =>
      pacedImport(rows, { latencyMs, phases }, context),
    )
    return byPhase(runs, rates.length).flatMap((counts, at) => {
      const rate = rates[at] ?? 0
      const what = at === 0 ? `${rate} calls/s allowed for ${lastsS} s` : `then ${rate} calls/s`
      return [allowedLine(what, counts, rate), refusedLine(counts)]
    })
  })

/** What is in the bucket when a phase begins is allowed as well. */
function allowedLine(what: string, counts: readonly PhaseCounts[], rate: number): Line {
  const reached = counts.map(acceptedPerSecond)
  const allowed = counts.map(each => allowedPerSecond(each, rate))
  return {
    what,
    rowlift: median(reached).toFixed(1),
    beside: `allowed ${median(allowed).toFixed(1)}`,
    ratios: ratios(reached, allowed),
  }
}

const refusedLine = (counts: readonly PhaseCounts[], bar?: Bar): Line => ({
  what: 'calls refused of those',
  rowlift: grouped(median(counts.map(({ refused }) => refused))),
  beside: `of ${grouped(median(counts.map(({ accepted, refused }) => accepted + refused)))}`,
  ratios: counts.map(refusedShare),
  ...(bar && { bar }),
})
