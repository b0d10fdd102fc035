import { expect } from 'vitest'
import type { Outcome } from '../../../src/model/outcome.ts'
import { problem } from '../../../src/model/problem.ts'
import type { RowIdentity } from '../../../src/model/row.ts'
import {
  ada,
  after,
  bob,
  type Cases,
  changedAda,
  created,
  doubtful,
  duplicate,
  each,
  errors,
  existing,
  failed,
  fixedAda,
  hash,
  invalid,
  killed,
  merged,
  note,
  otherHash,
  rowOf,
  type Step,
  send,
  stateOf,
  statusOf,
} from './rows.ts'

const sent =
  (outcome: Outcome): Step =>
  run =>
    send(run, outcome)
const noted =
  (outcome: Outcome): Step =>
  run =>
    note(run, outcome)

/** The state of `ada` after runs that did this. */
const states: Readonly<Record<string, readonly [readonly Step[], string | undefined]>> = {
  'was created': [[sent(created())], 'settled'],
  'has a record that was there': [[sent(existing())], 'settled'],
  'has the record of another row': [[sent(merged())], 'settled'],
  failed: [[sent(failed())], 'refused'],
  'is invalid': [[noted(invalid())], 'refused'],
  'is in doubt': [[sent(doubtful())], 'in_doubt'],
  'was a duplicate of another row': [[noted(duplicate(ada, bob))], undefined],
  'was left alone': [[noted({ identity: ada, status: 'done', changed: false })], undefined],
  'was held': [[noted({ identity: ada, status: 'held' })], undefined],
  'failed, then was created': [[sent(failed()), sent(created())], 'settled'],
  'failed, then failed again': [[sent(failed()), sent(failed())], 'refused'],
  'failed, then came in doubt': [[sent(failed()), sent(doubtful())], 'in_doubt'],
  'was invalid, then was created': [[noted(invalid()), sent(created())], 'settled'],
  'was created, then was invalid': [[sent(created()), noted(invalid())], 'settled'],
  'was created, then was a duplicate': [[sent(created()), noted(duplicate(ada, bob))], 'settled'],
  'was in doubt, then was created': [[sent(doubtful()), sent(created())], 'settled'],
  'was in doubt, then has a record that was there': [[sent(doubtful()), sent(existing())], 'settled'],
  'was in doubt, then came in doubt again': [[sent(doubtful()), sent(doubtful())], 'in_doubt'],
  'was in doubt, then was invalid': [[sent(doubtful()), noted(invalid())], 'in_doubt'],
}

const keys: Readonly<Record<string, readonly [key: string, near: string]>> = {
  'an empty text': ['', ' '],
  'a blank': [' ', '  '],
  'an umlaut in one sign': ['é', 'e\u0301'],
  capitals: ['ADA', 'ada'],
  'a zero byte': ['a\0b', 'a\0c'],
  'quotes and backslashes': ['"\\"', '"\\\\"'],
  'half a pair of surrogates': ['\ud83c', '\ud83d'],
  'an emoji': ['🎨', '🎭'],
  'line ends': ['a\r\nb', 'a\nb'],
  'ten thousand signs': ['x'.repeat(10_000), `${'x'.repeat(9_999)}y`],
  'what looks like a digest': ['\\x00ff', '\\x00fe'],
  'a content hash': [`sha256:${hash}`, `sha256:${hash}#2`],
  'a list of names': ['__proto__', 'constructor'],
}

const identity = { ...ada, hash: otherHash }
const other: Readonly<Record<string, Outcome>> = {
  'another status': invalid(),
  'another answer': failed(ada, 400),
  'other contents': failed(identity),
  'another key': failed({ ...ada, key: 'eve' }),
  'no reason': { ...failed(), errors: [] } as Outcome,
  'two reasons': { ...failed(), errors: [...errors, ...errors] } as Outcome,
  'another field': { ...failed(), errors: [{ path: 'mail', ...problem('required') }] } as Outcome,
  'another reason': { ...failed(), errors: [{ path: 'name', ...problem('not_text') }] } as Outcome,
  'a status without reasons': { identity: ada, status: 'held' },
  'another row that has its key': duplicate(ada, bob),
  'a service that throttled': { ...failed(), fault: 'throttled' } as Outcome,
  'a service that was not reached': { ...failed(), fault: 'never_reached' } as Outcome,
}

