import { expect } from 'vitest'
import type { Outcome, RowError } from '../../../src/model/outcome.ts'
import { problem } from '../../../src/model/problem.ts'
import { linesOf } from '../rowlift.ts'
import {
  ada,
  after,
  bob,
  type Cases,
  call,
  created,
  doubtful,
  duplicate,
  each,
  errors,
  existing,
  failed,
  invalid,
  killed,
  merged,
  note,
  rowOf,
  runs,
  send,
  statuses,
  statusOf,
} from './rows.ts'

const inLine = [{ path: 'name', code: 'required', message: expect.any(String) }]
const unread = { path: 'size', column: 'Size', value: 'XXL', code: 'not_number' } as const
const answer = { path: '', ...problem('http_error', { status: 422 }), body: '{"no":1}' } as RowError

/** Outcomes of a call, and what their lines have. */
const outcomes: Readonly<Record<string, readonly [Outcome, object]>> = {
  'a record': [
    created(),
    { status: 'created', record_id: 'id of ada', http_status: 200, attempts: 1, duration_ms: 5 },
  ],
  'a record that was there': [existing(), { status: 'existing', record_id: 'id of ada' }],
  'the record of another row': [
    merged(),
    { status: 'merged', record_id: 'id of bob', same_as: { source: 'a.csv', row: 2 } },
  ],
  'a refusal': [failed(), { status: 'failed', http_status: 422, errors: inLine }],
  'a refusal with the answer': [
    { ...failed(), errors: [answer] } as Outcome,
    { status: 'failed', errors: [{ code: 'http_error', body: '{"no":1}' }] },
  ],
  'a doubt': [doubtful(), { status: 'in_doubt', body: { name: 'ada' }, errors: inLine }],
  'attempts that were throttled': [
    { ...created(), attempts: 4, throttled: 2 } as Outcome,
    { status: 'created', attempts: 4, throttled: 2 },
  ],
  'attempts without a clear answer': [
    { ...created(), attempts: 2, unclearAttempts: 1 } as Outcome,
    { status: 'created', unclear_attempts: 1 },
  ],
  'values that were left out': [
    { ...created(), omitted: [unread] } as Outcome,
    { status: 'created', omitted: [expect.objectContaining({ path: 'size', column: 'Size', value: 'XXL' })] },
  ],
  'values that were kept': [
    { ...created(), kept: [unread] } as Outcome,
    { status: 'created', kept: [expect.objectContaining({ path: 'size', code: 'not_number' })] },
  ],
  'fields that the answer lacks': [
    { ...created(), notInAnswer: ['emails.0.email'] } as Outcome,
    { status: 'created', not_in_answer: ['emails.0.email'] },
  ],
  'a hash of what was sent': [
    created({ ...ada, body_hash: 'abababababababab' }),
    { status: 'created', body_hash: 'abababababababab' },
  ],
  'the name by which others refer to it': [
    created({ ...ada, ref: 'Ada' }),
    { status: 'created', ref: 'Ada' },
  ],
  'the row that it replaces': [
    created({ ...ada, replaces: '5555555555555555' }),
    { status: 'created', replaces: '5555555555555555' },
  ],
}

/** Outcomes without a call. */
const others: Readonly<Record<string, readonly [Outcome, object]>> = {
  'an invalid row': [invalid(), { status: 'invalid', errors: inLine }],
  'a duplicate': [duplicate(ada, bob), { status: 'duplicate', same_as: { source: 'a.csv', row: 2 } }],
  'a conflict': [
    { ...duplicate(ada, bob), differs: ['name'] } as Outcome,
    { status: 'duplicate', differs: ['name'] },
  ],
}

const unlogged: Readonly<Record<string, Outcome>> = {
  'that was left alone': { identity: ada, status: 'done', changed: false },
  'that has its record and reads differently': { identity: ada, status: 'done', changed: true },
  'that is held': { identity: ada, status: 'held' },
  'that is known to be invalid': { ...invalid(), known: true } as Outcome,
  'that is a duplicate as before': { ...duplicate(ada, bob), isLogged: true } as Outcome,
}

