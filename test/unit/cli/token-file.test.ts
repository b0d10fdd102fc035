import { chmod, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isReadByOthers } from '../../../src/platform/owners.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { importing } from '../../support/imports.ts'
import { linesOf, rowlift } from '../../support/rowlift.ts'

/** An import with a token file of these rights. */
async function withToken(mode: number, ...more: string[]) {
  const { cwd, args } = await importing(2, {}, '--token-file', 'my token', ...more)
  await writeFile(join(cwd, 'my token'), 'a-secret-token\n')
  await chmod(join(cwd, 'my token'), mode)
  return { cwd, args }
}

const warning = "my token: other users can read this token; allow its owner only: chmod 600 'my token'"

describe('token file', () => {
  it('a token file that others can read is warned of once, with the command that mends it', async () => {
    const { cwd, args } = await withToken(0o644)
    const run = await rowlift(args, { cwd })
    expect(run.exitCode).toBe(0)
    const warnings = linesOf(run.stderr).filter(({ level }) => level === 40)
    expect(warnings).toMatchObject([{ msg: warning }])
  })

  it('a token file that only its owner can read needs no warning', async () => {
    const { cwd, args } = await withToken(0o600)
    expect((await rowlift(args, { cwd })).stderr).not.toContain('other users')
  })

  it('a token file is not warned of by a quiet run after which all is well, nor by a dry run', async () => {
    const { cwd, args } = await withToken(0o644, '--quiet')
    expect((await rowlift([...args, '--dry-run'], { cwd })).stderr).toBe('')
    expect((await rowlift(args, { cwd })).stderr).toBe('')
  })

  it.each([
    [0o600, false],
    [0o400, false],
    [0o604, true],
    [0o666, true],
  ])('a token file of mode %o is read by others: %s, by its link too', async (mode, isRead) => {
    const folder = await tempFolder()
    const path = join(folder, 'token')
    await writeFile(path, 'x')
    await chmod(path, mode)
    await symlink(path, join(folder, 'link'))
    expect(await isReadByOthers(path)).toBe(isRead)
    expect(await isReadByOthers(join(folder, 'link'))).toBe(isRead)
    expect(await isReadByOthers(path, 'win32')).toBe(false)
  })
})
