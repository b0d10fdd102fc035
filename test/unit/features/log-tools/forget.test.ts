import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { folderWith, into, linesOf, outcomesIn, rowlift } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'

const idOf = (number: number) => `9d2f0000-0000-4000-8000-${String(number).padStart(12, '0')}`
const made = (status: string, row: number, id = row, changes: object = {}) =>
  rowLine(status, row, { record_id: idOf(id), record_type: 'contact', ...changes })

/** Two runs with rows of every kind; k6 has the record of k1. */
const mixedLog = () =>
  logOf(
    openingLine('R1'),
    made('created', 1),
    made('existing', 2),
    rowLine('in_doubt', 3, { errors: [], body: {} }),
    rowLine('failed', 4, { errors: [] }),
    openingLine('R2'),
    made('created', 5, 5, { run: 'R2' }),
    made('merged', 6, 1, { run: 'R2', same_as: { source: 'contacts.csv', row: 1 } }),
    { run: 'R2', at: '2026-11-23T08:02:00.000Z', ended: { rows: 6 } },
  )

async function asked(log: string, files: Readonly<Record<string, string>> = {}) {
  const cwd = dirname(log)
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  const show = (...words: string[]) => rowlift(['log', 'results.ndjson', ...words], { cwd })
  return {
    cwd,
    show,
    forget: (...words: string[]) => show('--forget', ...words),
    forgotten: async () => (await outcomesIn(log)).filter(({ status }) => status === 'forgotten'),
  }
}

const allKeys = { keys: 'k1\r\nk2\nk3\n\nk4\nk9\n' }

