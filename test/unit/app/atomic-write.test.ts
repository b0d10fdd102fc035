import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { replaceFile } from '../../../src/app/atomic-write.ts'
import { tempFolder } from '../../support/cleanup.ts'

const ofKilled = 'night.json.0b9a3c1e-5d64-4c0a-9f0e-2f6d3a8b7c11.tmp'
const ofLive = 'night.json.5f1d2c3b-1111-4222-8333-444455556666.tmp'
const others = ['night.json.notes.tmp', 'day.json.0b9a3c1e-5d64-4c0a-9f0e-2f6d3a8b7c11.tmp']

it('replaces a file and removes what killed runs left of it, but nothing of a live one or of others', async () => {
  const folder = await tempFolder()
  for (const name of [ofKilled, ofLive, ...others]) await writeFile(join(folder, name), '{')
  const twoMinutesAgo = Date.now() / 1_000 - 120
  for (const name of [ofKilled, ...others]) await utimes(join(folder, name), twoMinutesAgo, twoMinutesAgo)
  expect(replaceFile(join(folder, 'night.json'), 0o600, 'new')).toBe(true)
  expect(await readFile(join(folder, 'night.json'), 'utf8')).toBe('new')
  expect((await readdir(folder)).sort()).toEqual([...others, 'night.json', ofLive].sort())
})