export const settle: Cases = {
  ...each(
    outcomes,
    name => `settle: the line of a call has ${name}`,
    async (open, [outcome, line]) => {
      const store = await open()
      await runs(store, run => send(run, outcome))
      const [written] = await store.lines()
      const place = { source: 'a.csv', row: 1, line: 2, key: 'ada', hash: ada.hash }
      expect(written).toMatchObject({ ...place, at: '2026-11-21T08:00:00.000Z', ...line })
    },
  ),
  ...each(
    others,
    name => `settle: the line of ${name}`,
    async (open, [outcome, line]) => {
      const store = await open()
      await runs(store, run => note(run, outcome))
      expect(await store.lines()).toMatchObject([{ row: 1, key: 'ada', ...line }])
    },
  ),
  ...each(
    unlogged,
    name => `settle: nothing is kept of a row ${name}`,
    async (open, outcome) => {
      const store = await open()
      await runs(store, async run => expect(await note(run, outcome)).toBeUndefined())
      expect(await store.lines()).toEqual([])
    },
  ),
  ...each(
    { created: created(), failed: failed(), 'in doubt': doubtful(), existing: existing() },
    name => `settle: a run is told the outcome as it was recorded: ${name}`,
    async (open, outcome) => {
      expect(await send(await (await open()).begin(), outcome)).toMatchObject({ status: outcome.status })
    },
  ),
  'settle: the lines of a run name it': async open => {
    const store = await open()
    await runs(
      store,
      run => send(run, created()),
      run => send(run, created(bob)),
    )
    const [one, other] = await store.lines()
    expect([one?.run, other?.run]).not.toContain(undefined)
    expect(one?.run).not.toBe(other?.run)
  },
  'settle: a known refusal is not written again, and its call is over': async open => {
    const store = await open()
    await runs(store, run => send(run, failed()))
    await runs(store, async run => {
      await call()(run)
      expect(await run.settle({ ...failed(), known: true } as Outcome)).toBeUndefined()
    })
    expect(await statuses(store)).toEqual(['failed'])
  },
  'settle: a row that was known to be refused, and whose run was killed then, is refused': async open => {
    const store = await open()
    await runs(store, run => send(run, failed()))
    await killed(store, async run => {
      await call()(run)
      await run.settle({ ...failed(), known: true } as Outcome)
    })
    expect(await statusOf(await store.begin())).toBe('refused')
  },
  'settle: two hundred outcomes that come at once have a line each': async open => {
    const store = await open()
    const rows = Array.from({ length: 200 }, (_, at) => rowOf(at + 1, `k${at + 1}`))
    await runs(store, async run => {
      await run.past(...rows)
      await Promise.all(rows.map(run.mayCall))
      const recorded = await Promise.all(rows.map(row => run.settle(created(row))))
      expect(recorded.map(outcome => outcome?.identity.key)).toEqual(rows.map(({ key }) => key))
    })
    const lines = await store.lines()
    expect(new Set(lines.map(({ row }) => row)).size).toBe(200)
    expect(lines).toHaveLength(200)
  },
  'settle: the lines of one row come in the order of its outcomes': async open => {
    const store = await open()
    await runs(
      store,
      run => note(run, invalid()),
      run => send(run, failed()),
      run => send(run, doubtful()),
      run => send(run, created()),
    )
    expect(await statuses(store)).toEqual(['invalid', 'failed', 'in_doubt', 'created'])
  },
  'settle: a text with any signs is read as it was written': async open => {
    const store = await open()
    const value = 'a\0\ud83c"\\\r\n\u2028🎨'
    const error: RowError = { path: 'name', column: value, value, ...problem('required') }
    await runs(store, run => note(run, { identity: ada, status: 'invalid', errors: [error] }))
    expect((await store.lines())[0]?.errors[0]).toMatchObject({ column: value, value })
  },
  'settle: a record is told by any text': async open => {
    const store = await open()
    const recordId = 'a "\\ \0 🎨 record'
    await runs(store, run => send(run, created(ada, recordId)))
    expect((await store.lines())[0]?.record_id).toBe(recordId)
  },
  'resume: a row with its record stays as it is, whatever later runs say': async open => {
    const run = await after(
      await open(),
      run => send(run, created()),
      run => note(run, duplicate(ada, bob)),
      run => note(run, { identity: ada, status: 'invalid', errors }),
      run => note(run, { identity: ada, status: 'done', changed: false }),
    )
    expect(await statusOf(run)).toBe('settled')
  },
  'resolve: a doubt is listed with what was sent': async open => {
    const store = await open()
    await runs(store, run => send(run, doubtful()))
    const { exitCode, stdout } = await store.resolve()
    expect(exitCode).toBe(0)
    expect(linesOf(stdout)).toMatchObject([{ row: 1, key: 'ada', status: 'in_doubt', body: { name: 'ada' } }])
  },
}
