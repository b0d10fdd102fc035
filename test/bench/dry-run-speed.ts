import { fileURLToPath } from 'node:url'
import { alternate, type Contender } from './alternate.ts'
import { runToSuccess } from './children.ts'
import { compared } from './compared.ts'
import type { PhoneStyle } from './contacts.ts'
import { perSecond } from './figures.ts'
import type { Bar, Line } from './lines.ts'
import { type BenchContext, linesOf, type Part, tableOf } from './part.ts'
import { dryRunArgs, rowlift, summaryOf } from './rowlift.ts'
import { grouped } from './table.ts'

const csvParseAlone = fileURLToPath(new URL('./csv-parse-alone.js', import.meta.url))

export const dryRunSpeed: Part = {
  title: 'Rows per second of a dry run, compared with csv-parse alone',
  reading:
    'The dry run reads, maps, checks and identifies each row; csv-parse (`for await`, `columns: true`) only reads the same file. ' +
    'Whole processes, in turn; the second line of a size looks for near duplicates too, as a dry run does by default. Phone numbers have a country code, or none.',
  measure: async context => {
    const { rows } = context.sizes.dryRun
    return tableOf([
      ...(await linesFor(rows, 'international', context, 0.7)),
      ...(await linesFor(rows, 'national', context, 0.7)),
    ])
  },
}

function linesFor(
  rows: number,
  style: PhoneStyle,
  context: BenchContext,
  atLeast: number,
): Promise<readonly Line[]> {
  const what = `${grouped(rows)} rows, ${style} phone numbers`
  return linesOf(what, context, async () => {
    const { rounds } = context.sizes.dryRun
    const source = await context.workspace.contacts(rows, style)
    const contenders = [
      dryRunOf(source, rows, '--near-duplicates', 'off'),
      csvParseOver(source, rows),
      dryRunOf(source, rows),
    ]
    const onRound = (round: number) => context.say(`round ${round} of ${rounds}`)
    const [ours = [], theirs = [], comparing = []] = await alternate(rounds, contenders, onRound)
    const csvParse = { of: 'csv-parse', perSecond: perSecond(rows, theirs) }
    const without = { of: 'without', perSecond: perSecond(rows, ours) }
    return [
      compared(what, perSecond(rows, ours), csvParse, { is: 'at least', ratio: atLeast }),
      compared(`${what}, with near duplicates`, perSecond(rows, comparing), without, mostForNear),
    ]
  })
}

/** 1.3 times as long. */
const mostForNear: Bar = { is: 'at least', ratio: 0.77 }

const dryRunOf = (source: string, rows: number, ...more: string[]): Contender => ({
  name: `rowlift ${more.join(' ')}`,
  once: async () => {
    const ended = await rowlift(dryRunArgs(source, ...more))
    checkRows(summaryOf(ended).valid, rows)
    return ended.durationMs
  },
})

const csvParseOver = (source: string, rows: number): Contender => ({
  name: 'csv-parse',
  once: async () => {
    const env = { PATH: process.env.PATH }
    const ended = await runToSuccess(process.execPath, [csvParseAlone, source], { env })
    checkRows(Number(ended.stdout), rows)
    return ended.durationMs
  },
})

function checkRows(read: number, rows: number): void {
  if (read !== rows) throw new Error(`${read} of ${rows} rows were read`)
}
