import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keysOfRecords, resolveLink } from '../../../src/journal/result-log.ts'
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

describe('the keys of records', () => {
  it('are those of the first row of each, whatever else names the record', async () => {
    const log = join(await tempFolder(), 'r.ndjson')
    const lines = [
      { run: '1', rowlift: '0.1.0' },
      { run: '1', key: 'quotes r1', status: 'invalid', errors: [{ value: 'r1' }] },
      { run: '1', key: 'ada', status: 'created', record_id: 'r1' },
      { run: '1', key: 'bob', status: 'merged', record_id: 'r1' },
      { run: '1', key: 'cy', status: 'existing', record_id: 'r2' },
    ]
    await writeFile(log, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    expect(await keysOfRecords(log, ['r1', 'r2', 'r3'])).toEqual(
      new Map([
        ['r1', 'ada'],
        ['r2', 'cy'],
      ]),
    )
  })
})
