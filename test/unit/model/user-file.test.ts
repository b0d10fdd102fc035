import { execFile } from 'node:child_process'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { largestDocument, readUserFile } from '../../../src/model/user-file.ts'
import { tempFolder } from '../../support/cleanup.ts'

const run = promisify(execFile)
const pipeIn = async (folder: string) => {
  const path = join(folder, 'pipe')
  await run('mkfifo', [path])
  return path
}

describe('file of the user', () => {
  it('a file of the user is read up to its limit, and refused beyond it', async () => {
    const path = join(await tempFolder(), 'plan.yaml')
    await writeFile(path, Buffer.alloc(largestDocument, '#'))
    expect(await readUserFile('plan', path)).toHaveLength(largestDocument)
    await appendFile(path, '#')
    const tooLarge = `${path}: is larger than 500 kB, the most that is read of a plan`
    await expect(readUserFile('plan', path)).rejects.toThrow(tooLarge)
  })

  it('a file of the user is not a device without an end', async () => {
    const refused = 'the settings: is larger than 500 kB, the most that is read of a settings file'
    await expect(readUserFile('settings file', '/dev/urandom', 'the settings')).rejects.toThrow(refused)
    await expect(readUserFile('token file', '/dev/zero')).rejects.toThrow('is larger than 64 kB')
  })

  it('a file of the user is no pipe that nobody writes to', async () => {
    const path = await pipeIn(await tempFolder())
    const refused = `${path}: is a pipe that nobody writes to; start its writer first, or name a file`
    await expect(readUserFile('mapping file', path, path, 20)).rejects.toThrow(refused)
  })

  it('a file of the user may be a pipe whose writer comes late and takes its time', async () => {
    const path = await pipeIn(await tempFolder())
    const writer = run('sh', ['-c', 'sleep 0.1; { printf one; sleep 0.1; printf two; } >"$0"', path])
    expect(String(await readUserFile('mapping file', path))).toBe('onetwo')
    await writer
  })
})
