import { expect } from 'vitest'
import type { Outcome } from '../../../src/model/outcome.ts'
import {
  ada,
  after,
  bob,
  type Cases,
  call,
  changedAda,
  created,
  doubtful,
  each,
  failed,
  killed,
  note,
  rowOf,
  runs,
  type Step,
  send,
  stateOf,
  statuses,
  statusOf,
} from './rows.ts'

const many = Array.from({ length: 120 }, (_, at) => rowOf(at + 1, `k${at + 1}`))

/** Calls that are taken back, tried again and settled, and what a run finds that comes after a kill. */
const cutOff: Readonly<Record<string, readonly [Step, string | undefined]>> = {
  'a call was under way': [call(), 'in_doubt'],
  'a call was taken back': [run => call()(run).then(() => run.withdraw(ada)), undefined],
  'a call was taken back twice': [
    async run => {
      await call()(run)
      for (const _ of [1, 2]) run.withdraw(ada)
    },
    undefined,
  ],
  'a call was taken back and went out again': [
    async run => {
      await call()(run)
      run.withdraw(ada)
      await call()(run)
    },
    'in_doubt',
  ],
  'a call was taken back, went out and was taken back again': [
    async run => {
      for (const _ of [1, 2]) {
        await call()(run)
        run.withdraw(ada)
      }
    },
    undefined,
  ],
  'a second attempt was under way': [run => call()(run).then(() => call()(run)), 'in_doubt'],
  'its record was told': [run => send(run, created()), 'settled'],
  'it was refused': [run => send(run, failed()), 'refused'],
  'it came in doubt': [run => send(run, doubtful()), 'in_doubt'],
  'it was found invalid, and another row with its key was under way': [
    async run => {
      await note(run, { identity: ada, status: 'invalid', errors: [] })
      await call(rowOf(2, 'ada'))(run)
    },
    'in_doubt',
  ],
  'it was found invalid': [run => note(run, { identity: ada, status: 'invalid', errors: [] }), 'refused'],
  'another row was under way': [call(bob), undefined],
}

/** What was known of a row, a call of which is cut off then. */
const known: Readonly<Record<string, readonly [Step, string]>> = {
  'was refused': [run => send(run, failed()), 'in_doubt'],
  'is in doubt': [run => send(run, doubtful()), 'in_doubt'],
}

const texts: Readonly<Record<string, string>> = {
  'a zero byte': 'a\0b',
  'half a pair of surrogates': 'a\ud83c',
  'an emoji and line ends': '🎨\r\n\u2028',
  'a hundred thousand signs': '"\\'.repeat(50_000),
}

