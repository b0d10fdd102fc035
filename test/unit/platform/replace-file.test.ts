import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LockError } from '../../../src/model/errors.ts'
import { replaceFile, syncFolderOf } from '../../../src/platform/replace-file.ts'
import type { Lock } from '../../../src/store/files/lock.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { fastClock } from '../../support/clock.ts'

const run = '01JDAAAAAAAAAAAAAAAAAAAAAA'
const lost = new LockError('lock_lost', { log: 'r.ndjson' })

/** A lock that is lost after it was looked at so often. */
function lockFor(checks = Number.POSITIVE_INFINITY): Lock {
  let left = checks
  return {
    check() {
      left -= 1
      if (left < 0) throw lost
    },
    busyMs: 0,
    release: async () => {},
  }
}

describe('replacement of a file', () => {
  it('a file that is replaced has the new text, is open to take more, and is for its owner alone', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'r.ndjson')
    await writeFile(path, 'old')
    const file = await replaceFile(path, ['a\n', 'b\n'], { id: run })
    await file.appendFile('c\n')
    await file.datasync()
    await file.close()
    expect(await readFile(path, 'utf8')).toBe('a\nb\nc\n')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['r.ndjson'])
  })

  it.each([0, 1])(
    'a file that is replaced stays as it was if the lock is lost after %i looks at it',
    async checks => {
      const folder = await tempFolder()
      const path = join(folder, 'r.ndjson')
      await writeFile(path, 'old')
      await expect(replaceFile(path, ['new'], { id: run, check: lockFor(checks).check })).rejects.toBe(lost)
      expect(await readFile(path, 'utf8')).toBe('old')
      expect(await readdir(folder)).toEqual(['r.ndjson'])
    },
  )

  it('a file that is replaced stays as it was if the new text cannot be had', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'r.ndjson')
    async function* texts() {
      yield Buffer.from('new')
      throw new Error('no more')
    }
    await expect(replaceFile(path, texts(), { id: run })).rejects.toThrow('no more')
    await expect(replaceFile(path, texts(), { id: run, check: lockFor(1).check })).rejects.toBe(lost)
    expect(await readdir(folder)).toEqual([])
  })

  it('a file that is replaced is not made in a folder that does not exist', async () => {
    const path = join(await tempFolder(), 'none', 'r.ndjson')
    await expect(replaceFile(path, ['new'], { id: run })).rejects.toMatchObject({ syscall: 'open' })
  })
})

describe('unfinished files of a name', () => {
  const [first, second, others] = [
    `r.json.${run}.new`,
    `r.json.${run.replace('J', 'K')}.new`,
    ['q.json', 'r.json.notes.new', `q.json.${run}.new`],
  ]

  it('unfinished files of a name are removed once nobody has changed them for a minute, and no others', async () => {
    const folder = await tempFolder()
    for (const name of [first, second, ...others]) await writeFile(join(folder, name), '{')
    const twoMinutesAgo = Date.now() / 1_000 - 120
    for (const name of [first, ...others]) await utimes(join(folder, name), twoMinutesAgo, twoMinutesAgo)
    await (await replaceFile(join(folder, 'r.json'), ['new'], { id: `${run.slice(1)}Z` })).close()
    expect((await readdir(folder)).sort()).toEqual([...others, 'r.json', second].sort())
  })

  it('unfinished files of a name are all removed under a lock, and none if it is lost', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'r.json')
    await writeFile(join(folder, first), '{')
    const options = { id: `${run.slice(1)}Z`, longestPauseMs: 0 }
    await expect(replaceFile(path, ['new'], { ...options, check: lockFor(0).check })).rejects.toBe(lost)
    expect(await readdir(folder)).toEqual([first])
    await (await replaceFile(path, ['new'], options)).close()
    expect(await readdir(folder)).toEqual(['r.json'])
  })

  it('a folder is not synced on Windows, which refuses that', async () => {
    const nowhere = join(await tempFolder(), 'absent', 'file')
    await expect(syncFolderOf(nowhere, 'linux')).rejects.toThrow('ENOENT')
    await syncFolderOf(nowhere, 'win32')
  })

  it('the lock is looked at before each try on Windows, where others may have the file open', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'r.ndjson')
    await writeFile(path, 'old')
    let looks = 0
    const check = () => {
      looks += 1
      if (looks >= 5) throw lost
      if (looks > 1) throw Object.assign(new Error('open elsewhere'), { code: 'EPERM' })
    }
    const replaced = replaceFile(path, ['new'], { id: run, check, clock: fastClock(), system: 'win32' })
    await expect(replaced).rejects.toThrow(lost)
    expect(looks).toBe(6) // the last one names the cause
    expect(await readFile(path, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['r.ndjson'])
  })
})
