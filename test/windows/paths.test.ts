import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importing, importOf, taskMapping, taskNames, tasks } from '../support/imports.ts'
import { outcomesIn, start } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'
import { windowsNode } from '../support/wine.ts'
import { zipOf } from '../support/zip.ts'

const run = (args: readonly string[], cwd: string) => start(args, { cwd }).ended

describe.runIf(windowsNode !== undefined)('paths on Windows', () => {
  const long = join('l'.repeat(120), 'm'.repeat(120), 'n'.repeat(60))

  it.each([
    ['a drive letter', (cwd: string, name: string) => `Z:${join(cwd, name).replaceAll('/', '\\')}`, '.'],
    [
      'a path of the system',
      (cwd: string, name: string) => `\\\\?\\Z:${join(cwd, name).replaceAll('/', '\\')}`,
      '.',
    ],
    ['backslashes', (_: string, name: string) => `.\\data\\${name}`, 'data'],
    [
      'blanks and signs',
      (_: string, name: string) => `Müller & Söhne (50%)\\личные\\${name}`,
      'Müller & Söhne (50%)/личные',
    ],
    ['300 characters', (_: string, name: string) => join(long, name), long],
  ])('files are found by %s', async (_, pathOf, folder) => {
    const service = await startService()
    const cwd = await files()
    const inside = folder === '.' ? cwd : join(cwd, folder)
    await mkdir(inside, { recursive: true })
    await writeFile(join(inside, 'tasks.csv'), tasks(3))
    await writeFile(join(inside, 'task.yaml'), taskMapping)
    const [source, map, log, page] = ['tasks.csv', 'task.yaml', 'r.ndjson', 'p.html'].map(name =>
      pathOf(cwd, name),
    )
    const args = ['import', `${source}`, '-m', `${map}`, '-o', `${log}`, '--report', `${page}`]
    const to = ['--base-url', service.url, '--organization-id', '7', '--rejects', `${log}.csv`]
    expect(await run([...args, ...to], cwd)).toMatchObject({ exitCode: 0 })
    expect(await outcomesIn(join(inside, 'r.ndjson'))).toHaveLength(3)
    expect(await readFile(join(inside, 'p.html'), 'utf8')).toContain('<!doctype html>')
    expect((await run([...args, ...to], cwd)).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(3))
  })

  it('a file in an archive is named with backslashes', async () => {
    const service = await startService()
    const cwd = await files({
      'all.zip': zipOf([{ name: 'in/tasks.csv', content: tasks(2) }, { name: 'b.csv' }]),
    })
    expect((await run(importOf('all.zip\\in\\tasks.csv', 'task.yaml', service.url), cwd)).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(2))
  })

  it('a file is the same whatever the case of its name, whether it is there or not', async () => {
    const { cwd, args } = await importing(1)
    const twice = await run([...args, 'TASKS.CSV'], cwd)
    expect(twice).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is the same file as tasks.csv'),
    })
    const outputs = await run([...args, '--summary', 'New.json', '--report', 'NEW.JSON'], cwd)
    expect(outputs).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is the page') })
  })

  it.each(['NUL', 'con.csv', 'LPT1.json'])('the device %s is refused', async name => {
    const { service, cwd, args } = await importing(1)
    for (const option of ['--summary', '--rejects', '--report'])
      expect(await run([...args, option, name], cwd)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('is a device on Windows'),
      })
    expect(service.calls).toEqual([])
  })

  it('a printed command has quotes that cmd and PowerShell read', async () => {
    const cwd = await files()
    await writeFile(join(cwd, "it's people.csv"), tasks(2))
    const { stderr } = await run(['init', "it's people.csv", '-o', 'my map.yaml'], cwd)
    expect(stderr).toContain('rowlift import "it\'s people.csv" -m "my map.yaml" --dry-run')
  })
})
