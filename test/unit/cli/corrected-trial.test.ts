import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { logOf, openingLine, rowLine } from '../../support/log-files.ts'
import { folderWith, into, linesOf, outcomesIn, rowlift } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

const tasks = (body = '{ name: { from: Name } }') => `record: task\nkey: Id\nbody: ${body}\n`
const files = { 'rows.csv': 'Id,Name\n1,One\n2,Two\n3,Three\n', 'map.yaml': tasks(), keys: '1\n' }
const notice = 'made by an earlier version of map.yaml'
const forget = ['log', 'results.ndjson', '--forget', '--keys', 'keys', '--yes']

/** A folder in which two of three rows were tried. */
async function tried() {
  const service = await startService()
  const cwd = await folderWith(files)
  const run = (...more: string[]) =>
    rowlift(['import', 'rows.csv', '-m', 'map.yaml', ...into(service.url), ...more], { cwd })
  await run('--limit', '2')
  await writeFile(join(cwd, 'map.yaml'), tasks('{ name: { from: Name, case: upper } }'))
  return { service, cwd, run, log: join(cwd, 'results.ndjson') }
}

describe('rows that a trial made under another mapping', () => {
  it('the first run under a changed mapping says how many rows an earlier version made, and no later one', async () => {
    const { run, log } = await tried()
    const [{ run: trial }] = await outcomesIn(log)
    const said = `2 rows were ${notice}, and are left alone; to make them again, delete their records, then: rowlift log results.ndjson --forget --run ${trial}`
    expect((await run('--dry-run')).stderr).toContain(said)
    expect((await run('--dry-run', '--quiet')).stderr).toBe('')
    expect((await run()).stderr).toContain(said)
    expect((await run()).stderr).not.toContain(notice)
  })

  it('rows that were forgotten before are not among those that an earlier version made', async () => {
    const { run, cwd } = await tried()
    await rowlift(forget, { cwd })
    const { stderr } = await run()
    expect(stderr).toContain(`1 row was ${notice}, and is left alone`)
  })

  it('nothing is said of an earlier version that made no record', async () => {
    const { run, cwd } = await tried()
    await writeFile(join(cwd, 'keys'), '1\n2\n')
    await rowlift(forget, { cwd })
    const { stderr, exitCode } = await run()
    expect([exitCode, stderr.includes(notice)]).toEqual([0, false])
  })

  it('a row that names one which was forgotten waits for its new record', async () => {
    const service = await startService()
    const body = '{ name: { from: Name }, parent: { record_id: { from: Parent, lookup: here } } }'
    const cwd = await folderWith({
      'rows.csv': 'Id,Name,Parent\n1,One,\n2,Two,One\n',
      'map.yaml': `${tasks(body)}lookups: { here: { self: true, by: Name } }\n`,
      keys: '1\n2\n',
    })
    const words = ['import', 'rows.csv', '-m', 'map.yaml', ...into(service.url)]
    expect((await rowlift(words, { cwd })).exitCode).toBe(0)
    await rowlift(forget, { cwd })
    expect((await rowlift(words, { cwd })).exitCode).toBe(0)
    const parents = service.calls.map(({ body }) => (body.parent as { record_id?: string })?.record_id)
    expect(parents).toEqual([undefined, service.made[0]?.recordId, undefined, service.made[2]?.recordId])
    await rowlift(forget, { cwd })
    await writeFile(join(cwd, 'rows.csv'), 'Id,Name,Parent\n2,Two,One\n')
    const alone = await rowlift(words, { cwd })
    expect([alone.exitCode, alone.stderr]).toEqual([
      1,
      expect.stringContaining('names a row that is forgotten'),
    ])
  })
})

describe('lookup in the result log of a corrected import', () => {
  const id = (number: number) => `9d2f0000-0000-4000-8000-00000000000${number}`
  const made = (row: number, changes: object = {}) =>
    rowLine('created', row, { record_id: id(row), record_type: 'contact', ...changes })
  const gone = { run: 'F1', status: 'forgotten', by_hand: true }
  const command = (name: string, changes: object = {}) => openingLine('F1', { command: name, ...changes })
  const closing = { run: 'F1', at: '2026-11-22T08:00:01.000Z', ended: { rows: 0 }, command: 'forget' }

  /** What the keys k1 and K1 are looked up as. */
  async function lookedUp(lines: readonly object[], url = 'https://api.example.com') {
    const log = JSON.stringify(await logOf(...lines))
    const body = '{ name: { from: Id }, parent: { record_id: { from: Who, lookup: people } } }'
    const cwd = await folderWith({
      'rows.csv': 'Id,Who\n1,k1\n2,K1\n',
      'map.yaml': `${tasks(body)}lookups: { people: { results: ${log} } }\n`,
    })
    const target = ['--base-url', url, '--organization-id', '7', '--dry-run', '--preview', '-']
    const words = ['import', 'rows.csv', '-m', 'map.yaml', ...target]
    const { stdout, stderr } = await rowlift(words, { cwd })
    const found = linesOf(stdout).map(({ body, errors }) => body?.parent.record_id ?? errors[0].code)
    return { found, stderr }
  }

  it('a lookup never hands out a record that was forgotten, and finds the one that came after it', async () => {
    const trial = [openingLine(), made(1), command('forget'), made(1, gone)]
    expect((await lookedUp(trial)).found).toEqual([id(1), id(1)])
    const without = ['lookup_without_record', 'lookup_without_record']
    expect((await lookedUp([...trial, closing])).found).toEqual(without)
    const again = [openingLine('R2'), made(1, { run: 'R2', record_id: id(2) })]
    expect((await lookedUp([...trial, closing, ...again])).found).toEqual([id(2), id(2)])
    const same = [openingLine('R2'), made(1, { run: 'R2' })]
    expect((await lookedUp([...trial, closing, ...same])).found).toEqual([id(1), id(1)])
  })

  it('a lookup compares the address to which a log moved, in any spelling', async () => {
    const log = [
      ...[openingLine('R1', { base_url: 'http://127.0.0.1:8080' }), made(1)],
      ...[command('move', { base_url: 'http://127.0.0.1:9090' }), { ...closing, command: 'move' }],
    ]
    expect((await lookedUp(log, 'http://LOCALHOST:9090/')).found).toEqual([id(1), id(1)])
    expect((await lookedUp(log, 'http://[::1]:8080')).stderr).toContain('belongs to another base URL')
  })
})
