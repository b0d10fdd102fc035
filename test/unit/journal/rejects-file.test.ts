import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RejectsFile } from '../../../src/journal/rejects-file.ts'
import { tempFolder } from '../../support/cleanup.ts'

describe('a file of rejected rows', () => {
  it('stands under its name when it is whole, for its owner alone', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'bad.csv')
    await writeFile(path, 'of yesterday\n')
    const file = await RejectsFile.open(path, 'head\n')
    const line = `${'x'.repeat(100)}\n`
    for (let count = 0; count < 5_000; count += 1) await file.add(line)
    expect(await readFile(path, 'utf8')).toBe('of yesterday\n')
    await file.close()
    expect(await readFile(path, 'utf8')).toBe(`head\n${line.repeat(5_000)}`)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['bad.csv'])
  })

  it('is not that of a run that was overtaken by another one', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'bad.csv')
    const [first, second] = [
      await RejectsFile.open(path, 'first\n'),
      await RejectsFile.open(path, 'second\n'),
    ]
    await expect(first.close()).rejects.toThrow('Does another run write the same --rejects file?')
    await second.close()
    expect(await readFile(path, 'utf8')).toBe('second\n')
    expect(await readdir(folder)).toEqual(['bad.csv'])
  })

  it('takes the place of what a killed run left, and leaves nothing when it is given up', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'bad.csv.part'), 'half a li')
    const file = await RejectsFile.open(join(folder, 'bad.csv'), 'head\n')
    await file.discard()
    expect(await readdir(folder)).toEqual([])
  })
})
