import { chown, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Lock } from '../../../src/journal/lock.ts'
import { removeUnfinished, replaceFile, rewriteLog } from '../../../src/journal/replace-file.ts'
import { LockError, LogError } from '../../../src/model/errors.ts'
import { tempFolder } from '../../support/cleanup.ts'

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
    release: async () => {},
  }
}

describe('a file that is replaced', () => {
  it('has the new text, is open to take more, and for its owner alone', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'r.ndjson')
    await writeFile(path, 'old')
    const file = await replaceFile(path, run, ['a\n', 'b\n'], lockFor())
    await file.appendFile('c\n')
    await file.datasync()
    await file.close()
    expect(await readFile(path, 'utf8')).toBe('a\nb\nc\n')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['r.ndjson'])
  })

  it.each([0, 1])('stays as it was where the lock is lost after %i looks at it', async checks => {
    const folder = await tempFolder()
    const path = join(folder, 'r.ndjson')
    await writeFile(path, 'old')
    await expect(replaceFile(path, run, ['new'], lockFor(checks))).rejects.toBe(lost)
    expect(await readFile(path, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['r.ndjson'])
  })

  it('stays as it was where the new text cannot be had, and a lost lock is the reason that counts', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'r.ndjson')
    async function* texts() {
      yield Buffer.from('new')
      throw new Error('no more')
    }
    await expect(replaceFile(path, run, texts(), lockFor())).rejects.toThrow('no more')
    await expect(replaceFile(path, run, texts(), lockFor(1))).rejects.toBe(lost)
    expect(await readdir(folder)).toEqual([])
  })

  it('is not made in a folder that does not exist', async () => {
    const path = join(await tempFolder(), 'none', 'r.ndjson')
    await expect(replaceFile(path, run, ['new'], lockFor())).rejects.toMatchObject({ syscall: 'open' })
  })
})

describe('a log that is rewritten', () => {
  async function* texts() {
    yield Buffer.from('new')
  }

  it('has the new text and its sizes are told; no remains stay beside it', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'r.ndjson')
    await writeFile(path, 'old ones')
    await writeFile(`${path}.inflight.new`, 'half a li')
    expect(await rewriteLog({ path, log: path }, run, texts(), lockFor())).toEqual({ before: 8, after: 3 })
    expect(await readFile(path, 'utf8')).toBe('new')
    expect(await readdir(folder)).toEqual(['r.ndjson'])
  })

  it.runIf(process.getuid?.() === 0)('stays its owner’s, whose next run has to read it', async () => {
    const path = join(await tempFolder(), 'r.ndjson')
    await writeFile(path, 'old')
    await chown(path, 4711, 4712)
    await rewriteLog({ path, log: path }, run, texts(), lockFor())
    const { uid, gid } = await stat(path)
    expect([uid, gid]).toEqual([4711, 4712])
  })

  it('is named where it cannot be, unless the lock is lost', async () => {
    const path = join(await tempFolder(), 'r.ndjson')
    const missing = new LogError('cannot_write', { path, reason: 'ENOENT' })
    await expect(rewriteLog({ path, log: path }, run, texts(), lockFor())).rejects.toThrow(missing)
    await writeFile(path, 'old')
    await expect(rewriteLog({ path, log: path }, run, texts(), lockFor(0))).rejects.toBe(lost)
  })
})

describe('unfinished files', () => {
  const names = ['r.ndjson', `r.ndjson.${run}.new`, 'r.ndjson.inflight', 'r.ndjson.inflight.new']
  const others = ['x', 'r.ndjson.new', `q.ndjson.${run}.new`, `r.ndjson.${run}.newer`, `r.ndjson.x${run}.new`]
  const more = [`r.ndjson.inflight.${run}.new`, 'r.ndjson.inflights.new', 'r.ndjson.inflight..new']

  async function folderOf(): Promise<string> {
    const folder = await tempFolder()
    for (const name of [...names, ...others, ...more]) await writeFile(join(folder, name), '')
    return folder
  }

  it('are removed, and nothing else is', async () => {
    const folder = await folderOf()
    removeUnfinished(join(folder, 'r.ndjson'), lockFor())
    expect((await readdir(folder)).sort()).toEqual(
      [...others, 'r.ndjson', 'r.ndjson.inflight', 'r.ndjson.inflights.new', 'r.ndjson.inflight..new'].sort(),
    )
  })

  it('are left alone where another run holds the lock', async () => {
    const folder = await folderOf()
    expect(() => removeUnfinished(join(folder, 'r.ndjson'), lockFor(0))).toThrow(lost)
    expect(await readdir(folder)).toHaveLength(names.length + others.length + more.length)
  })
})
