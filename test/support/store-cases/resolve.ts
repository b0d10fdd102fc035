import { expect } from 'vitest'
import type { TestStore } from '../stores.ts'
import {
  ada,
  after,
  bob,
  type Cases,
  call,
  created,
  doubtful,
  each,
  failed,
  invalid,
  killed,
  note,
  rowOf,
  runs,
  type Step,
  send,
  statuses,
  statusOf,
} from './rows.ts'

const inDoubt: Step = run => send(run, doubtful())
/** Ids of records, which are UUIDs. */
const [one, two, taken] = [1, 2, 3].map(number => `ab000000-0000-4000-8000-00000000000${number}`) as [
  string,
  string,
  string,
]
const made = ['--key', 'ada', '--record-id', one]
const notMade = ['--key', 'ada', '--not-created']

/** An import with a row in doubt that a person settled. */
async function settled(open: () => Promise<TestStore>, ...words: readonly (readonly string[])[]) {
  const store = await open()
  await runs(store, inDoubt)
  for (const each of words) expect(await store.resolve(...each)).toMatchObject({ exitCode: 0 })
  return store
}

/** Words that are refused with 2, and what is said. */
const refused: Readonly<Record<string, readonly [Step, readonly string[], string]>> = {
  'a row that the import never had': [inDoubt, ['--key', 'eve', '--not-created'], 'no such row'],
  'a row whose record the service told': [run => send(run, created()), notMade, 'the service told it'],
  'a row that was refused': [run => send(run, failed()), notMade, 'in doubt'],
  'a row that is invalid': [run => note(run, invalid()), notMade, 'in doubt'],
  'the record of another row': [
    async run => {
      await inDoubt(run)
      await send(run, created(bob, taken))
    },
    ['--key', 'ada', '--record-id', taken.toUpperCase()],
    'is that of a.csv row 2',
  ],
  'one row and all of them': [inDoubt, [...notMade, '--all'], 'say which rows'],
}

export const resolve: Cases = {
  'resolve: nothing is in doubt in an import that has no doubts': async open => {
    const store = await open()
    await runs(store, run => send(run, created()))
    const { exitCode, stdout } = await store.resolve()
    expect([exitCode, stdout]).toEqual([0, ''])
  },
  'resolve: the doubts of a run that was killed are listed once the next has them': async open => {
    const store = await open()
    await killed(store, call())
    await runs(store, async () => {})
    expect((await store.resolve('--key', 'ada')).stdout).toContain('"key":"ada"')
  },
  ...each<readonly [readonly string[], string]>(
    { 'its record': [made, 'settled'], none: [notMade, 'refused'] },
    name => `resolve: a row in doubt gets ${name}`,
    async (open, [words, status]) => {
      const store = await settled(open, words)
      expect(await statusOf(await store.begin())).toBe(status)
    },
  ),
  'resolve: the line says that a person wrote it': async open => {
    const store = await settled(open, made)
    expect((await store.lines()).at(-1)).toMatchObject({
      ...{ row: 1, key: 'ada', status: 'created', record_id: one, by_hand: true },
    })
  },
  'resolve: a row that was not created is sent again': async open => {
    const store = await settled(open, notMade)
    await runs(store, run => send(run, created()))
    expect(await statuses(store)).toEqual(['in_doubt', 'failed', 'created'])
  },
  'resolve: all rows in doubt were not created': async open => {
    const store = await open()
    const rows = [1, 2, 3].map(row => rowOf(row, `k${row}`))
    await runs(store, async run => {
      for (const identity of rows) await send(run, doubtful(identity))
    })
    expect((await store.resolve('--all', '--not-created')).stderr).toContain('3 rows settled')
    const run = await store.begin()
    for (const identity of rows) expect(await statusOf(run, identity)).toBe('refused')
  },
  'resolve: to settle one row leaves the others in doubt': async open => {
    const store = await open()
    await runs(store, async run => {
      for (const identity of [ada, bob]) await send(run, doubtful(identity))
    })
    expect((await store.resolve(...made)).stderr).toContain('1 row settled; 1 row is in doubt still')
    const run = await store.begin()
    expect([await statusOf(run), await statusOf(run, bob)]).toEqual(['settled', 'in_doubt'])
  },
  ...each(
    refused,
    name => `resolve: ${name} is refused, and nothing is changed`,
    async (open, [step, words, said]) => {
      const store = await open()
      await runs(store, step)
      const before = await store.lines()
      const { exitCode, stderr } = await store.resolve(...words)
      expect(stderr).toContain(said)
      expect(exitCode).toBe(2)
      expect(await store.lines()).toEqual(before)
    },
  ),
  'resolve: what a person said is not said again without --replace': async open => {
    const store = await settled(open, made)
    const { exitCode, stderr } = await store.resolve(...notMade)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('add --replace')])
  },
  ...each<readonly [readonly string[], readonly string[], string]>(
    {
      'another record': [made, ['--key', 'ada', '--record-id', two], 'settled'],
      'no record': [made, notMade, 'refused'],
      'a record after none': [notMade, made, 'settled'],
    },
    name => `resolve: a person takes back what was said, for ${name}`,
    async (open, [before, words, status]) => {
      const store = await settled(open, before, [...words, '--replace'])
      expect(await statusOf(await store.begin())).toBe(status)
    },
  ),
  'resolve: a record that was taken back may be that of another row': async open => {
    const store = await open()
    await runs(store, async run => {
      for (const identity of [ada, bob]) await send(run, doubtful(identity))
    })
    for (const words of [
      made,
      ['--key', 'ada', '--record-id', two, '--replace'],
      ['--key', 'bob', '--record-id', one],
    ])
      expect(await store.resolve(...words)).toMatchObject({ exitCode: 0 })
  },
  'resolve: a row that a person settled stays so, whatever comes after': async open => {
    const store = await settled(open, made)
    await runs(store, run => note(run, invalid()))
    expect(await statusOf(await store.begin())).toBe('settled')
  },
  'resolve: a row comes in doubt again after a person said that it has no record': async open => {
    const store = await settled(open, notMade)
    await runs(store, inDoubt)
    expect(await statusOf(await after(store))).toBe('in_doubt')
    expect(await statuses(store)).toEqual(['in_doubt', 'failed', 'in_doubt'])
  },
  'resolve: a row with a key of any signs is settled by it': async open => {
    const store = await open()
    const odd = rowOf(1, '-- "é\\ 🎨\t')
    await runs(store, run => send(run, doubtful(odd)))
    expect(await store.resolve(`--key=${odd.key}`, '--record-id', one)).toMatchObject({ exitCode: 0 })
    expect(await statusOf(await store.begin(), odd)).toBe('settled')
  },
}
