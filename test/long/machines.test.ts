import { beforeAll, describe, expect, it } from 'vitest'
import { lateCalls } from '../support/machines/call-history.ts'
import { playRound, type Round, type RoundSettings } from '../support/machines/round.ts'
import type { Mode } from '../support/machines/source.ts'
import { wrongIn } from '../support/machines/truth.ts'
import { seed } from '../support/random.ts'

// Three workers share an import, and meet faults. `npm run test:machines` has 500 of them.

const faultCount = Number(process.env.ROWLIFT_MACHINES_FAULTS || 4)
const faultsOfRound = 25
const modes: readonly Mode[] = ['at-most-once', 'at-least-once', 'use_created']

const many = Array.from({ length: Math.ceil(faultCount / faultsOfRound) }, (_, at) => ({
  name: `round ${at + 1}`,
  mode: modes[at % modes.length] as Mode,
  faults: faultsOfRound,
  rows: 2_400,
}))
const few: RoundSettings[] = [
  { name: 'round', mode: 'at-most-once', faults: faultCount, rows: 85 * faultCount },
]
const isLong = faultCount > faultsOfRound
const settings = isLong ? many : few

/** Those of one worker at the moment in which it stood still: a busy machine does that, too, so that few faults prove nothing. */
const mostCallsInDoubt = isLong ? 4 : Number.POSITIVE_INFINITY

// biome-ignore lint/suspicious/noConsole: whoever repeats a round that failed needs its seed
const say = console.log
const rounds = new Map<string, Round | Error>()

/** Two at a time: much of theirs is spent waiting for leases that end. */
beforeAll(async () => {
  say(`seed ${seed}; ROWLIFT_MACHINES_SEED=${seed} repeats it`)
  const due = [...settings]
  const play = async () => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) {
      const round = await playRound(next).catch(error => error)
      rounds.set(next.name, round)
      say(`${next.name} (${next.mode}): ${round.met?.length} faults: ${round.met?.join('; ')}`)
    }
  }
  await Promise.all([play(), play()])
}, 300_000 * settings.length)

describe('three workers on one import', () => {
  it.each(settings)(
    'three workers on one import make no key twice and lose no row: $name ($mode)',
    ({ name }) => {
      const round = rounds.get(name)
      if (round === undefined || round instanceof Error) throw round
      expect(wrongIn(round)).toEqual([])
      const late = lateCalls(round.history)
      expect(late.length, late.join()).toBeLessThanOrEqual(mostCallsInDoubt)
    },
  )
})
