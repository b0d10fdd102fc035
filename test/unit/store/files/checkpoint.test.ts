import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../../src/model/errors.ts'
import type { Outcome, RowError } from '../../../../src/model/outcome.ts'
import { problem } from '../../../../src/model/problem.ts'
import { Checkpoint, replay } from '../../../../src/store/files/checkpoint.ts'
import { next, type RowState, type StateChange } from '../../../../src/store/files/row-state.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { lineText } from '../../../support/log-files.ts'

const opening = { run: '1', rowlift: '0.1.0', record: 'contact' }
const hash = '0123456789abcdef'
const other = 'fedcba9876543210'
const repaired = '5555555555555555'
const line = (status: string, key: string, more: object = {}) => ({ run: '1', key, hash, status, ...more })

async function fileOf(...lines: readonly object[]): Promise<string> {
  const file = join(await tempFolder(), 'results.ndjson')
  await writeFile(file, [opening, ...lines].map(lineText).join(''))
  return file
}

const pastOf = async (...lines: readonly object[]) => replay(await fileOf(...lines), { records: true })

describe('state of a row', () => {
  const state = (status: RowState['status'], hash = 1): RowState => ({ status, hash, body: 0 })
  const says = (status: RowState['status'], hash = 1, more: Partial<StateChange> = {}): StateChange => ({
    ...{ status, hash, body: 0, byHand: false },
    ...more,
  })
  const byHand = { byHand: true }

  it.each<[string, RowState | undefined, StateChange, RowState]>([
    ['its first record', undefined, says('settled'), state('settled')],
    ['its first doubt', undefined, says('in_doubt'), state('in_doubt')],
    ['its first refusal', undefined, says('refused'), state('refused')],
    ['a record is final: refused', state('settled'), says('refused', 2), state('settled')],
    ['a record is final: in doubt', state('settled'), says('in_doubt', 2), state('settled')],
    ['a record is final: another one', state('settled'), says('settled', 2), state('settled')],
    ['a record is final: by hand', state('settled'), says('refused', 1, byHand), state('settled')],
    ['a doubt stays when it is refused', state('in_doubt'), says('refused', 2), state('in_doubt')],
    ['a doubt ends with a record', state('in_doubt'), says('settled', 2), state('settled', 2)],
    ['a doubt is ended by a person', state('in_doubt'), says('refused', 1, byHand), state('refused')],
    ['a refused row gets its record', state('refused'), says('settled', 2), state('settled', 2)],
    ['a refused row comes in doubt', state('refused'), says('in_doubt', 2), state('in_doubt', 2)],
    ['a row is refused again', state('refused'), says('refused'), state('refused')],
    ['another row is refused', state('refused'), says('refused', 2), state('refused', 2)],
  ])('the state of a row follows from %s', (_, before, line, after) => {
    expect(next(before, line)).toEqual(after)
  })
})

