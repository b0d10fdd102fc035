import { alternate } from './alternate.ts'
import { bodiesOf } from './bodies.ts'
import { type CallContender, type Calls, curlOver, gotOver, importOf } from './call-contenders.ts'
import { compared } from './compared.ts'
import { median, perSecond, ratios } from './figures.ts'
import type { Bar, Line } from './lines.ts'
import { type BenchContext, linesOf, type Part, tableOf } from './part.ts'
import { grouped } from './table.ts'

export const callsPerSecond: Part = {
  title: 'Rows per second of an import, compared with bare call loops',
  reading:
    'Against a server without latency. The import reads, maps and writes its journal, synced to disk. The others only ' +
    'make the same calls with prepared bodies. Whole processes, from start to end, in turn. Answers have 800 bytes unless ' +
    'another size is named. The ratio of the CPU time, which both processes take without the server, is that of the ' +
    'loop to the import: where all share few cores, it is the steadier figure. The ceiling is the same import whose syncs ' +
    'take no time, which keeps no promise.',
  measure: async context => {
    const lines = [...(await linesOf('an import and bare loops', context, () => besideLoops(context)))]
    for (const { what, calls, rounds } of await otherCalls(context))
      lines.push(...(await linesOf(what, context, () => besideGot(what, calls, rounds, context))))
    return tableOf(lines)
  },
}

async function besideLoops(context: BenchContext): Promise<Line[]> {
  const { rounds, rows, concurrency } = context.sizes.calls
  const bodies = await bodiesOf(rows, context.workspace)
  const calls: Calls = { bodies, concurrency, url: context.service.url, answers: 'full' }
  const [rowlift, got] = [importOf(calls, context), gotOver(calls, context)]
  const curl = await curlOver(calls, context)
  const contenders = [rowlift, got, ...(curl ? [curl] : [])]
  const [ours = [], gots = [], curls] = await alternate(rounds, contenders, sayRound(rounds, context))
  const speeds = perSecond(rows, ours)
  return [
    compared(
      `${grouped(rows)} rows, ${concurrency} in flight`,
      speeds,
      loopOfGot(rows, gots),
      bars.get(concurrency),
    ),
    cpuLine(rows, rowlift, got),
    compared(
      'without the start of the processes',
      perSecond(rows, rowlift.withoutStartMs),
      loopOfGot(rows, got.withoutStartMs),
    ),
    curls === undefined
      ? { what: 'compared with curl', rowlift: grouped(median(speeds)), beside: 'curl is not here' }
      : compared('compared with curl', speeds, { of: 'curl --parallel', perSecond: perSecond(rows, curls) }),
  ]
}

const answerSizes = { short: '300 bytes', long: '5 kB' } as const

interface NamedCalls {
  readonly what: string
  readonly calls: Calls
  readonly rounds: number
}

/** Over both protocols, with small and large answers, with few and many in flight. */
async function otherCalls({ sizes, workspace, service }: BenchContext): Promise<NamedCalls[]> {
  const { rounds, rows, concurrencies } = sizes.otherCalls
  const bodies = await bodiesOf(rows, workspace)
  return [service.url, service.secureUrl].flatMap(url =>
    (['short', 'long'] as const).flatMap(answers =>
      concurrencies.map(concurrency => ({
        what: `${new URL(url).protocol.slice(0, -1)}, ${answerSizes[answers]}, ${concurrency} in flight`,
        calls: { bodies, concurrency, url, answers },
        rounds,
      })),
    ),
  )
}

async function besideGot(what: string, calls: Calls, rounds: number, context: BenchContext): Promise<Line[]> {
  const rows = calls.bodies.texts.length
  const [rowlift, got, ceiling] = [
    importOf(calls, context),
    gotOver(calls, context),
    importOf(calls, context, false),
  ]
  const contenders = [rowlift, got, ceiling]
  const [ours = [], gots = [], most = []] = await alternate(rounds, contenders, sayRound(rounds, context))
  const speeds = perSecond(rows, ours)
  const withoutSyncs = { of: 'without syncs', perSecond: perSecond(rows, most) }
  return [
    compared(what, speeds, loopOfGot(rows, gots), bars.get(calls.concurrency)),
    cpuLine(rows, rowlift, got),
    compared('the first compared with its ceiling', speeds, withoutSyncs, { is: 'at least', ratio: 0.9 }),
  ]
}

/** By the number of calls in flight. */
const bars: ReadonlyMap<number, Bar> = new Map(
  [[10, 0.97] as const, [50, 1.4] as const, [200, 1.15] as const].map(([inFlight, ratio]) => [
    inFlight,
    { is: 'at least', ratio },
  ]),
)

const loopOfGot = (rows: number, durationsMs: readonly number[]) => ({
  of: 'loop of got',
  perSecond: perSecond(rows, durationsMs),
})

function cpuLine(rows: number, ours: CallContender, theirs: CallContender): Line {
  const us = ({ cpuMs }: CallContender) => `${grouped((median(cpuMs) * 1000) / rows)} µs`
  return {
    what: 'CPU time for each row',
    rowlift: us(ours),
    beside: `loop of got ${us(theirs)}`,
    ratios: ratios(theirs.cpuMs, ours.cpuMs),
  }
}

const sayRound =
  (rounds: number, { say }: BenchContext) =>
  (round: number) =>
    say(`round ${round} of ${rounds}`)
