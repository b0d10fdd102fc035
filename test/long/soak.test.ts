import { expect, it } from 'vitest'
import { soak } from '../support/soak.ts'
import { growthIn, tableOf } from '../support/soak-table.ts'

// `npm run test:long -- --hours N` runs nights on one ledger for so long.

const hours = Number(process.env.ROWLIFT_SOAK_HOURS || 0)
const report = 'build/soak.ndjson'

// biome-ignore lint/suspicious/noConsole: the table is what it is run for
const say = console.log

it.runIf(hours > 0)(
  'a ledger of many nights with kills makes each row once, and nothing grows without bound',
  async () => {
    const { nights, wrong } = await soak(hours, report, say)
    say(`\n${nights.length} nights, ${nights.reduce((sum, { kills }) => sum + kills, 0)} kills\n`)
    say(tableOf(nights))
    expect(wrong).toEqual([])
    expect(growthIn(nights)).toEqual([])
  },
  hours * 3_600_000 + 900_000,
)
