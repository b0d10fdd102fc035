import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../support/cleanup.ts'
import { files, importOf, tasks } from '../../../support/imports.ts'
import { rowlift } from '../../../support/rowlift.ts'

const url = 'postgres://rowlift:open-sesame@127.0.0.1:1/rowlift'
const service = 'http://127.0.0.1:1'
const ledger = ['--ledger', url, '--import', 'tasks']

/** An import of tasks into a ledger, with these words besides. */
async function refused(words: readonly string[], { map = 'task.yaml', env = {}, source = 'tasks.csv' } = {}) {
  const cwd = await files({
    'tasks.csv': tasks(2),
    'no-key.yaml': 'record: task\nbody: { name: "{{Name}}" }\n',
    'tree.yaml':
      'record: task\nkey: Id\nlookups: { above: { self: true, indent: Id } }\nallow_unknown_fields: true\nbody: { name: "{{Name}}", parentId: { from: Id, lookup: above } }\n',
    'plan.yaml': 'steps: { a: { source: tasks.csv, mapping: no-key.yaml } }\n',
  })
  const all = importOf(source, map, service).filter(word => !['-o', 'results.ndjson'].includes(word))
  const ended = await rowlift([...all, ...words], { cwd, env })
  expect(ended.stdout + ended.stderr).not.toContain('open-sesame')
  return ended
}

describe('ledger', () => {
  it.each([
    ['without the name of an import', ['--ledger', url], '--ledger needs --import NAME'],
    [
      'that is no PostgreSQL database',
      ['--ledger', 'mysql://open-sesame@h/d', '--import', 'a'],
      '--ledger: must be a URL such as postgres://',
    ],
    [
      'with a name that nobody can see',
      ['--ledger', url, '--import', ' '],
      '--import: must be 1 to 200 visible characters',
    ],
    ['with a result log', [...ledger, '--results', 'r.ndjson'], '--results is for a result log'],
    ['with a lease that no clock keeps', [...ledger, '--lease', '1'], '--lease: must be at least 2'],
  ])('a ledger is refused %s', async (_, words, message) => {
    const { exitCode, stderr } = await refused(words)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(2)
  })

  it('a ledger is needed for the name of an import and for a new run', async () => {
    for (const [words, message] of [
      [['--import', 'tasks'], '--import needs --ledger'],
      [['--new-run', '--results', 'r.ndjson'], '--new-run needs --ledger'],
    ] as const)
      expect(await refused(words)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) })
  })

  it('a ledger is named by the environment as well', async () => {
    const { exitCode, stderr } = await refused([], { env: { ROWLIFT_LEDGER: url } })
    expect(stderr).toContain('--ledger needs --import NAME')
    expect(exitCode).toBe(2)
  })

  it('a ledger takes only rows that have a key, from files, without the depth of rows before them', async () => {
    expect(await refused(ledger, { map: 'no-key.yaml' })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no-key.yaml: has no key'),
    })
    expect((await refused(ledger, { source: '-' })).stderr).toContain('-: is not a regular file')
    const pipe = join(await tempFolder(), 'pipe.csv')
    execFileSync('mkfifo', [pipe]) // nobody writes to it
    expect((await refused(ledger, { source: pipe })).stderr).toContain(`${pipe}: is not a regular file`)
    expect((await refused(ledger, { source: '/dev/null' })).stderr).toContain('/dev/null')
    expect((await refused(ledger, { map: 'tree.yaml' })).stderr).toContain(
      'tree.yaml: has a lookup with indent',
    )
  })

  it('a ledger is an option of the command alone', async () => {
    const cwd = await files({
      'p.yaml': `ledger: ${url}\nsteps: { a: { source: tasks.csv, mapping: task.yaml } }\n`,
    })
    const { exitCode, stderr } = await rowlift(['import', '--plan', 'p.yaml'], { cwd })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('ledger')
    expect(stderr).not.toContain('open-sesame')
  })
})
