import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  files,
  filesBesideLog,
  importing,
  importOf,
  taskMapping,
  taskNames,
  tasks,
} from '../support/imports.ts'
import { closedLatch } from '../support/latch.ts'
import { pollOptions } from '../support/polling.ts'
import { start } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'
import { startUnderWine, windowsNode } from '../support/wine.ts'

const held = 'is open in another program, such as Excel'

/** Holds a file as Excel does (nobody else may write to it) or as Node does (nobody may replace it), until it is let go. */
async function hold(cwd: string, file: string, how: 'alone' | 'shared') {
  const flags = how === 'alone' ? `0x10000000 | fs.constants.O_RDWR` : `'r'`
  const program = `
    const fs = require('node:fs')
    const file = fs.openSync(process.argv[1], ${flags})
    fs.writeFileSync('held', '')
    setInterval(() => fs.existsSync('let-go') && process.exit(), 20)`
  await rm(join(cwd, 'let-go'), { force: true })
  const { ended } = startUnderWine(['-e', program, file], { cwd })
  await expect.poll(() => existsSync(join(cwd, 'held')), pollOptions).toBe(true)
  await rm(join(cwd, 'held'))
  return async () => {
    await writeFile(join(cwd, 'let-go'), '')
    await ended
  }
}

const run = (args: readonly string[], cwd: string, env = {}) => start(args, { cwd, env }).ended

describe.runIf(windowsNode !== undefined)('files on Windows', () => {
  it('a source and a log that another program has open alone are told of, and nothing is sent', async () => {
    const { service, cwd, args } = await importing(3)
    const letSourceGo = await hold(cwd, 'tasks.csv', 'alone')
    const refused = await run(args, cwd)
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`tasks.csv: ${held}`) })
    await letSourceGo()
    expect(service.calls).toEqual([])
    expect((await run(args, cwd)).exitCode).toBe(0)
    await writeFile(join(cwd, 'tasks.csv'), tasks(4))
    const letLogGo = await hold(cwd, 'results.ndjson', 'alone')
    expect(await run(args, cwd)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(held) })
    await letLogGo()
    expect((await run(args, cwd)).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(taskNames(4))
  })

  it('a file of rejected rows that is open alone is told of before the first call', async () => {
    const { service, cwd, args } = await importing(3)
    await writeFile(join(cwd, 'rejects.csv'), 'of yesterday')
    const letGo = await hold(cwd, 'rejects.csv', 'alone')
    const refused = await run([...args, '--rejects', 'rejects.csv'], cwd)
    await letGo()
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`rejects.csv: ${held}`) })
    expect(service.calls).toEqual([])
    expect(await readFile(join(cwd, 'rejects.csv'), 'utf8')).toBe('of yesterday')
  })

  it('a file of rejected rows that is open at the end is told of, and written by the next run', async () => {
    const service = await startService()
    const cwd = await files({ 'rejects.csv': 'of yesterday' })
    const args = importOf('contacts.csv', 'map.yaml', service.url, '--rejects', 'rejects.csv')
    const letGo = await hold(cwd, 'rejects.csv', 'shared')
    const ended = await run(args, cwd)
    await letGo()
    expect(ended).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(`rejects.csv: ${held}`) })
    expect(await readFile(join(cwd, 'rejects.csv'), 'utf8')).toBe('of yesterday')
    const calls = service.calls.length
    expect((await run(args, cwd)).exitCode).toBe(1)
    expect(await readFile(join(cwd, 'rejects.csv'), 'utf8')).toContain('nope')
    expect(service.calls).toHaveLength(calls)
  })

  it('a file that a scanner has open for a moment is replaced after it', async () => {
    const latch = closedLatch()
    const { service, cwd, args } = await importing(3, { holds: () => latch.opened })
    await writeFile(join(cwd, 'rejects.csv'), '')
    const letGo = await hold(cwd, 'rejects.csv', 'shared')
    const { ended } = start([...args, '--rejects', 'rejects.csv'], { cwd })
    await expect.poll(() => service.calls.length, pollOptions).toBe(3)
    latch.open()
    await expect.poll(() => readFile(join(cwd, 'results.ndjson'), 'utf8'), pollOptions).toContain('"ended"')
    await letGo()
    expect((await ended).exitCode).toBe(0)
    expect(await readFile(join(cwd, 'rejects.csv'), 'utf8')).toContain('Name')
  })

  it('an intent log that has grown is replaced while it is in use', async () => {
    const service = await startService()
    const note = 'x'.repeat(20_000)
    const rows = Array.from({ length: 300 }, (_, at) => `${at + 1},Task ${at + 1},${note}\n`)
    const cwd = await files({
      'big.csv': `Id,Name,Note\n${rows.join('')}`,
      'big.yaml': taskMapping.replace('}"', '}", description: "{{Note}}"'),
    })
    const ended = await run(importOf('big.csv', 'big.yaml', service.url), cwd)
    expect(ended).toMatchObject({ exitCode: 0 })
    expect(madeBy(service)).toEqual(taskNames(300))
    expect(await filesBesideLog(cwd)).toEqual([])
  })

  it('line ends of Windows are read in sources, mappings, settings, plans and token files', async () => {
    const service = await startService()
    const ends = (text: string) => text.replaceAll('\n', '\r\n')
    const settings = `base-url: ${service.url}\norganization-id: 7\ntoken-file: token.txt\n`
    const plan = 'steps:\n  tasks:\n    source: tasks.csv\n    mapping: task.yaml\n'
    const cwd = await files({
      'tasks.csv': ends(tasks(3)),
      'task.yaml': ends(`${taskMapping}tests:\n  - row: { Id: 1, Name: A }\n    body: { name: A }\n`),
      'rowlift.yaml': ends(settings),
      'plan.yaml': ends(plan),
      'token.txt': ends('a-secret-token\n'),
    })
    const ended = await run(['import', '--plan', 'plan.yaml', '--config', 'rowlift.yaml'], cwd, {
      ROWLIFT_TOKEN: '',
    })
    expect(ended).toMatchObject({ exitCode: 0 })
    expect(madeBy(service)).toEqual(taskNames(3))
  })

  it('a token comes from an .exe, and from a .cmd by cmd /c', async () => {
    const { service, cwd, args } = await importing(1)
    await writeFile(join(cwd, 'token.cmd'), '@echo a-secret-token\r\n')
    const by = (command: string) => run([...args, '--token-command', command], cwd, { ROWLIFT_TOKEN: '' })
    expect(await by('token.cmd')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('write cmd /c'),
    })
    expect((await by('cmd /c token.cmd')).exitCode).toBe(0)
    expect(service.calls[0]?.headers.authorization).toBe('Bearer a-secret-token')
  })
})
