import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordsIn } from '../../../support/rejects-file.ts'
import { folderWith, linesOf, rowlift } from '../../../support/rowlift.ts'

const tasks = `Title;Status;Assignee;Priority;Due
Paint the shed;Geplant;Ada Stone;Kürbis;2026-01-02
Clean the house;Wartet;Bob Marsh;High;2026-01-03
Sweep the floor;Offen;Ada Stone;=1+1;2026-01-04
Mop the floor;Geplant;Ada Stone;Urgent;2026-01-05
`
const init = ['init', 'tasks.csv', '-o', 'drafts/tasks.yaml', '--worksheets', 'sheets']

async function drafted() {
  const cwd = await folderWith({ 'tasks.csv': tasks })
  await mkdir(join(cwd, 'drafts'))
  const ended = await rowlift(init, { cwd })
  expect([ended.exitCode, ended.stderr]).toEqual([0, expect.stringContaining('This is a draft')])
  return cwd
}

describe('a draft with worksheets', () => {
  it('the tables have the words and people of the first rows, and the mapping reads them', async () => {
    const cwd = await drafted()
    const text = await readFile(join(cwd, 'drafts/tasks.yaml'), 'utf8')
    expect(text).toContain('map_file: "../sheets/status.csv"')
    expect(text).toContain('users: { file: "../sheets/users.csv", key: name, value: user_id }')
    expect(text).not.toContain('# ?')
    expect((await readdir(join(cwd, 'sheets'))).sort()).toEqual(['priority.csv', 'status.csv', 'users.csv'])
    expect(await recordsIn(join(cwd, 'sheets/status.csv'), ';')).toEqual([
      ['name', 'use', 'rows', 'first'],
      ['Geplant', '', '2', 'tasks.csv:2'],
      ['Wartet', '', '1', 'tasks.csv:3'],
      ['Offen', '', '1', 'tasks.csv:4'],
    ])
    expect(await recordsIn(join(cwd, 'sheets/priority.csv'), ';')).toEqual([
      ['name', 'use', 'rows', 'first'],
      ['Kürbis', '', '1', 'tasks.csv:2'],
      ["'=1+1", '', '1', 'tasks.csv:4'],
    ])
    expect((await rowlift(['test', 'drafts/tasks.yaml'], { cwd })).exitCode).toBe(0)
  })

  it('what a person filled in is sent', async () => {
    const cwd = await drafted()
    for (const [name, answers] of Object.entries({
      status: { 'Geplant;': 'Geplant;3', 'Wartet;': 'Wartet;2', 'Offen;': 'Offen;1' },
      priority: { 'Kürbis;': 'Kürbis;low', "'=1+1;": "'=1+1;medium" },
      users: { 'Ada Stone;': 'Ada Stone;7', 'Bob Marsh;': 'Bob Marsh;8' },
    })) {
      const path = join(cwd, 'sheets', `${name}.csv`)
      let text = await readFile(path, 'utf8')
      for (const [empty, answer] of Object.entries(answers)) text = text.replace(empty, answer)
      await writeFile(path, text)
    }
    const dryRun = ['import', 'tasks.csv', '-m', 'drafts/tasks.yaml', '--dry-run', '--preview', '-']
    const { stdout, stderr } = await rowlift([...dryRun, '--worksheets', 'sheets'], { cwd })
    expect(stderr).not.toMatch(/no answer|fill in/)
    expect(
      linesOf(stdout).map(({ body }) => [body.status, body.priority, body.assigned_user.user_id]),
    ).toEqual([
      [3, 'low', 7],
      [2, 'high', 8],
      [1, 'medium', 7],
      [3, 'urgent', 7],
    ])
  })

  it('tables that are there are kept, and get what they lack', async () => {
    const cwd = await folderWith({ 'tasks.csv': tasks })
    await mkdir(join(cwd, 'drafts'))
    await mkdir(join(cwd, 'sheets'))
    await writeFile(join(cwd, 'sheets/status.csv'), 'name,use\nGeplant,3\n')
    await rowlift(init, { cwd })
    const text = await readFile(join(cwd, 'sheets/status.csv'), 'utf8')
    expect(text).toBe('\ufeffname,use\nGeplant,3\nWartet,\nOffen,\n')
  })

  it('a folder that cannot be made is a sentence', async () => {
    const cwd = await folderWith({ 'tasks.csv': tasks, sheets: '' })
    await mkdir(join(cwd, 'drafts'))
    const { exitCode, stderr } = await rowlift(init, { cwd })
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/sheets\/\w+.csv: cannot be written/)])
  })

  it('without worksheets the draft asks in a comment', async () => {
    const cwd = await folderWith({ 'tasks.csv': tasks })
    const { stdout } = await rowlift(['init', 'tasks.csv'], { cwd })
    expect(stdout).not.toMatch(/map_file|^ *status:/m)
    expect(stdout).toContain('# ? Which users are the people of "Assignee"?')
    expect(await readdir(cwd)).toEqual(['tasks.csv'])
  })

  it('the drafts of several files share the tables', async () => {
    const cwd = await folderWith({ 'tasks.csv': tasks, 'more.csv': tasks.replaceAll('Wartet', 'Neu') })
    const run = ['init', 'tasks.csv', 'more.csv', '-o', 'plan/', '--worksheets', 'sheets']
    expect((await rowlift(run, { cwd })).exitCode).toBe(0)
    const records = await recordsIn(join(cwd, 'sheets/status.csv'), ';')
    expect(records.map(([name]) => name).sort()).toEqual(['Geplant', 'Neu', 'Offen', 'Wartet', 'name'])
    const plan = await rowlift(['import', '--plan', 'plan/plan.yaml', '--dry-run'], { cwd })
    expect([plan.exitCode, plan.stderr]).toEqual([0, expect.stringContaining('4 texts have no answer yet')])
  })
})
