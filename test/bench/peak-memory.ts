import { rmSync } from 'node:fs'
import { median } from './figures.ts'
import { writeFinishedLog } from './finished-log.ts'
import type { Line } from './lines.ts'
import type { Measured } from './measured.ts'
import { type BenchContext, linesOf, type Part, tableOf } from './part.ts'
import { calledExactly, everyRowCreatedOnce } from './proof.ts'
import { importArgs, mapping, measuredRowlift, summaryOf } from './rowlift.ts'
import { grouped } from './table.ts'

export const peakMemory: Part = {
  title: 'Peak memory, and resuming from a log',
  reading:
    'The peak memory of an import, compared with 150 MB plus 100 bytes a row (a MB is 1,000,000 bytes), and how long ' +
    'it took. The mapping has a `key:` and `use_created`. Resumed means: the same command over the finished log. ' +
    'Every row is left alone, and no call is made. The last log is not imported, but written with the functions of an ' +
    'import. It is to take 500 MB, and 100 s on a machine on which 0.4.0 takes 30 s for 1,000,000 lines.',
  measure: async context => {
    const { imports } = context.sizes.memory
    const lines: Line[] = []
    for (const size of imports) lines.push(...(await importsOf(size, size === imports.at(-1), context)))
    return tableOf([...lines, ...(await largeResume(context))])
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
    const runs: Measured[] = []
    for (let round = 1; round <= rounds; round += 1) {
      say(`round ${round} of ${rounds}`)
      rmSync(log, { force: true })
      await service.begin()
      runs.push(await measuredRowlift(args, workspace.path('usage.json')))
      await everyRowCreatedOnce(log, rows, service)
    }
    const imported = memoryLine(`${grouped(rows)} rows`, allowedBytes(rows), runs)
    if (!isLargest) return [imported]
    say('the same once more, over its log')
    rmSync(`${log}.finished`, { force: true }) // it reads log and rows
    return [imported, await resumed(args, rows, allowedBytes(rows), context)]
  })

async function resumed(
  args: readonly string[],
  rows: number,
  allowed: number,
  { workspace, service }: BenchContext,
): Promise<Line> {
  await service.begin()
  const again = await measuredRowlift(args, workspace.path('usage.json'))
  await calledExactly(0, service)
  const { done } = summaryOf(again)
  if (done !== rows) throw new Error(`${done} of ${rows} rows were left alone`)
  return memoryLine(resumedOver(rows), allowed, [again])
}

const resumedOver = (lines: number) => `resumed over a log of ${grouped(lines)} lines`

/** Of a source and its log. */
const diskBytesPerLine = 800

/** The files are as large as those of an import, and removed afterwards. */
const largeResume = (context: BenchContext): Promise<readonly Line[]> => {
  const { workspace, service, sizes, say } = context
  const { resumedLines: lines } = sizes.memory
  return linesOf(resumedOver(lines), context, async () => {
    const needed = lines * diskBytesPerLine
    if ((await workspace.freeBytes()) < needed)
      return [{ what: resumedOver(lines), rowlift: 'left out', beside: `needs ${megabytes(needed)} of disk` }]
    const [source, log] = [await workspace.contacts(lines), workspace.path('large.results.ndjson')]
    await writeFinishedLog({ source, mapping, log, url: service.url })
    say('its log is written')
    const args = importArgs(source, log, service.url, sizes.memory.concurrency)
    const byRows = await resumed(args, lines, 500_000_000, context)
    say('the same once more, with what that run has noted')
    const byFile = { ...(await resumed(args, lines, 500_000_000, context)), what: 'and once more' }
    for (const file of [source, log, `${log}.finished`]) rmSync(file, { force: true })
    return [byRows, byFile]
  })
}

const allowedBytes = (rows: number) => 150_000_000 + 100 * rows
const megabytes = (bytes: number) => `${grouped(bytes / 1_000_000)} MB`

function memoryLine(what: string, allowed: number, runs: readonly Measured[]): Line {
  const peaks = runs.map(({ peakBytes }) => peakBytes)
  const seconds = median(runs.map(({ durationMs }) => durationMs)) / 1000
  return {
    what,
    rowlift: `${megabytes(median(peaks))}, ${seconds.toFixed(1)} s`,
    beside: `allowed ${megabytes(allowed)}`,
    ratios: peaks.map(peak => peak / allowed),
    bar: { is: 'at most', ratio: 1 },
  }
}
