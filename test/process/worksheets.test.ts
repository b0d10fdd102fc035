import { watch } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordsIn } from '../support/rejects-file.ts'
import { folderWith, linesOf, rowlift, start } from '../support/rowlift.ts'

const mapping = `record: task
lookups: { users: { file: sheets/users.csv, key: name, value: user_id } }
body:
  name: { from: Title, required: true }
  status: { from: Status, map_file: sheets/status.csv, otherwise: omit, as: integer }
  assigned_user: { user_id: { from: Who, lookup: users, missing: omit, as: integer } }
`
const tasks = 'Title,Status,Who\nPaint,Erledigt,Ada\nMop,=1+1,Ada\n'
const dryRun = ['import', 'tasks.csv', '-m', 'tasks.yaml', '--dry-run', '--worksheets', 'sheets']
const preview = [...dryRun, '--preview', '-', '--log-format', 'pretty']

describe('worksheets', () => {
  it('a person fills in what a dry run asks, until nothing is left, and is asked again for new values', async () => {
    const cwd = await folderWith({ 'tasks.csv': tasks, 'tasks.yaml': mapping })
    const run = () => rowlift(preview, { cwd })
    const answer = async (name: string, answers: Readonly<Record<string, string>>) => {
      const [header, ...records] = await recordsIn(join(cwd, 'sheets', name))
      const filled = records.map(([text = '', use, ...rest]) =>
        [text, answers[text] ?? use, ...rest].join(';'),
      )
      await writeFile(join(cwd, 'sheets', name), [header?.join(';'), ...filled, ''].join('\r\n'), 'latin1')
    }
    const first = await run()
    expect([first.exitCode, first.stderr]).toEqual([0, expect.stringContaining('2 texts to fill in')])
    await answer('status.csv', { Erledigt: '3', "'=1+1": '4' })
    await answer('users.csv', { Ada: '7' })
    const second = await run()
    expect(second.stderr).not.toMatch(/fill in|no answer/)
    expect(linesOf(second.stdout).map(({ body }) => [body.status, body.assigned_user.user_id])).toEqual([
      [3, 7],
      [4, 7],
    ])
    await writeFile(join(cwd, 'tasks.csv'), `${tasks}Sweep,Geprüft,Bob\n`)
    const third = await run()
    expect(third.stderr).toContain('sheets/status.csv: 1 text to fill in')
    expect(await readFile(join(cwd, 'sheets/status.csv'), 'utf8')).toBe(
      "\ufeffname;use;rows;first\r\nErledigt;3;1;tasks.csv:2\r\n'=1+1;4;1;tasks.csv:3\r\nGeprüft;;1;tasks.csv:4\n",
    )
    expect((await run()).stderr).toMatch(/status.csv: 1 text has no answer yet: Geprüft/)
  })

  it('a run that is killed while it writes leaves the table as it was', async () => {
    const cwd = await folderWith({ 'tasks.yaml': mapping })
    const words = Array.from({ length: 5_000 }, (_, at) => `Task ${at},word ${at} ${'x'.repeat(300)},Ada`)
    await writeFile(join(cwd, 'tasks.csv'), `Title,Status,Who\n${words.join('\n')}\n`)
    await mkdir(join(cwd, 'sheets'))
    const before = 'name,use\nErledigt,3\n'
    await writeFile(join(cwd, 'sheets/status.csv'), before)
    await writeFile(join(cwd, 'sheets/users.csv'), 'name,user_id\nAda,7\n')
    const watcher = watch(join(cwd, 'sheets')) // a look now and then may come too late
    const writes = new Promise<void>(resolve => {
      watcher.on('change', (_event, name) => String(name).endsWith('.new') && resolve())
    })
    const { process, ended } = start(dryRun, { cwd, stdin: '' })
    await writes
    watcher.close()
    process.kill('SIGKILL')
    await ended
    const text = await readFile(join(cwd, 'sheets/status.csv'), 'utf8')
    if (text !== before) expect(text.split('\n').length).toBe(5_003) // it was quicker than the signal
    expect(text.startsWith('\ufeff') || text === before).toBe(true)
    expect((await rowlift(dryRun, { cwd })).exitCode).toBe(0)
    expect((await recordsIn(join(cwd, 'sheets/status.csv'))).length).toBe(5_002)
  })

  it('two runs at a time leave whole tables, and the next one lacks nothing', async () => {
    const cwd = await folderWith({ 'tasks.csv': tasks, 'tasks.yaml': mapping })
    const ends = await Promise.all([1, 2].map(() => start(dryRun, { cwd, stdin: '' }).ended))
    for (const { exitCode, stderr } of ends)
      if (exitCode !== 0)
        expect([exitCode, stderr]).toEqual([3, expect.stringContaining('open in another program')])
    expect((await rowlift(dryRun, { cwd })).exitCode).toBe(0)
    expect(await recordsIn(join(cwd, 'sheets/status.csv'))).toEqual([
      ['name', 'use', 'rows', 'first'],
      ['Erledigt', '', '1', 'tasks.csv:2'],
      ["'=1+1", '', '1', 'tasks.csv:3'],
    ])
  })
})
