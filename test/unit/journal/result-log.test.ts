import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveLink } from '../../../src/journal/result-log.ts'
import { tempFolder } from '../../support/cleanup.ts'

describe('the name of a result log', () => {
  it('is its own where it is no link, whether it exists or not', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    expect(await resolveLink(log)).toBe(log)
    await writeFile(log, '')
    expect(await resolveLink(log)).toBe(log)
    expect(await resolveLink('not/there')).toBe('not/there')
  })

  it('is what a link leads to, also over several and before it exists', async () => {
    const folder = await realpath(await tempFolder())
    const log = join(folder, 'sub', 'r.ndjson')
    await mkdir(join(folder, 'sub'))
    await symlink('sub/r.ndjson', join(folder, 'link'))
    await symlink('link', join(folder, 'link to link'))
    for (const isThere of [false, true]) {
      if (isThere) await writeFile(log, '')
      expect(await resolveLink(join(folder, 'link'))).toBe(log)
      expect(await resolveLink(join(folder, 'link to link'))).toBe(log)
    }
  })

  it('is the link itself where it leads in a circle', async () => {
    const link = join(await tempFolder(), 'link')
    await symlink(link, link)
    expect(await resolveLink(link)).toBe(link)
  })
})
