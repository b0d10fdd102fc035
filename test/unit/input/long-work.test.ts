import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { splitEscaped } from '../../../src/features/cards/content-lines.ts'
import { isBomb } from '../../../src/input/source.ts'
import { files } from '../../support/imports.ts'
import { rowlift } from '../../support/rowlift.ts'

const dryRun = async (name: string, content: Buffer | string, map = 'task.yaml') => {
  const cwd = await files({ [name]: content as string })
  return rowlift(['import', name, '-m', map, '--dry-run'], { cwd })
}

it.each([['a.json.gz', 'look what is in it; if it is right, unpack it first: gunzip "a.json.gz"']])(
  'a packed file that unpacks without end is told: %s',
  async (name, remedy) => {
    const blanks = Buffer.alloc(101_000_000, ' ')
    const { exitCode, stderr } = await dryRun(name, gzipSync(blanks))
    expect(stderr).toContain(
      `${name}: would unpack to more than 100 MB, and to over 200 times its packed size`,
    )
    expect(stderr).toContain(remedy)
    expect(exitCode).toBe(2)
  },
)

it('a file counts as packed too tightly above 100 MB and 200 times only', () => {
  expect(isBomb(100_000_000, 1)).toBe(false)
  expect(isBomb(200_000_000, 1_000_000)).toBe(false)
  expect(isBomb(200_000_001, 1_000_000)).toBe(true)
})

it('two million empty lines in a row end the reading of a table', async () => {
  const { exitCode, stderr } = await dryRun('a.csv', `Id,Name\n1,a\n${'\n'.repeat(2_000_100)}2,b\n`)
  expect(stderr).toMatch(/a\.csv:2000003: more than 2,?000,?000 empty lines come before this one/)
  expect(exitCode).toBe(2)
}, 60_000)

it('a value of a card with a million commas is split as often as a row may have values, and its rest is kept', () => {
  const parts = splitEscaped(',a'.repeat(1_000_000), ',')
  expect(parts).toHaveLength(100_002)
  expect(parts.join(',')).toBe(',a'.repeat(1_000_000))
})
