import { rmSync } from 'node:fs'
import type { Ended } from './children.ts'
import { median } from './figures.ts'
import type { Line } from './lines.ts'
import { type BenchContext, linesOf, type Part, tableOf } from './part.ts'
import { calledExactly, everyRowCreatedOnce } from './proof.ts'
import { importArgs, measuredRowlift, summaryOf } from './rowlift.ts'
import { grouped } from './table.ts'
import type { Usage } from './usage.ts'

export const peakMemory: Part = {
  title: 'Peak memory, and resuming from a log',
  reading:
    'The peak memory of an import, compared with 150 MB plus 100 bytes a row (a MB is 1,000,000 bytes), and how long ' +
    'it took. The mapping has a `key:` and `use_created`. Resumed means: the same command over the finished log. ' +
    'Every row is left alone, and no call is made.',
  measure: async context => {
    const { imports } = context.sizes.memory
    const lines: Line[] = []
    for (const size of imports) lines.push(...(await importsOf(size, size === imports.at(-1), context)))
    return tableOf(lines)
  },
}

interface Size {
  readonly rounds: number
  readonly rows: number
}

/** Imports so many rows in each round; over the last log of the largest size the command is run once more. */
const importsOf = (
  { rounds, rows }: Size,
  isLargest: boolean,
  context: BenchContext,
): Promise<readonly Line[]> =>
  linesOf(`import of ${grouped(rows)} rows`, context, async () => {
    const { workspace, service, sizes, say } = context
    const log = workspace.path('memory.results.ndjson')
    const args = importArgs(await workspace.contacts(rows), log, service.url, sizes.memory.concurrency)
    const run = () => measuredRowlift(args, workspace.path('usage.json'))
    const runs: (Ended & Usage)[] = []
    for (let round = 1; round <= rounds; round += 1) {
      say(`round ${round} of ${rounds}`)
      rmSync(log, { force: true })
      await service.begin()
      runs.push(await run())
      await everyRowCreatedOnce(log, rows, service)
    }
    const imported = memoryLine(`${grouped(rows)} rows`, rows, runs)
    return isLargest ? [imported, await resumed(rows, context, run)] : [imported]
  })

async function resumed(
  rows: number,
  { service, say }: BenchContext,
  run: () => Promise<Ended & Usage>,
): Promise<Line> {
  say('the same once more, over its log')
  await service.begin()
  const again = await run()
  await calledExactly(0, service)
  const { done } = summaryOf(again)
  if (done !== rows) throw new Error(`${done} of ${rows} rows were left alone`)
  return memoryLine(`resumed over a log of ${grouped(rows)} lines`, rows, [again])
}

const allowedBytes = (rows: number) => 150_000_000 + 100 * rows
const megabytes = (bytes: number) => `${grouped(bytes / 1_000_000)} MB`

function memoryLine(what: string, rows: number, runs: readonly (Ended & Usage)[]): Line {
  const peaks = runs.map(({ peakBytes }) => peakBytes)
  const seconds = median(runs.map(({ durationMs }) => durationMs)) / 1000
  return {
    what,
    rowlift: `${megabytes(median(peaks))}, ${seconds.toFixed(1)} s`,
    beside: `allowed ${megabytes(allowedBytes(rows))}`,
    ratios: peaks.map(peak => peak / allowedBytes(rows)),
    bar: { is: 'at most', ratio: 1 },
  }
}