describe('rowlift log --forget', () => {
  it('rowlift log --forget lists what it would forget, and changes nothing until somebody says yes', async () => {
    const log = await mixedLog()
    const { forget } = await asked(log, allKeys)
    const before = await readFile(log, 'utf8')
    const { exitCode, stdout, stderr } = await forget('--keys', 'keys')
    expect(exitCode).toBe(2)
    expect(stdout).toBe(
      `key,record_id,status,source,row\nk1,${idOf(1)},created,contacts.csv,1\nk6,${idOf(1)},merged,contacts.csv,6\n`,
    )
    expect(stderr).toContain(
      'results.ndjson: 4 rows left alone: k9 (not in the log), k2 (existing), k3 (in doubt), k4 (failed)\n',
    )
    expect(stderr).toContain('2 rows would be forgotten')
    expect(await readFile(log, 'utf8')).toBe(before)
  })

  it('rowlift log --forget writes lines that name each row and its record, in a run that is a command', async () => {
    const log = await mixedLog()
    const { forget, forgotten, show } = await asked(log, allKeys)
    expect(await forget('--keys', 'keys', '--yes')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('2 rows forgotten; the next import sends them again'),
    })
    const shared = { record_id: idOf(1), by_hand: true, hash: '0123456789abcdef', source: 'contacts.csv' }
    expect(await forgotten()).toMatchObject([
      { key: 'k1', row: 1, line: 2, ...shared },
      { key: 'k6', row: 6, line: 7, ...shared },
    ])
    const lines = linesOf(await readFile(log, 'utf8'))
    expect(lines.at(-4)).toMatchObject({ command: 'forget', organization_id: 7, key_columns: ['Email'] })
    expect(lines.at(-1)).toMatchObject({ command: 'forget', ended: { rows: 0 }, run: lines.at(-4).run })
    const again = await forget('--keys', 'keys', '--yes')
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('nothing to forget')])
    expect(linesOf(await readFile(log, 'utf8'))).toHaveLength(lines.length)
    const [part] = linesOf((await show('--json')).stdout)
    expect(part).toMatchObject({
      run: 'R2',
      counts: { created: 1, existing: 1, merged: 0, in_doubt: 1, failed: 1, forgotten: 2 },
      settled_by_hand: 0,
      runs: [{ run: 'R1' }, { run: 'R2', rows: 6 }, { command: 'forget', counts: { forgotten: 2 } }],
    })
    expect((await show('--ids', '--all')).stdout).not.toContain(idOf(1))
  })

  it('rowlift log --forget leaves a merged row alone whose record was there before the import', async () => {
    const log = await logOf(openingLine('R1'), made('existing', 1), made('merged', 2, 1), made('created', 3))
    const { forget, forgotten } = await asked(log)
    const { stderr } = await forget('--run', 'R1', '--yes')
    expect(stderr).toContain('2 rows left alone: k1 (existing), k2 (merged)')
    expect((await forgotten()).map(({ key }) => key)).toEqual(['k3'])
  })

  it('rowlift log --forget by an export forgets only rows whose records are absent there', async () => {
    const log = await mixedLog()
    const { forget, forgotten } = await asked(log, { 'there.csv': `Id\n${idOf(5).toUpperCase()}\n` })
    const byExport = ['--from', 'there.csv', '--id', 'Id']
    const kept = await forget('--run', 'last', ...byExport)
    expect(kept.stderr).toContain('1 row left alone: k5 (created)')
    expect((await forgotten()).map(({ key }) => key)).toEqual(['k1', 'k6'])
    expect(await forget('--run', 'R1', ...byExport)).toMatchObject({ exitCode: 0, stdout: '' })
  })

  it('rowlift log --forget refuses an export that has none of the records that must be there', async () => {
    const log = await mixedLog()
    const { forget, forgotten } = await asked(log, { 'others.csv': `Id\n${idOf(99)}\n`, keys: 'k1\n' })
    const { exitCode, stderr } = await forget('--keys', 'keys', '--from', 'others.csv', '--id', 'Id')
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('has none of the records that the log has'),
    ])
    expect(await forgotten()).toEqual([])
    const alone = await logOf(openingLine('R1'), made('created', 1))
    const ofOne = await asked(alone, { 'empty.csv': 'Id\n' })
    const { exitCode: done } = await ofOne.forget('--run', 'R1', '--from', 'empty.csv', '--id', 'Id')
    expect(done).toBe(0)
    expect(await ofOne.forgotten()).toHaveLength(1)
  })

  it('rowlift log --forget needs to know which rows, and of an export the column of ids', async () => {
    const { forget, show } = await asked(await mixedLog(), allKeys)
    const wrong = [[], ['--run', 'R1', '--keys', 'keys'], ['--keys', 'keys', '--from', 'x.csv'], ['--ids']]
    for (const words of wrong)
      expect(await forget(...words)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('do not go together'),
      })
    expect((await show('--ids', '--yes')).exitCode).toBe(2)
    expect((await forget('--keys', 'none')).stderr).toContain('none: there is no such keys file')
  })

  it('a row that was forgotten is sent again, and its new record is the one that counts', async () => {
    const { url, made: records } = await startService()
    const cwd = await folderWith({
      'rows.csv': 'Id,Name\n1,One\n2,Two\n',
      'map.yaml': 'record: task\nkey: Id\nbody: { name: { from: Name } }\n',
      keys: '1\n',
    })
    const words = ['import', 'rows.csv', '-m', 'map.yaml', ...into(url)]
    await rowlift(words, { cwd })
    const { forget, show } = await asked(join(cwd, 'results.ndjson'))
    await forget('--keys', 'keys', '--yes')
    await rowlift(words, { cwd })
    await rowlift(words, { cwd })
    expect(records.map(({ name }) => name).sort()).toEqual(['One', 'One', 'Two'])
    const second = records.at(-1)?.recordId ?? ''
    expect((await show('--ids')).stdout.split('\n')).toEqual([
      'key,record_id,status,source,row',
      expect.stringContaining('2,'),
      `1,${second},created,rows.csv,1`,
      '',
    ])
    await writeFile(join(cwd, 'there.csv'), `Id\n${records.map(({ recordId }) => recordId).join('\n')}\n`)
    const verified = await rowlift(['verify', 'results.ndjson', '--against', 'there.csv', '--id', 'Id'], {
      cwd,
    })
    expect(JSON.parse(verified.stdout)).toMatchObject({
      counts: { records: 2, exported: 3, found: 2, missing: 0, unknown: 1 },
      unknown: [{ record_id: records.find(({ name }) => name === 'One')?.recordId }],
    })
  })

  it('rowlift log --ids --reverse lists the newest records first', async () => {
    const { show } = await asked(await mixedLog())
    const { stdout } = await show('--ids', '--all', '--reverse')
    const keys = stdout.split('\n').map(line => line.split(',')[0])
    expect(keys).toEqual(['key', 'k6', 'k5', 'k2', 'k1', ''])
  })
})
