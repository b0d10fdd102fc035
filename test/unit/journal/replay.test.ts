import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replay } from '../../../src/journal/replay.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { arrayBytesInUse } from '../../support/memory.ts'

const opening = { run: '1', rowlift: '0.1.0', record: 'contact' }
const hash = '0123456789abcdef'
const other = 'fedcba9876543210'
const mended = '5555555555555555'
const line = (status: string, key: string, more: object = {}) => ({ run: '1', key, hash, status, ...more })

async function pastOf(...lines: readonly object[]) {
  const file = join(await tempFolder(), 'results.ndjson')
  await writeFile(file, [opening, ...lines].map(each => `${JSON.stringify(each)}\n`).join(''))
  return replay(file, true)
}

describe('the log of earlier runs', () => {
  it('settles the keys of created and existing rows, and knows whether the row has changed', async () => {
    const past = await pastOf(line('created', 'ada'), line('existing', 'bob'))
    expect(past.of('ada', hash)).toEqual({ is: 'settled', sameHash: true })
    expect(past.of('bob', 'fedcba9876543210')).toEqual({ is: 'settled', sameHash: false })
    expect(past.of('cy', hash)).toBeUndefined()
    expect(past.opening).toMatchObject(opening)
  })

  it('lets what was invalid or failed be tried again, and knows nothing of a duplicate', async () => {
    const past = await pastOf(line('invalid', 'a'), line('failed', 'b'), line('duplicate', 'c'))
    expect(['a', 'b', 'c'].map(key => past.of(key, hash)?.is)).toEqual(['refused', 'refused', undefined])
  })

  it('holds a row in doubt until it has its record, or a person says that it has none', async () => {
    const past = await pastOf(
      ...[line('in_doubt', 'a'), line('in_doubt', 'b'), line('in_doubt', 'c'), line('in_doubt', 'c')],
      ...[line('created', 'a'), line('failed', 'b', { by_hand: true }), line('failed', 'c')],
    )
    expect(past.of('a', hash)?.is).toBe('settled')
    expect(past.of('b', hash)?.is).toBe('refused')
    expect(past.of('c', hash)?.is).toBe('in_doubt')
    expect(past.inDoubt).toBe(1)
  })

  it('never takes a record away from a row, whatever is told of its key later', async () => {
    const past = await pastOf(
      line('created', 'a'),
      line('invalid', 'a'),
      line('failed', 'a'),
      line('in_doubt', 'a'),
      line('duplicate', 'a'),
    )
    expect(past.of('a', hash)?.is).toBe('settled')
    expect(past.inDoubt).toBe(0)
  })

  it('knows each duplicate that was told, as often as it was told', async () => {
    const past = await pastOf(line('duplicate', 'a'), line('duplicate', 'a'))
    expect([1, 2, 3].map(() => past.tellsDuplicate('a', hash))).toEqual([true, true, false])
    expect(past.tellsDuplicate('a', 'fedcba9876543210')).toBe(false)
  })

  it('knows in which line the service gave a record', async () => {
    const past = await pastOf(
      line('created', 'a', { record_id: 'r1' }),
      line('existing', 'b', { record_id: 'r2' }),
    )
    expect(['r1', 'r2', 'r3'].map(id => past.recordLine(id))).toEqual([2, 3, undefined])
  })

  it('knows the row that stands unrepaired in its source after it came back, and no other one', async () => {
    const past = await pastOf(
      line('invalid', 'a'),
      line('created', 'a', { run: '2', hash: mended, repaired: true }),
      line('invalid', 'b'),
      line('created', 'b', { run: '3', hash: mended }),
    )
    expect(['a', 'b', 'c'].map(key => past.isRepaired(key, hash))).toEqual([true, false, false])
    expect(past.isRepaired('a', other)).toBe(false)
    expect(past.of('a', mended)).toEqual({ is: 'settled', sameHash: true })
  })

  it('knows it by how it read when it was refused, whatever came of it before it was settled', async () => {
    const repaired = (status: string, run: string, more: object = {}) =>
      line(status, 'a', { run, hash: mended, repaired: true, ...more })
    const past = await pastOf(
      ...[line('invalid', 'a'), line('failed', 'a', { run: '2' })],
      ...[repaired('failed', '3'), repaired('invalid', '4', { hash: other }), repaired('in_doubt', '5')],
      ...[line('invalid', 'a', { run: '6' }), repaired('created', '7', { by_hand: true })],
    )
    expect([hash, other].map(each => past.isRepaired('a', each))).toEqual([true, false])
    expect(past.inDoubt).toBe(0)
  })

  it('knows none of two rows that had a key in two runs: a file of either may have come back', async () => {
    const past = await pastOf(
      ...[line('invalid', 'n/a'), line('invalid', 'n/a', { run: '2', hash: other })],
      ...[line('invalid', 'n/a', { run: '3', hash: other })],
      line('created', 'n/a', { run: '4', hash: mended, repaired: true }),
    )
    expect([hash, other].map(each => past.isRepaired('n/a', each))).toEqual([false, false])
  })

  it('does not take a row for one that came back, because it was mended to read as that, or only as another', async () => {
    const past = await pastOf(
      ...[line('created', `sha256:${hash}#1`), line('invalid', 'a', { hash: other })],
      line('created', `sha256:${other}#1`, { run: '2', hash: mended, repaired: true }),
    )
    expect(past.isRepaired('own', hash)).toBe(false)
    expect([false, true].map(comesBack => past.isRepaired('a', other, comesBack))).toEqual([true, false])
  })

  it('knows that a key was left by a repaired row, until another row has it', async () => {
    const repaired = (key: string, more: object) =>
      line('created', key, { run: '2', hash: mended, repaired: true, ...more })
    const left = [line('invalid', 'a'), repaired('a', { alias: 'b' })]
    const past = await pastOf(...left)
    expect(['a', 'b'].map(key => past.of(key, other)?.isRenamed)).toEqual([true, undefined])
    const taken = await pastOf(...left, repaired(`sha256:${other}#1`, { run: '3', alias: 'a' }))
    expect(taken.of('a', other)?.isRenamed).toBeUndefined()
    expect(taken.isRepaired('a', other)).toBe(true)
  })

  it('of rows that share a bad key knows the first of them, which keeps it in every run', async () => {
    const refused = (run: string, ...hashes: string[]) =>
      hashes.map(each => line('invalid', 'n/a', { run, hash: each }))
    const lines = [...refused('1', hash, other), ...refused('2', other, hash)]
    const before = await pastOf(...lines)
    expect([hash, other].map(each => before.keepsKey('n/a', each))).toEqual([true, false])
    const created = (key: string, hash: string) => line('created', key, { run: '3', hash, repaired: true })
    const first = await pastOf(...lines, created('n/a', mended))
    expect([hash, other].map(each => first.isRepaired('n/a', each))).toEqual([true, false])
    expect(first.keepsKey('n/a', other)).toBe(false)
    const second = await pastOf(...lines, created(`sha256:${other}#1`, mended))
    expect([hash, other].map(each => second.isRepaired('n/a', each))).toEqual([false, true])
  })

  it('knows none of two rows with one key of which each had it in another run', async () => {
    const past = await pastOf(
      ...[
        line('invalid', 'a'),
        line('invalid', 'a', { run: '2', hash: other }),
        line('invalid', 'a', { run: '2' }),
      ],
      line('created', 'a', { run: '3', hash: mended, repaired: true }),
    )
    expect([hash, other].map(each => past.isRepaired('a', each))).toEqual([false, false])
  })

  it('knows a repaired row by the key that its columns give now as well, in doubt and settled', async () => {
    const repaired = (status: string) =>
      line(status, 'a', { run: '2', hash: mended, repaired: true, alias: 'b' })
    const doubtful = await pastOf(line('invalid', 'a'), repaired('in_doubt'))
    expect([doubtful.of('b', mended)?.is, doubtful.inDoubt]).toEqual(['in_doubt', 1])
    const settled = await pastOf(line('invalid', 'a'), repaired('in_doubt'), repaired('created'))
    expect(settled.of('b', mended)).toEqual({ is: 'settled', sameHash: true })
    expect(settled.inDoubt).toBe(0)
    const refused = await pastOf(line('invalid', 'a'), repaired('in_doubt'), {
      ...repaired('failed'),
      by_hand: true,
    })
    expect([refused.of('b', mended), refused.inDoubt]).toEqual([undefined, 0])
  })

  it('tells nothing when it is not there or empty', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'empty'), '')
    for (const name of ['none', 'empty'])
      expect((await replay(join(folder, name), true)).opening).toBeUndefined()
  })

  it('of 200,000 lines is read in bounded memory', async () => {
    const file = join(await tempFolder(), 'results.ndjson')
    const lines = Array.from({ length: 200_000 }, (_, at) =>
      JSON.stringify(line('created', `person${at}@example.com`, { record_id: `r${at}` })),
    )
    await writeFile(file, `${[JSON.stringify(opening), ...lines].join('\n')}\n`)
    const before = arrayBytesInUse()
    let most = 0
    const past = await replay(file, true, ({ number }) => {
      if (number % 20_000 === 0) most = Math.max(most, arrayBytesInUse() - before)
    })
    expect(past.of('person199999@example.com', hash)?.is).toBe('settled')
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(200_000 * 100)
    expect(arrayBytesInUse() - before).toBeLessThan(200_000 * 100)
  })
})
