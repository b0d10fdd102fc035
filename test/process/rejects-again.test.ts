import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pollOptions } from '../support/polling.ts'
import { editRejects, importWithRejects, recordsIn } from '../support/rejects-file.ts'
import { outcomesIn, rowlift, start, summaryOf } from '../support/rowlift.ts'

const mapping =
  'record: contact\nkey: Email\nbody:\n  name: { from: Name, required: true }\n  emails: [{ email: { from: Email, as: email, required: true } }]\n'
const people = (...rows: string[]) => `Name,Email\n${rows.map(row => `${row}\n`).join('')}`

describe('file of rejected rows', () => {
  it('a file of rejected rows of a killed import leaves a row in doubt, settled for its source too', async () => {
    const { service, cwd, args, bad, log, exported } = await importWithRejects(
      { 'map.yaml': mapping, 'a.csv': people('Ada,ada@example.com', 'Bob,nope') },
      ['a.csv'],
      'bad.csv',
      { react: (_, { body }) => (body.name === 'Bob' ? { hang: true } : 'create') },
    )
    await exported()
    await editRejects(bad, row => Object.assign(row, { Email: 'bob@example.com' }))
    const { process, ended } = start(args(['bad.csv']), { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBe(2)
    process.kill('SIGKILL')
    await ended
    const held = await exported()
    expect(summaryOf(held)).toMatchObject({ abandoned: 1, held: 1, invalid: 0, in_doubt_total: 1 })
    const id = '9d2f8a54-6f0e-4c1b-9a77-3f2f1c0b5e11'
    const settled = await rowlift(
      ['resolve', 'results.ndjson', '--key', 'bob@example.com', '--record-id', id],
      { cwd },
    )
    expect(settled.exitCode).toBe(0)
    const last = await exported()
    expect([last.exitCode, summaryOf(last).done]).toEqual([0, 2])
    const lines = await outcomesIn(log)
    const { hash } = lines.find(({ status }) => status === 'invalid') ?? {}
    expect(lines.filter(line => line.by_hand)).toMatchObject([
      { key: 'bob@example.com', replaces: hash, status: 'created' },
    ])
  })

  it('a file of rejected rows stays when the run is killed, and the next one makes it anew', async () => {
    let hangs = true
    const { service, cwd, args, bad, exported } = await importWithRejects(
      {
        'map.yaml': mapping,
        'a.csv': people('Bob,nope', 'Ada,ada@example.com'),
        'bad.csv': 'of yesterday\n',
      },
      ['a.csv'],
      'bad.csv',
      { react: () => (hangs ? { hang: true } : 'create') },
    )
    const { process, ended } = start(args(['a.csv'], '--rejects', 'bad.csv'), { cwd, stdin: '' })
    await expect.poll(() => service.calls.length, pollOptions).toBe(1)
    process.kill('SIGKILL')
    await ended
    expect(await readFile(bad, 'utf8')).toBe('of yesterday\n')
    hangs = false
    await exported()
    expect((await recordsIn(bad)).map(([name]) => name)).toEqual(['Name', 'Bob'])
    await writeFile(join(cwd, 'a.csv'), people('Bob,bob@example.com'))
    expect(summaryOf(await exported())).toMatchObject({ created: 1, rejected_rows: 0 })
    expect(await readFile(bad, 'utf8')).toBe('\uFEFFName,Email,rowlift_key,rowlift_reason\n')
    expect((await readdir(cwd)).filter(name => name.endsWith('.part'))).toEqual([])
  })
})