export const lookUp: Cases = {
  ...each(
    states,
    name => `look up: the next run knows of a row that ${name}`,
    async (open, [steps, status]) => {
      expect(await statusOf(await after(await open(), ...steps))).toBe(status)
    },
  ),
  ...each(
    keys,
    name => `look up: a row is known by its key, not by one that is near: ${name}`,
    async (open, [key, near]) => {
      const run = await after(await open(), sent(created(rowOf(1, key))))
      expect(await statusOf(run, rowOf(1, key))).toBe('settled')
      expect(await statusOf(run, rowOf(1, near))).toBeUndefined()
    },
  ),
  'look up: a row reads as it read when its record was made': async open => {
    expect(await stateOf(await after(await open(), sent(created())))).toMatchObject({ sameHash: true })
  },
  'look up: a row reads differently than when its record was made': async open => {
    expect(await stateOf(await after(await open(), sent(created())), changedAda)).toMatchObject({
      ...{ status: 'settled', sameHash: false },
    })
  },
  'look up: a row with more columns reads as it read without them': async open => {
    const widened: RowIdentity = { ...changedAda, alike: ['1111111111111111', hash] }
    const run = await after(await open(), sent(created()))
    expect(await stateOf(run, widened)).toMatchObject({ sameHash: true })
  },
  'look up: a row that was refused and got its record reads as it did then': async open => {
    const run = await after(await open(), sent(failed(changedAda)), sent(created()))
    expect(await stateOf(run)).toMatchObject({ status: 'settled', sameHash: true })
    expect(await stateOf(run, changedAda)).toMatchObject({ sameHash: false })
  },
  'look up: a row is known wherever it stands': async open => {
    const run = await after(await open(), sent(created()))
    expect(await statusOf(run, rowOf(7, 'ada', { source: 'b.csv' }))).toBe('settled')
  },
  'look up: three hundred rows are known at once, each with its own state': async open => {
    const rows = Array.from({ length: 300 }, (_, at) => rowOf(at + 1, `k${at + 1}`))
    const run = await after(await open(), async run => {
      await run.past(...rows)
      const end = (row: RowIdentity) => [created(row), failed(row), doubtful(row)][row.row % 3] as Outcome
      await Promise.all(rows.map(run.mayCall))
      await Promise.all(rows.map(row => run.settle(end(row))))
    })
    const past = await run.past(...rows)
    const found = rows.map(({ key }) => past.get(key, hash)?.status)
    expect(found).toEqual(rows.map(({ row }) => ['settled', 'refused', 'in_doubt'][row % 3]))
  },
  'look up: a run knows what it did itself': async open => {
    const run = await (await open()).begin()
    await send(run, created())
    await run.end()
    expect(await statusOf(run, rowOf(5, 'eve'))).toBeUndefined()
  },
  'look up: a row is refused again for the same reason': async open => {
    const run = await after(await open(), sent(failed()))
    expect((await run.past(ada)).hasRefusal(failed())).toBe(true)
  },
  'look up: a row is invalid again for the same reason': async open => {
    const run = await after(await open(), noted(invalid()))
    expect((await run.past(ada)).hasRefusal(invalid())).toBe(true)
  },
  ...each(
    other,
    name => `look up: a row is not known to be refused with ${name}`,
    async (open, outcome) => {
      const run = await after(await open(), sent(failed()))
      expect((await run.past(outcome.identity)).hasRefusal(outcome)).toBe(false)
    },
  ),
  'look up: the last refusal of a row counts': async open => {
    const run = await after(await open(), noted(invalid()), sent(failed()))
    const past = await run.past(ada)
    expect([failed(), invalid()].map(outcome => past.hasRefusal(outcome))).toEqual([true, false])
  },
  'look up: a row that came in doubt is not known to be refused': async open => {
    const run = await after(await open(), sent(failed()), sent(doubtful()))
    expect((await run.past(ada)).hasRefusal(failed())).toBe(false)
  },
  'look up: a row is not known to be refused after a person said that it has no record': async open => {
    const store = await open()
    const run = await after(store, sent(failed()), sent(doubtful()))
    await run.end()
    await store.resolve('--key', 'ada', '--not-created')
    expect((await (await store.begin()).past(ada)).hasRefusal(failed())).toBe(false)
  },
  ...each<readonly [readonly Step[], string | undefined]>(
    {
      'has its record': [[sent(created(fixedAda))], 'settled'],
      'is in doubt': [[sent(doubtful(fixedAda))], 'in_doubt'],
      'was refused again': [[sent(failed(fixedAda))], undefined],
      'is invalid': [[noted(invalid(fixedAda))], undefined],
      'was in doubt and has its record': [[sent(doubtful(fixedAda)), sent(created(fixedAda))], 'settled'],
      'never came': [[], undefined],
    },
    name => `look up: a refused row whose repaired copy ${name}`,
    async (open, [steps, state]) => {
      const run = await after(await open(), sent(failed()), ...steps)
      expect((await run.past(ada)).replacementOf(ada)).toBe(state)
      expect((await run.past(bob)).replacementOf(bob)).toBeUndefined()
    },
  ),
  'look up: a repaired copy comes back after another copy got the record': async open => {
    const run = await after(await open(), sent(failed()), sent(created(fixedAda)))
    const again = { ...fixedAda, row: 9, key: 'ada@y.example', hash: '5555555555555555' }
    expect((await run.past(again)).replacementOf(again)).toBe('settled')
  },
  'look up: a repaired copy comes back although nothing of its row is known': async open => {
    const run = await after(await open(), sent(failed(bob)))
    expect((await run.past(fixedAda)).replacementOf(fixedAda)).toBeUndefined()
  },
  'look up: a repaired copy in doubt that was not created counts for nothing': async open => {
    const store = await open()
    const run = await after(store, sent(failed()), sent(doubtful(fixedAda)))
    await run.end()
    await store.resolve(`--key=${fixedAda.key}`, '--not-created')
    expect((await (await store.begin()).past(ada)).replacementOf(ada)).toBeUndefined()
  },
  'look up: a repaired copy whose call was cut off by a kill leaves both in doubt': async open => {
    const store = await open()
    await after(store, sent(failed())).then(run => run.end())
    await killed(store, async run => {
      await run.past(fixedAda)
      await run.mayCall(fixedAda)
    })
    const run = await store.begin()
    expect(await statusOf(run, fixedAda)).toBe('in_doubt')
  },
}
