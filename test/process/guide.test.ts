import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pollOptions } from '../support/polling.ts'
import { folderWith, start } from '../support/rowlift.ts'

describe.skipIf(process.platform !== 'linux')('the guide as a process', () => {
  it('opens the browser by a file of its owner alone, so that no argument holds the secret', async () => {
    const cwd = await folderWith({ 'c.csv': 'Name\nAda\n' })
    const seen = join(cwd, 'seen')
    await writeFile(
      join(cwd, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$*" > ${seen}.new\nmv ${seen}.new ${seen}\n`,
    )
    await chmod(join(cwd, 'xdg-open'), 0o755)
    const guide = start(['guide', 'c.csv'], { cwd, env: { PATH: `${cwd}:${process.env.PATH}` } })
    await expect.poll(() => readFile(seen, 'utf8').catch(() => ''), pollOptions).not.toBe('')
    const file = await readFile(seen, 'utf8')
    const { mode } = await stat(file)
    const text = await readFile(file, 'utf8')
    const address = /url=(http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43})"/.exec(text)?.[1]
    expect([mode & 0o777, file.includes('#'), address]).toEqual([0o600, false, expect.any(String)])
    guide.process.kill('SIGINT')
    expect((await guide.ended).exitCode).toBe(0)
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })
})
