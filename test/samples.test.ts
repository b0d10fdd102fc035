import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { comparable, expectItsTestsToHold } from './support/expectations.ts'
import { linesOf, rowlift } from './support/rowlift.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const samples = [
  ['contacts-google', 'contacts.csv', 'mapping.yaml', 'expected.ndjson'],
  ['people-and-organizations', 'directory.csv', 'organizations.yaml', 'organizations.expected.ndjson'],
  ['people-and-organizations', 'directory.csv', 'people.yaml', 'people.expected.ndjson'],
  ['tasks-asana', 'tasks.csv', 'mapping.yaml', 'expected.ndjson'],
  ['tasks-ndjson', 'tasks.ndjson', 'mapping.yaml', 'expected.ndjson'],
] as const

describe.each(samples)('the sample %s/%s by %s', (folder, source, mapping, expected) => {
  const path = (file: string) => `samples/${folder}/${file}`

  it('comes out as it is written down, row for row', async () => {
    const run = await rowlift(['import', path(source), '-m', path(mapping), '--dry-run', '--preview', '-'], {
      cwd: root,
    })
    const lines = linesOf(await readFile(new URL(`../${path(expected)}`, import.meta.url), 'utf8'))
    expect(linesOf(run.stdout).map(comparable)).toEqual(lines)
    expect(run.exitCode).toBe(lines.some(line => line.status === 'invalid') ? 1 : 0)
  })

  it('has tests in its mapping that hold', async () => {
    expectItsTestsToHold(
      path(mapping),
      await readFile(new URL(`../${path(mapping)}`, import.meta.url), 'utf8'),
    )
  })
})
