import { access, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Checkpoint } from '../../../src/journal/checkpoint.ts'
import { openJournal } from '../../../src/journal/journal.ts'
import type { Opening } from '../../../src/journal/lines.ts'
import { LogError } from '../../../src/model/errors.ts'
import { describeProblem } from '../../../src/report/words.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { openingLine } from '../../support/log-files.ts'
import { timesOpen } from '../../support/open-files.ts'

/** Opens the journal of a result log that no other run uses. */
const opened = (results: string) =>
  openJournal(
    results,
    new Checkpoint(),
    { check() {}, async release() {} },
    { opening: openingLine() as Opening, now: () => new Date(), describe: describeProblem, onUnwritten() {} },
  )

describe('a journal that cannot be opened leaves no file open', () => {
  it('where the result log cannot be written', async () => {
    const before = await timesOpen('/dev/full')
    await expect(opened('/dev/full')).rejects.toThrow(LogError)
    expect(await timesOpen('/dev/full')).toBe(before)
  })

  it('where a new intent log cannot be written', async () => {
    const results = join(await tempFolder(), 'results.ndjson')
    await mkdir(`${results}.inflight.new`)
    await expect(opened(results)).rejects.toThrow(LogError)
    expect(await timesOpen(results)).toBe(0)
  })

  it('where it cannot replace the earlier one', async () => {
    const results = join(await tempFolder(), 'results.ndjson')
    await mkdir(`${results}.inflight`)
    await expect(opened(results)).rejects.toThrow(LogError)
    expect(await timesOpen(results)).toBe(0)
    expect(await timesOpen(`${results}.inflight.new`)).toBe(0)
  })
})

describe('a journal whose closing line cannot be written', () => {
  it('still takes back the calls that ended, so that none of them is in doubt', async () => {
    const results = join(await tempFolder(), 'results.ndjson')
    const journal = await opened(results)
    const identity = { source: 'a.csv', row: 1, line: 2, key: 'a', hash: 'h' }
    await journal.intentLog.add({ identity, body: '{}', before: 'refused' })
    journal.intentLog.remove('a')
    await rm(results)
    await expect(journal.close({ rows: 1 })).rejects.toThrow(LogError)
    expect(await timesOpen(`${results}.inflight`)).toBe(0)
    await expect(access(`${results}.inflight`)).rejects.toThrow('ENOENT')
  })
})
