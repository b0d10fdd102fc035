import { chmod, chown } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { isOfOthers } from '../../../src/platform/owners.ts'
import { importing } from '../../support/imports.ts'
import { rowlift } from '../../support/rowlift.ts'

const { uid } = userInfo()

it.each([
  [0o600, 0],
  [0o644, 0],
  [0o620, 1],
  [0o606, 1],
])('a log that other users may write to is told, and goes on: mode %o', async (mode, warnings) => {
  const { cwd, args, log } = await importing(2)
  expect((await rowlift(args, { cwd })).stderr).not.toContain('other users')
  await chmod(log, mode)
  const { exitCode, stderr } = await rowlift(args, { cwd })
  expect(stderr.match(/results\.ndjson: other users may write to this log/g) ?? []).toHaveLength(warnings)
  expect(exitCode).toBe(0)
})

it('a log of another user is told, but not to root', async () => {
  const { cwd, args, log } = await importing(1)
  await rowlift(args, { cwd })
  expect(await isOfOthers(log, { ...userInfo(), uid: uid + 1 })).toBe(true)
  expect(await isOfOthers(log, { ...userInfo(), uid })).toBe(false)
  expect(await isOfOthers(log, { ...userInfo(), uid: uid + 1 }, 'win32')).toBe(false)
  if (uid === 0) await chown(log, 1234, 1234)
  expect(await isOfOthers(log, { ...userInfo(), uid: 0 })).toBe(false)
  expect(await isOfOthers(`${log}.none`)).toBe(false)
})
