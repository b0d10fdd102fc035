import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRejectsFile } from '../../../../src/store/files/rejects-file.ts'
import { tempFolder } from '../../../support/cleanup.ts'

describe('rejects file', () => {
  it('a rejects file gets its name when it is complete, for its owner alone', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'bad.csv')
    await writeFile(path, 'of yesterday\n')
    const file = await openRejectsFile(path, 'head\n')
    const line = 'x'.repeat(100)
    for (let count = 0; count < 2_500; count += 1) await Promise.all([file.add(line), file.add(line)])
    expect(await readFile(path, 'utf8')).toBe('of yesterday\n')
    await file.close()
    expect(await readFile(path, 'utf8')).toBe(`head\n${`${line}\n`.repeat(5_000)}`)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['bad.csv'])
  })

  it('a rejects file of a run that another one overtook gets no name', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'bad.csv')
    const [first, second] = [await openRejectsFile(path, 'first\n'), await openRejectsFile(path, 'second\n')]
    await expect(first.close()).rejects.toThrow(
      /bad\.csv\.part: .*perhaps by another run with the same --rejects file/,
    )
    await second.close()
    expect(await readFile(path, 'utf8')).toBe('second\n')
    expect(await readdir(folder)).toEqual(['bad.csv'])
  })

  it('a rejects file replaces what a killed run left, and leaves nothing when it is discarded', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'bad.csv.part'), 'half a li')
    const file = await openRejectsFile(join(folder, 'bad.csv'), 'head\n')
    await file.discard()
    expect(await readdir(folder)).toEqual([])
  })

  it('a rejects file takes no line after it was discarded, and says so again at its end', async () => {
    const path = join(await tempFolder(), 'bad.csv')
    const file = await openRejectsFile(path, 'head\n')
    await rm(`${path}.part`)
    await file.discard()
    await expect(file.add('late')).rejects.toThrow('bad.csv: cannot be written (EBADF)')
    await expect(file.close()).rejects.toThrow('bad.csv: cannot be written (EBADF)')
  })
})
