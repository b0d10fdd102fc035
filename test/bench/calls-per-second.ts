import { alternate } from './alternate.ts'
import { callContenders } from './call-contenders.ts'
import { compared } from './compared.ts'
import { median, perSecond } from './figures.ts'
import type { Line } from './lines.ts'
import { type BenchContext, linesOf, type Part, tableOf } from './part.ts'
import { grouped } from './table.ts'

export const callsPerSecond: Part = {
  title: 'Rows per second of an import, compared with bare call loops',
  reading:
    'Against a server without latency. The import reads, maps and writes its journal, synced to disk. The others only ' +
    'make the same calls with prepared bodies. Whole processes, from start to end, in turn.',
  measure: async context =>
    tableOf(await linesOf('an import and bare loops', context, () => measure(context))),
}

async function measure(context: BenchContext): Promise<Line[]> {
  const { rounds, rows, concurrency } = context.sizes.calls
  const { rowlift, got, curl } = await callContenders(context)
  const [ours = [], gots = [], curls] = await alternate(
    rounds,
    [rowlift, got, ...(curl ? [curl] : [])],
    round => context.say(`round ${round} of ${rounds}`),
  )
  const speeds = perSecond(rows, ours)
  const what = `${grouped(rows)} rows, ${concurrency} in flight`
  return [
    compared(
      what,
      speeds,
      { of: 'loop of got', perSecond: perSecond(rows, gots) },
      { is: 'at least', ratio: 1.2 },
    ),
    curls === undefined
      ? { what: 'the same', rowlift: grouped(median(speeds)), beside: 'curl is not here' }
      : compared('the same', speeds, { of: 'curl --parallel', perSecond: perSecond(rows, curls) }),
    compared('without the start of the processes', perSecond(rows, rowlift.withoutStartMs), {
      of: 'loop of got',
      perSecond: perSecond(rows, got.withoutStartMs),
    }),
  ]
}
