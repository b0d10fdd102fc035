import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replay } from '../../src/journal/replay.ts'
import { tempFolder } from '../support/cleanup.ts'

const opening = { run: '1', rowlift: '0.1.0', record: 'contact' }
const hash = '0123456789abcdef'
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
    const before = process.memoryUsage().arrayBuffers
    const past = await replay(file, true)
    expect(past.of('person199999@example.com', hash)?.is).toBe('settled')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200_000 * 100)
  })
})
