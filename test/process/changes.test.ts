import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importOf } from '../support/imports.ts'
import { pollOptions } from '../support/polling.ts'
import { recordsIn } from '../support/rejects-file.ts'
import { start } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'

describe('the list of changed rows', () => {
  it('the list of changed rows stays when the run is killed, and the next one makes it anew', async () => {
    let hangs = false
    const service = await startService({ react: () => (hangs ? { hang: true } : 'create') })
    const cwd = await files({ 'tasks.csv': 'Id,Name\n1,One\n2,Two\n' })
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--changes', 'changes.csv', '--changed-rows')
    const run = () => start(args, { cwd, stdin: '' })
    const list = join(cwd, 'changes.csv')
    await run().ended
    await writeFile(join(cwd, 'tasks.csv'), 'Id,Name\n1,Uno\n2,Two\n3,Three\n')
    await writeFile(list, 'of yesterday\n')
    hangs = true
    const { process, ended } = run()
    await expect.poll(() => service.calls.length, pollOptions).toBe(3)
    process.kill('SIGKILL')
    await ended
    expect(await readFile(list, 'utf8')).toBe('of yesterday\n')
    hangs = false
    await run().ended
    expect((await recordsIn(list)).map(cells => [cells[0], cells.at(-1)])).toEqual([
      ['key', 'name'],
      ['1', 'Uno'],
    ])
    expect((await readdir(cwd)).filter(name => name.endsWith('.part'))).toEqual([])
  })
})