export const calls: Cases = {
  'call: a call may go out once its intent is kept': async open => {
    await call()(await (await open()).begin())
  },
  'call: a second attempt may go out': async open => {
    const run = await (await open()).begin()
    for (const _ of [1, 2, 3]) await call()(run)
  },
  'call: a hundred and twenty calls may go out at once': async open => {
    const run = await (await open()).begin()
    await run.past(...many)
    expect(new Set(await Promise.all(many.map(run.mayCall)))).toEqual(new Set([true]))
  },
  'call: a call may go out again after it was taken back': async open => {
    const run = await (await open()).begin()
    await call()(run)
    run.withdraw(ada)
    await call()(run)
  },
  'call: a row that was refused may be sent again by the next run': async open => {
    await call()(await after(await open(), run => send(run, failed())))
  },
  'call: a row in doubt may be sent again by the next run, if that is what is asked': async open => {
    await call()(await after(await open(), run => send(run, doubtful())))
  },
  'call: to take back a call that is none does no harm': async open => {
    const store = await open()
    await runs(store, async run => {
      await run.past(ada)
      run.withdraw(ada)
      await send(run, created())
      run.withdraw(ada)
    })
    expect(await statuses(store)).toEqual(['created'])
  },
  'call: a call that is taken back leaves no line': async open => {
    const store = await open()
    await runs(store, async run => {
      await call()(run)
      run.withdraw(ada)
    })
    expect(await store.lines()).toEqual([])
  },
  ...each(
    cutOff,
    name => `takeover: the state of a row whose run is killed after ${name}`,
    async (open, [step, state]) => {
      const store = await open()
      await killed(store, step)
      expect(await statusOf(await store.begin())).toBe(state)
    },
  ),
  ...each(
    known,
    name => `takeover: a row that ${name} is in doubt once a call of it was cut off`,
    async (open, [step, state]) => {
      const store = await open()
      await runs(store, step)
      await killed(store, call())
      expect(await statusOf(await store.begin())).toBe(state)
    },
  ),
  ...each(
    texts,
    name => `takeover: a doubt has the body that was sent: ${name}`,
    async (open, text) => {
      const store = await open()
      await killed(store, call(rowOf(1, text)))
      await store.begin()
      const doubt = (await store.lines()).find(({ row }) => row === 1)
      expect(doubt).toMatchObject({ status: 'in_doubt', key: text, body: { name: text } })
    },
  ),
  'takeover: a doubt says that its run was killed': async open => {
    const store = await open()
    await killed(store, call())
    await store.begin()
    const [doubt] = (await store.lines()).filter(({ key }) => key === 'ada')
    expect(doubt).toMatchObject({ source: 'a.csv', row: 1, line: 2, errors: [{ code: 'run_killed' }] })
  },
  'takeover: each of many calls that were under way is in doubt, once': async open => {
    const store = await open()
    const run = await store.begin()
    await run.past(...many)
    await Promise.all(many.map(run.mayCall))
    await run.vanish()
    await store.begin()
    const doubts = (await store.lines()).filter(({ status }) => status === 'in_doubt')
    expect(doubts.map(({ row }) => row).sort((one, other) => one - other)).toEqual(many.map(({ row }) => row))
  },
  'takeover: a second takeover says of no row again that it is in doubt': async open => {
    const store = await open()
    await killed(store, call())
    await (await store.begin()).vanish()
    await store.begin()
    expect(await statuses(store)).toEqual(['in_doubt'])
  },
  'takeover: rows with their outcome are in no doubt beside those without': async open => {
    const store = await open()
    await killed(store, async run => {
      await send(run, created(bob))
      await call()(run)
    })
    const run = await store.begin()
    expect([await statusOf(run, bob), await statusOf(run)]).toEqual(['settled', 'in_doubt'])
  },
  'takeover: the next run settles a doubt that it was left': async open => {
    const store = await open()
    await killed(store, call())
    await runs(store, run => send(run, created()))
    expect(await statuses(store)).toEqual(['in_doubt', 'created'])
  },
  'takeover: a run that wakes up lets no call out': async open => {
    const store = await open()
    const asleep = await store.begin()
    await asleep.vanish()
    await store.begin()
    expect(await asleep.mayCall(ada)).toBe(false)
  },
  'takeover: a run that wakes up lets no second attempt out': async open => {
    const store = await open()
    const asleep = await store.begin()
    await call()(asleep)
    await asleep.vanish()
    await store.begin()
    expect(await asleep.mayCall(ada)).toBe(false)
  },
  'takeover: a call of a run that wakes up does not take a row from the one at work': async open => {
    const store = await open()
    const asleep = await store.begin()
    await asleep.vanish()
    const run = await store.begin()
    await call()(run)
    expect(await asleep.mayCall(ada)).toBe(false)
    expect(await run.settle(created())).toMatchObject({ status: 'created' })
    expect(await statuses(store)).toEqual(['created'])
  },
  'takeover: a late record is told, or its row stays in doubt': async open => {
    const store = await open()
    const asleep = await store.begin()
    await call()(asleep)
    await asleep.vanish()
    await (await store.begin()).vanish()
    await asleep.settle(created())
    expect(['in_doubt', 'settled']).toContain(await statusOf(await store.begin()))
  },
  'takeover: a late refusal never makes a record unknown': async open => {
    const store = await open()
    const asleep = await store.begin()
    await call()(asleep)
    await asleep.vanish()
    const run = await store.begin()
    await send(run, created())
    await asleep.settle(failed())
    await run.end()
    expect(await statusOf(await store.begin())).toBe('settled')
  },
  'takeover: a late answer about a record that is known makes it no other': async open => {
    const store = await open()
    const asleep = await store.begin()
    await call()(asleep)
    await asleep.vanish()
    const run = await store.begin()
    await send(run, created(ada, 'first'))
    await asleep.settle(created(ada, 'first'))
    await run.end()
    expect(new Set((await store.lines()).map(line => line.record_id))).toEqual(new Set([undefined, 'first']))
    expect(await statusOf(await store.begin())).toBe('settled')
  },
  'takeover: what a run knew before it slept is not taken back by it': async open => {
    const store = await open()
    const asleep = await store.begin()
    await call()(asleep)
    await asleep.vanish()
    const run = await store.begin()
    asleep.withdraw(ada)
    await run.end()
    expect(await statusOf(await store.begin())).toBe('in_doubt')
  },
  'takeover: a row that reads differently now is in doubt by its key': async open => {
    const store = await open()
    await killed(store, call())
    expect(await stateOf(await store.begin(), changedAda)).toMatchObject({
      ...{ status: 'in_doubt', sameHash: false },
    })
  },
  'takeover: many outcomes and calls of one run are each where they belong': async open => {
    const store = await open()
    const run = await store.begin()
    await run.past(...many)
    await Promise.all(many.map(run.mayCall))
    const end = (at: number) =>
      [created, failed, doubtful][at % 4] as ((row: typeof ada) => Outcome) | undefined
    await Promise.all(many.flatMap((row, at) => end(at)?.(row) ?? []).map(run.settle))
    await run.vanish()
    const past = await (await store.begin()).past(...many)
    const expected = many.map((_, at) => ['settled', 'refused', 'in_doubt', 'in_doubt'][at % 4])
    expect(many.map(({ key, hash }) => past.get(key, hash)?.status)).toEqual(expected)
  },
}
