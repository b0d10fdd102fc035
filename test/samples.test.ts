import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { compileMapping } from '../src/mapping/file.ts'
import { atPath } from '../src/model/values.ts'
import { type Line, linesOf, rowlift } from './support/rowlift.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const samples = [
  ['contacts-google', 'contacts.csv', 'mapping.yaml', 'expected.ndjson'],
  ['people-and-organizations', 'directory.csv', 'organizations.yaml', 'organizations.expected.ndjson'],
  ['people-and-organizations', 'directory.csv', 'people.yaml', 'people.expected.ndjson'],
  ['tasks-asana', 'tasks.csv', 'mapping.yaml', 'expected.ndjson'],
  ['tasks-ndjson', 'tasks.ndjson', 'mapping.yaml', 'expected.ndjson'],
] as const

/** What the expected outcomes leave to the program: its words, the row's hash, and the source that is always the same. */
function comparable({ source, hash, errors, same_as, ...line }: Line): Line {
  return {
    ...line,
    ...(errors && { errors: errors.map(({ message, ...error }: Line) => error) }),
    ...(same_as && { same_as: { row: same_as.row } }),
  }
}

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
    const file = new URL(`../${path(mapping)}`, import.meta.url)
    const compiled = compileMapping(path(mapping), await readFile(file, 'utf8'), '')
    expect(compiled.tests.length).toBeGreaterThan(0)
    for (const { row, body, errors } of compiled.tests) {
      const mapped: Line = compiled.map({
        source: 'test',
        row: 1,
        line: 1,
        value: name => (Object.hasOwn(row, name) ? row[name] : atPath(row, name)),
        cells: () => Object.entries(row),
      })
      if (body !== undefined) expect(mapped).toEqual({ body })
      if (errors !== undefined) expect(mapped.errors.map((error: Line) => error.path)).toEqual(errors)
    }
  })
})
