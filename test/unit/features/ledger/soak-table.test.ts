import { expect, it } from 'vitest'
import { growthIn, type Night, tableOf } from '../../../support/soak-table.ts'

const mb = 2 ** 20
const nightOf = (night: number, changes: Partial<Night> = {}): Night => ({
  ...{ night, minutes: night, seconds: 60, kills: 2, records: 100 * night, inDoubt: 0, runs: night },
  ...{ workerMb: 90, connections: 12, connectionsLeft: 0 },
  tables: { entry: { bytes: night * mb, rows: night * 100 } },
  ...changes,
})
const nights = (changes: (night: number) => Partial<Night> = () => ({})) =>
  Array.from({ length: 30 }, (_, at) => nightOf(at + 1, changes(at + 1)))

it('a soak takes tables that grow with their rows for what they are', () => {
  expect(growthIn(nights())).toEqual([])
})

it.each<[string, (night: number) => Partial<Night>, string]>([
  ['memory', night => ({ workerMb: 90 + 3 * night }), 'memory of a worker (MB) grew from 136.5 to 166.5'],
  [
    'a table without more rows',
    night => ({ tables: { chunk: { bytes: night * mb, rows: 50 } } }),
    'bytes for each row of the table chunk grew',
  ],
  ['connections', night => ({ connections: 6 + night }), 'connections grew from 21.5 to 31.5'],
  [
    'connections that are left',
    night => ({ connectionsLeft: night === 7 ? 1 : 0 }),
    'were left after 1 nights',
  ],
])('a soak says what grows without bound: %s', (_, changes, said) => {
  expect(growthIn(nights(changes))).toEqual([expect.stringContaining(said)])
})

it('a soak ends with a table of some nights, and the last one', () => {
  const many = Array.from({ length: 450 }, (_, at) => nightOf(at + 1))
  const lines = tableOf(many).split('\n')
  expect(lines.length).toBeLessThan(27)
  expect(lines.at(-1)).toMatch(/^\| 450 \| /)
})
