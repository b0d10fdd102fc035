import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/features/ledger/database.ts'
import { openDatabase } from '../../../../src/features/ledger/schema.ts'
import { systemClock } from '../../../../src/model/clock.ts'
import { ownClock } from '../../../support/fence/database-clock.ts'
import { type Replayed, replay, type Theatre } from '../../../support/fence/replay.ts'
import {
  type Play,
  patchOf,
  plays,
  type SqlMistake,
  sqlMistakes,
} from '../../../support/fence/sql-mistakes.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'

// Traces of the model with the ledger's own statements on a real database. `npm run test:fence` plays more of them, and looks for
// every mistake; ROWLIFT_FENCE_TRACES=N plays N of each kind.

const isWhole = process.env.ROWLIFT_FENCE === 'whole'
const traces = Number(process.env.ROWLIFT_FENCE_TRACES || (isWhole ? 60 : 1))
const mostTraces = 200
const moves = 60
const notes: string[] = []

let test: TestDatabase
let database: Database
let theatre: Theatre
beforeAll(async () => {
  test = await testDatabase()
  const clock = await ownClock(test)
  database = await openDatabase(test.url, { clock: systemClock, patienceMs: 1000, timeoutMs: 30_000 })
  theatre = { test, database, clock }
})
afterAll(async () => {
  await database.close()
  await test.close()
  if (!isWhole) return
  // biome-ignore lint/suspicious/noConsole: what was played is its result
  console.log(notes.join('\n'))
})

describe('statements of the fence', () => {
  it.each(Object.keys(plays) as Play[])(
    'statements do what the model does, in any order and however late: %s',
    { timeout: 600_000 },
    async play => {
      let statements = 0
      for (let seed = 1; seed <= traces; seed += 1) {
        const played = await replay(theatre, { ...plays[play], seed, moves })
        statements += played.statements
        expect(played.wrong, told(seed, played)).toBeUndefined()
      }
      notes.push(`${traces} traces, ${statements} statements, as in the model: ${play}`)
    },
  )

  it('a worker whose lease was lost knows the rows that were refused', async () => {
    const { wrong } = await replay(theatre, { ...plays['a clock that jumps'], seed: 4, moves })
    expect(wrong).toBeUndefined()
  })

  it('statements come in the same order for the same seed', async () => {
    const trace = { ...plays['a key in two chunks'], seed: 1, moves }
    expect(await replay(theatre, trace)).toEqual(await replay(theatre, trace))
  })
})

const told = (seed: number, { moves }: Replayed) => `seed ${seed}: ${moves.join('; ')}`

/** The trace in which it is found, and how many statements it takes there. */
async function find(mistake: SqlMistake, first: number, last: number) {
  const { patch, count } = patchOf(mistake)
  for (let seed = first; seed <= last; seed += 1) {
    const played = await replay(theatre, { ...plays[mistake.play], seed, moves }, patch)
    if (played.wrong !== undefined) return { ...played, seed, mistakes: count() }
  }
  return undefined
}

describe('mistakes in the statements of the fence', () => {
  const quick = Object.entries(sqlMistakes).filter(([, { seed }]) => seed !== undefined)

  it.runIf(!isWhole).each(quick)('the replay finds out when: %s', async (_, mistake) => {
    const seed = mistake.seed ?? 1
    expect(await find(mistake, seed, seed)).toBeDefined()
  })

  it.runIf(isWhole).each(Object.entries(sqlMistakes))(
    'the replay finds out when: %s',
    { timeout: 600_000 },
    async (name, mistake) => {
      const found = await find(mistake, 1, mostTraces)
      expect(found, 'no trace finds it').toBeDefined()
      notes.push(
        `trace ${found?.seed}, statement ${found?.statements}: ${name}: ${found?.wrong?.slice(0, 100)}`,
      )
    },
  )
})