describe('checkpoint', () => {
  it('a checkpoint keeps a record, whatever later lines say', async () => {
    const past = await pastOf(
      line('created', 'a'),
      line('invalid', 'a'),
      line('failed', 'a'),
      line('in_doubt', 'a'),
      line('duplicate', 'a'),
    )
    expect(past.get('a', hash)?.status).toBe('settled')
    expect(past.inDoubt).toBe(0)
  })

  it('a checkpoint counts the logged lines of a duplicate', async () => {
    const past = await pastOf(line('duplicate', 'a'), line('duplicate', 'a'))
    expect([1, 2, 3].map(() => past.takeLoggedDuplicate('a', hash))).toEqual([true, true, false])
    expect(past.takeLoggedDuplicate('a', 'fedcba9876543210')).toBe(false)
  })

  it('a checkpoint finds the first row of a record', async () => {
    const [first, second] = [
      { source: 'a.csv', row: 70000 },
      { source: 'b.csv', row: 1 },
    ]
    const past = await pastOf(
      line('created', 'a', { record_id: 'r1', ...first }),
      line('existing', 'b', { record_id: 'r2', ...second }),
      line('merged', 'c', { record_id: 'r1', source: 'a.csv', row: 9 }),
    )
    expect(['r1', 'R2', 'r3'].map(id => past.claimRecord(id, {}))).toEqual([first, second, undefined])
  })

  it('a checkpoint knows a body of any earlier line, but for rows that came and read the same', async () => {
    const file = await fileOf(
      line('failed', 'a', { body_hash: '00000001aaaaaaaa' }),
      line('created', 'a', { body_hash: '00000002aaaaaaaa' }),
      line('failed', 'a', { body_hash: '00000003aaaaaaaa' }),
      line('created', 'b', { body_hash: '00000004aaaaaaaa' }),
      line('created', 'c', { body_hash: '00000005aaaaaaaa' }),
      line('duplicate', 'd', { body_hash: '00000006aaaaaaaa' }),
    )
    const known = async (...came: readonly string[]) => {
      const past = await replay(file, { spellings: true })
      for (const key of came) expect(past.setKeyOwner(key, hash, 1)).toBe(true)
      const mayHave = (at: number) =>
        past.spellings.mayHave({
          ...{ source: 'a.csv', row: 9, line: 10, key: 'other', hash: other },
          body_hash: `0000000${at}bbbbbbbb`,
        })
      return [1, 2, 3, 4, 5, 6, 7].filter(mayHave)
    }
    expect(await known()).toEqual([1, 2, 3, 4, 5])
    expect(await known('b')).toEqual([1, 2, 3, 5])
    expect(await known('b', 'c')).toEqual([1, 2, 3])
  })

  it('a checkpoint gives a key to a row only if it has its record, and reads the same', async () => {
    const past = await replay(
      await fileOf(line('created', 'a'), line('failed', 'b'), line('in_doubt', 'c'), line('created', 'd')),
      { spellings: true },
    )
    expect(['a', 'b', 'c', 'e'].map(key => past.setKeyOwner(key, hash, 7))).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect(past.setKeyOwner('d', other, 7)).toBe(false)
    expect(['a', 'b', 'c', 'd'].map(key => past.keyOwnerOf(key))).toEqual([
      7,
      undefined,
      undefined,
      undefined,
    ])
    expect((await replay(await fileOf(line('created', 'a')), {})).setKeyOwner('a', hash, 7)).toBe(false)
  })

  it('a checkpoint keeps equal rows without a key apart', async () => {
    const past = await pastOf(
      ...[line('invalid', `sha256:${hash}#1`), line('invalid', `sha256:${hash}#2`)],
      line('created', 'bob', { hash: repaired, replaces: `${hash}#2` }),
    )
    const replaced = (key: string) => past.replacementOf({ key, hash })
    expect([`sha256:${hash}#1`, `sha256:${hash}#2`].map(replaced)).toEqual([undefined, 'settled'])
  })

  it('a checkpoint has a refused row in doubt while the row that replaces it is', async () => {
    const lines = [line('failed', 'nope'), line('in_doubt', 'bob', { hash: repaired, replaces: hash })]
    const doubtful = await pastOf(...lines)
    expect([doubtful.replacementOf({ key: 'nope', hash }), doubtful.inDoubt]).toEqual(['in_doubt', 1])
    const again = line('failed', 'bob', { hash: repaired, replaces: hash })
    expect((await pastOf(...lines, again)).replacementOf({ key: 'nope', hash })).toBe('in_doubt')
    const settled = await pastOf(...lines, { ...again, by_hand: true })
    expect([settled.replacementOf({ key: 'nope', hash }), settled.inDoubt]).toEqual([undefined, 0])
  })

  describe('row that is refused again', () => {
    const identity = { source: 'a.csv', row: 1, line: 2, key: 'a', hash }
    const errors: RowError[] = [{ path: 'name', ...problem('required') }]
    const failed: Outcome = {
      ...{ status: 'failed', fault: 'refused', httpStatus: 400, attempts: 1, durationMs: 1 },
      ...{ identity, errors },
    }
    const inLine = { errors: [{ path: 'name', code: 'required', message: 'is required' }] }
    const asFailed = line('failed', 'a', { ...inLine, http_status: 400 })

    it('a checkpoint of a row that is refused again goes by the last line', async () => {
      expect((await pastOf(line('invalid', 'a', inLine), asFailed)).hasRefusal(failed)).toBe(true)
      expect((await pastOf(asFailed, line('invalid', 'a', inLine))).hasRefusal(failed)).toBe(false)
      for (const last of [line('in_doubt', 'a'), { ...asFailed, by_hand: true }])
        expect((await pastOf(asFailed, last)).hasRefusal(failed)).toBe(false)
    })
  })

  it('a checkpoint has the number of rows of the last run that read its sources to their end', async () => {
    const end = (rows: number, returned?: number) => ({ run: '1', ended: { rows, returned } })
    expect((await pastOf(end(5), end(7, 2), line('created', 'a'))).lastRows).toBe(5)
    expect((await pastOf(end(5), end(7), end(2, 2))).lastRows).toBe(7) // that of a rejects file says nothing
    expect((await pastOf(line('created', 'a'))).lastRows).toBeUndefined()
  })

  it('a checkpoint has the mean time of the last calls that needed one attempt', async () => {
    const call = (duration_ms: number, more: object = {}) =>
      line('created', `k${duration_ms}`, { attempts: 1, duration_ms, ...more })
    expect((await pastOf(line('created', 'a'))).callMs).toBeUndefined()
    expect((await pastOf(call(10), call(20), call(999, { attempts: 2 }), call(60))).callMs).toBeCloseTo(30)
    const many = Array.from({ length: 1_000 }, () => call(1_000))
    expect((await pastOf(...many, call(2_000))).callMs).toBeCloseTo(1_002)
  })

  it('a checkpoint counts the rows that got their record after they were refused or in doubt', async () => {
    const past = await pastOf(
      ...[line('invalid', 'a'), line('in_doubt', 'b'), line('created', 'c'), line('failed', 'd')],
      ...[line('created', 'a'), line('existing', 'b'), line('existing', 'c'), line('failed', 'd')],
    )
    expect(past.recovered).toBe(2)
  })

  it('a checkpoint remembers no records where they are not asked for', async () => {
    const file = await fileOf(line('created', 'a', { record_id: 'r1' }))
    expect((await replay(file, {})).claimRecord('r1', {})).toBeUndefined()
  })

  it('a checkpoint gives a record to one row', () => {
    const past = new Checkpoint()
    const [first, second] = [
      { source: 'a.csv', row: 5 },
      { source: 'b.csv', row: 6 },
    ]
    expect(past.claimRecord('r1', first)).toBeUndefined()
    expect(past.claimRecord('R1', second)).toEqual(first)
    expect(past.claimRecord('r1', {})).toEqual(first)
  })

  it('a checkpoint knows a row under its own key by its name in the rejects file of another run', async () => {
    const file = await fileOf(
      line('created', 'ann'),
      line('in_doubt', 'bob', { hash: other }),
      line('invalid', 'cy'),
    )
    const past = await replay(file, { content: true })
    const comingBack = { key: 'x', hash: repaired }
    expect(past.replacementOf({ ...comingBack, replaces: hash })).toBe('settled')
    expect(past.replacementOf({ ...comingBack, replaces: other })).toBe('in_doubt')
    expect(past.replacementOf({ key: 'ann', hash })).toBeUndefined()
    expect((await replay(file, {})).replacementOf({ ...comingBack, replaces: hash })).toBeUndefined()
  })

  it('a checkpoint knows what became of a row of another run’s rejects file', async () => {
    const comingBack = (replaces: string) => ({ key: 'x', hash: repaired, replaces })
    const again = await pastOf(line('invalid', 'ann'), line('created', 'ann'))
    expect(again.replacementOf(comingBack(hash))).toBe('settled')
    const lines = [line('in_doubt', 'bob'), line('failed', 'bob', { by_hand: true })]
    const doubtful = await replay(await fileOf(...lines.slice(0, 1)), { content: true })
    expect(doubtful.replacementOf(comingBack(hash))).toBe('in_doubt')
    const settled = await replay(await fileOf(...lines), { content: true })
    expect(settled.replacementOf(comingBack(hash))).toBeUndefined()
  })

  describe('killed run', () => {
    const call = (key: string) => ({ ...line('', key), status: undefined, at: 'then', body: { name: key } })

    async function killed(...lines: readonly object[]): Promise<string> {
      const file = await fileOf(...lines)
      const left = [opening, call('a'), call('b')]
      await writeFile(`${file}.inflight`, left.map(lineText).join(''))
      return file
    }

    it('a checkpoint after a killed run has the calls in flight without an end in doubt', async () => {
      const file = await killed(line('failed', 'a'), line('failed', 'b', { run: '0' }), line('invalid', 'b'))
      const past = await replay(file, {})
      expect(past.orphans).toEqual([
        {
          ...{ run: '1', at: 'then', key: 'b', hash, status: 'in_doubt', record_type: 'contact' },
          ...{ errors: [{ code: 'run_killed' }], body: { name: 'b' } },
        },
      ])
      expect([past.get('a', hash)?.status, past.get('b', hash)?.status]).toEqual(['refused', 'in_doubt'])
      expect(past.inDoubt).toBe(1)
    })

    it('a checkpoint has no calls in flight while a run is alive', async () => {
      const past = await replay(await killed(), {}, () => {}, false)
      expect([past.orphans, past.inDoubt]).toEqual([[], 0])
    })

    it('a checkpoint knows no refusal from before a repair that found lines missing', async () => {
      const repair = [
        { ...opening, run: '2', command: 'repair' },
        { run: '2', status: 'lost' },
      ]
      const closing = { run: '2', command: 'repair', ended: { rows: 0 } }
      const lines = [line('failed', 'a'), line('created', 'b'), ...repair, closing, line('failed', 'c')]
      const past = await pastOf(...lines)
      const statuses = ['a', 'b', 'c'].map(key => past.get(key, hash)?.status)
      expect([past.lacksLines, ...statuses]).toEqual([true, undefined, 'settled', 'refused'])
    })

    it('a checkpoint after a killed run is refused if its log is gone', async () => {
      const file = await killed()
      await writeFile(file, '')
      const inFlight = `${file}.inflight`
      await expect(replay(file, {})).rejects.toThrow(new UsageError('log_gone', { path: file, inFlight }))
    })
  })

  it('a checkpoint tells of each line whether it changed the state of its row', async () => {
    const told: unknown[] = []
    const file = await fileOf(
      ...[line('invalid', 'a'), line('duplicate', 'a'), line('created', 'a'), line('existing', 'a')],
      ...[line('in_doubt', 'b'), line('failed', 'b'), { run: '1', ended: { rows: 2 } }],
    )
    await replay(file, {}, ({ number }, isNews) => told.push([number, isNews]))
    expect(told).toEqual([false, true, false, true, false, true, false, false].map((is, at) => [at + 1, is]))
  })

  it('a checkpoint is empty if there is no log, or an empty one', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'empty'), '')
    for (const name of ['none', 'empty'])
      expect((await replay(join(folder, name), { records: true })).opening).toBeUndefined()
  })
})
