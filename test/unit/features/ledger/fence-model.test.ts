import { afterAll, describe, expect, it } from 'vitest'
import { explore } from '../../../support/fence/explore.ts'
import type { Mistake } from '../../../support/fence/mistakes.ts'
import { Fence } from '../../../support/fence/model.ts'
import type { Scene } from '../../../support/fence/statements.ts'

const row = { chunk: 0, key: 0 }
const ofSameKey = { chunk: 1, key: 0 }
const ofOtherKey = { chunk: 0, key: 1 }
const twoRuns: Scene = { rows: [row], claims: 2, runs: 2, mode: 'at-most-once', person: true }
const twoChunks: Scene = { ...twoRuns, rows: [row, ofSameKey], claims: 3, runs: 1 }
const resent: Scene = { ...twoRuns, claims: 3, runs: 1, mode: 'at-least-once' }
const isWhole = process.env.ROWLIFT_FENCE === 'whole'
const notes: string[] = []

function holds(what: string, scene: Scene, mistake?: Mistake): void {
  const { states, counterexample } = explore(new Fence(scene, mistake))
  notes.push(`${states} states, none wrong: ${what}`)
  expect(counterexample).toBeUndefined()
}

describe('two workers in every order of their steps', () => {
  it.each<[string, Scene]>([['a row in two runs', twoRuns]])(
    'two workers make one record of %s, and lose none',
    holds,
  )

  it.runIf(isWhole).each<[string, Scene]>([
    ['a key that stands in two chunks', twoChunks],
    ['a row whose doubts are sent again', resent],
    ['two rows of a chunk', { ...twoChunks, rows: [row, ofOtherKey], claims: 4 }],
    ['two chunks that share one of two keys', { ...twoChunks, rows: [row, ofOtherKey, ofSameKey] }],
    ['a key in two chunks whose doubts are sent again', { ...twoChunks, mode: 'at-least-once' }],
    ['a row while the clock of the database jumps', { ...twoRuns, person: false, jumps: true }],
  ])('two workers make one record of %s, and lose none', { timeout: 600_000 }, holds)

  it('two workers need no clock if nobody says that a row was not created', () => {
    const mistake = 'a worker does not look at its clock before a call'
    holds('no clock, no person', { ...twoRuns, person: false }, mistake)
  })

  it('two workers read a row again when its line is another', () => {
    holds('no line asked for', twoRuns, 'intents do not ask for the line that was seen')
  })
})

const unknown = 'nothing tells of a record'
const noOutcome = 'a row has no outcome'

describe('mutations of the model', () => {
  it.each<[Mistake, Scene, string, number]>([
    ['a worker does not look at its clock before a call', twoRuns, unknown, 10],
    ['the clock of a worker stands still while it sleeps', twoRuns, unknown, 10],
    ['a worker keeps no margin', twoRuns, unknown, 10],
    ['a lease is counted from its answer', twoRuns, unknown, 9],
    ['nothing asks for the epoch', twoRuns, unknown, 11],
    ['intents are inserted under any epoch', resent, noOutcome, 10],
    ['leases are renewed under any epoch', twoRuns, unknown, 11],
    ['chunks are ended under any epoch', resent, noOutcome, 10],
    ['an intent takes the place of another', twoChunks, 'a record is not final', 9],
    ['a takeover frees the intents', twoRuns, unknown, 8],
    ['a takeover frees the intents, and puts them in doubt later', twoRuns, unknown, 8],
    ['a takeover puts the intents in doubt later', resent, noOutcome, 12],
    ['a takeover puts the intents in doubt before', resent, unknown, 11],
    ['a refused call starts again as it is', twoRuns, unknown, 12],
    [
      'an outcome of an old epoch is refused',
      twoRuns,
      'a record that a worker told of is not in the ledger',
      9,
    ],
    ['a refusal ends the doubt of another call', resent, unknown, 13],
    ['a refusal ends an earlier doubt', resent, unknown, 11],
    ['an intent that is withdrawn takes a doubt with it', resent, unknown, 9],
    ['an intent ends the time for which a doubt is held', resent, unknown, 12],
    ['a chunk ends before its spool is uploaded', twoRuns, 'a row has no account', 6],
    ['a doubt is resolved at once', twoRuns, unknown, 7],
    ['the doubt of a lost answer is not held', twoRuns, unknown, 7],
  ])('the model finds out when: %s', (mistake, scene, wrong, steps) => {
    const { counterexample } = explore(new Fence(scene, mistake))
    expect({ wrong: counterexample?.wrong, steps: counterexample?.steps.length }).toEqual({ wrong, steps })
    notes.push(`${steps} steps until ${wrong}: ${mistake}`)
  })

  afterAll(() => {
    // biome-ignore lint/suspicious/noConsole: what an exploration covers is its result
    console.log(notes.join('\n'))
  })
})
