import { link, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogError } from '../../../../src/model/errors.ts'
import { type Appendable, groupCommit, openDurableFile } from '../../../../src/store/files/durable-file.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { turns } from '../../../support/clock.ts'
import { closedLatch } from '../../../support/latch.ts'
import { timesOpen } from '../../../support/open-files.ts'

/** A file that notes what is done to it, and whose first sync takes until `firstSync` resolves, or a moment. */
function noting(failAt = Number.POSITIVE_INFINITY, firstSync: Promise<void> = turns()) {
  const written: string[] = []
  const synced: string[] = []
  const file: Appendable = {
    async appendFile(data) {
      if (written.length + 1 >= failAt) throw new Error('disk full')
      written.push(data.map(line => `${line}\n`).join(''))
    },
    async datasync() {
      const soFar = written.slice(synced.length)
      await firstSync
      await turns()
      synced.push(...soFar)
    },
    async close() {},
  }
  return { file, written, synced }
}

describe('appended lines', () => {
  it('appended lines are on disk when their promise resolves', async () => {
    const { file, synced } = noting()
    const lines = groupCommit(file)
    for (const line of ['one', 'two', 'three']) {
      await lines.append(line)
      expect(synced.join('')).toContain(`${line}\n`)
    }
  })

  it('appended lines share a sync with all that arrive during another one', async () => {
    const othersCame = closedLatch()
    const { file, written } = noting(undefined, othersCame.opened)
    const lines = groupCommit(file)
    const first = lines.append('first')
    await turns()
    expect(written).toEqual(['first\n'])
    const others = Array.from({ length: 500 }, (_, at) => lines.append(String(at)))
    othersCame.open()
    await Promise.all([first, ...others])
    expect(written).toHaveLength(2)
    expect(written.join('').split('\n')).toHaveLength(502)
  })

  it('appended lines share a sync with all that are appended in the same turn', async () => {
    const { file, written } = noting()
    const lines = groupCommit(file)
    const answers = [1, 2, 3].map(at =>
      new Promise(resolve => setImmediate(resolve)).then(() => lines.append(`${at}`)),
    )
    await Promise.all(answers)
    expect(written).toEqual(['1\n2\n3\n'])
  })

  it('appended lines keep their order', async () => {
    const { file, written } = noting()
    const lines = groupCommit(file)
    const all = []
    for (let at = 0; at < 50; at += 1) {
      all.push(lines.append(String(at)))
      if (at % 7 === 0) await turns()
    }
    await Promise.all(all)
    expect(written.join('').trim().split('\n').map(Number)).toEqual(Array.from({ length: 50 }, (_, at) => at))
  })

  it('appended lines are refused for good once the file could not be written', async () => {
    const { file, written } = noting(2)
    const lines = groupCommit(file)
    await lines.append('kept')
    const together = [lines.append('lost'), lines.append('lost too')]
    expect((await Promise.allSettled(together)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(lines.append('later')).rejects.toThrow('disk full')
    expect(written).toEqual(['kept\n'])
    await lines.close()
  })

  it('appended lines are all written before the file is closed', async () => {
    const closing = closedLatch()
    const { file, synced } = noting(undefined, closing.opened)
    const lines = groupCommit(file)
    void lines.append('one')
    await turns()
    void lines.append('two')
    closing.open()
    await lines.close()
    expect(synced).toEqual(['one\n', 'two\n'])
  })
})

describe('file to be synced', () => {
  it.each([
    ['removed', (path: string) => rm(path)],
    ['renamed', (path: string) => rename(path, `${path}.1`)],
    ['truncated', (path: string) => truncate(path, 9)],
    ['given a second name', (path: string) => link(path, `${path}.1`)],
    ['replaced', (path: string) => rename(path, `${path}.1`).then(() => writeFile(path, 'kept\nline\n'))],
  ])('a file cannot be synced once it was %s', async (_, change) => {
    const path = join(await tempFolder(), 'r.ndjson')
    await writeFile(path, 'kept\n')
    const file = await openDurableFile(path, 'a')
    await file.appendFile('éèê\n')
    await file.datasync()
    await change(path)
    await expect(file.datasync()).rejects.toThrow(new LogError('log_moved', { path }))
    await file.close()
  })

  it('a synced file leaves its folder closed', async () => {
    const folder = await tempFolder()
    const file = await openDurableFile(join(folder, 'new'), 'wx')
    await file.renameTo(join(folder, 'other'))
    expect(await timesOpen(folder)).toBe(0)
    await file.datasync()
    await file.close()
  })
})
