import { rmSync } from 'node:fs'
import { alternate, type Contender } from './alternate.ts'
import { runToSuccess } from './children.ts'
import { ratios, spreadOf } from './figures.ts'
import type { Line } from './lines.ts'
import { attempted, type BenchContext, type Part, tableOf, wentWrong } from './part.ts'
import { everyRowCreatedOnce } from './proof.ts'
import { dryRunArgs, environment, importArgs, rowlift } from './rowlift.ts'

/** What the command is asked to do, and the most that it may take, in starts of Node itself. */
interface Case {
  readonly what: string
  readonly atMost: number
  readonly run: () => Promise<number>
}

const rows = 2

export const startTime: Part = {
  title: 'Start-up time',
  reading:
    'How long whole processes take that have almost nothing to do, compared with `node -e 0`, in turn. The mapping ' +
    'reads e-mail addresses, phone numbers and links; the server answers at once.',
  measure: async context => {
    const cases = await casesOf(context)
    const none: readonly Line[] = cases.map(({ what }) => ({ what, rowlift: wentWrong, beside: '–' }))
    return tableOf(await attempted('start', context, () => linesFor(cases, context), none))
  },
}

async function casesOf({ workspace, service }: BenchContext): Promise<readonly Case[]> {
  const source = await workspace.contacts(rows)
  const log = workspace.path('start.results.ndjson')
  const timed = async (args: readonly string[]) => (await rowlift(args)).durationMs
  return [
    { what: '`--version`', atMost: 2, run: () => timed(['--version']) },
    { what: '`--help`', atMost: 2, run: () => timed(['--help']) },
    { what: '`import --help`', atMost: 2, run: () => timed(['import', '--help']) },
    { what: 'dry run of two rows', atMost: 4, run: () => timed(dryRunArgs(source)) },
    {
      what: 'import of two rows',
      atMost: 6,
      async run() {
        rmSync(log, { force: true })
        await service.begin()
        const durationMs = await timed(importArgs(source, log, service.url))
        await everyRowCreatedOnce(log, rows, service)
        return durationMs
      },
    },
  ]
}

async function linesFor(cases: readonly Case[], { sizes, say }: BenchContext): Promise<readonly Line[]> {
  const { rounds } = sizes.start
  const bareNode = async () =>
    (await runToSuccess(process.execPath, ['-e', '0'], { env: environment })).durationMs
  const contenders: readonly Contender[] = [
    { name: 'node -e 0', once: bareNode },
    ...cases.map(({ what, run }) => ({ name: what, once: run })),
  ]
  const [bare = [], ...ours] = await alternate(rounds, contenders, round =>
    say(`round ${round} of ${rounds}`),
  )
  return cases.map(({ what, atMost }, at) => ({
    what,
    rowlift: `${spreadOf(ours[at] ?? []).median.toFixed(0)} ms`,
    beside: `node -e 0: ${spreadOf(bare).median.toFixed(0)} ms`,
    ratios: ratios(ours[at] ?? [], bare),
    bar: { is: 'at most', ratio: atMost },
  }))
}
