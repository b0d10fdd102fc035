import { access, appendFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogError } from '../../../../src/model/errors.ts'
import type { Outcome } from '../../../../src/model/outcome.ts'
import { problem } from '../../../../src/model/problem.ts'
import { describeProblem } from '../../../../src/output/words.ts'
import { Checkpoint, replay } from '../../../../src/store/files/checkpoint.ts'
import { readIntents } from '../../../../src/store/files/intent-log.ts'
import { type JournalOptions, openJournal, streamJournal } from '../../../../src/store/files/journal.ts'
import { type Doubt, type Opening, orphanDoubt } from '../../../../src/store/files/lines.ts'
import { tempFolder } from '../../../support/cleanup.ts'
import { openingLine } from '../../../support/log-files.ts'
import { timesOpen } from '../../../support/open-files.ts'

const options: JournalOptions = {
  opening: openingLine() as Opening,
  now: () => new Date('2026-11-21T08:00:02.000Z'),
  describe: describeProblem,
  onUnwritten() {},
}

/** Opens the journal of a result log that no other run uses. */
const opened = (results: string, more: Partial<JournalOptions> = {}, orphans: Doubt[] = []) => {
  const checkpoint = new Checkpoint()
  checkpoint.orphans = orphans
  return openJournal(
    results,
    checkpoint,
    { check() {}, busyMs: 0, async release() {} },
    { ...options, ...more },
  )
}

const newResults = async () => join(await tempFolder(), 'results.ndjson')

const identityOf = (key: string) => ({ source: 'a.csv', row: 1, line: 2, key, hash: 'h' })
const callOf = (key: string) => ({ identity: identityOf(key), body: {}, json: '{}', before: undefined })
const ofCall = { attempts: 1, durationMs: 5 }
const createdOf = (key: string): Outcome => ({
  ...ofCall,
  identity: identityOf(key),
  status: 'created',
  recordId: `record of ${key}`,
})
const errors = [{ path: '', ...problem('required') }]
const refused = { errors, known: true } as const

const linesIn = async (path: string) =>
  (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

const inFlight = async (results: string) => [...((await readIntents(results))?.calls.keys() ?? [])]

describe('journal of a run', () => {
  it('a journal has its opening, the calls of the killed run in doubt, outcomes, and its end', async () => {
    const results = await newResults()
    const orphan = orphanDoubt({ run: 'R0', at: 'then', ...identityOf('di'), body: {} }, 'contact')
    const journal = await opened(results, {}, [orphan])
    await journal.intentLog.add(callOf('ann'))
    await journal.record(createdOf('ann'))
    await journal.close({ ended: { rows: 1, created: 1 } })
    expect(await linesIn(results)).toMatchObject([
      openingLine(),
      { run: 'R0', writer: 'R1', key: 'di', status: 'in_doubt', errors: [{ code: 'run_killed' }] },
      { run: 'R1', at: '2026-11-21T08:00:02.000Z', key: 'ann', status: 'created', record_type: 'contact' },
      { run: 'R1', at: '2026-11-21T08:00:02.000Z', ended: { rows: 1, created: 1 }, lines: 4 },
    ])
    expect(await inFlight(results)).toEqual([])
    expect(await timesOpen(results)).toBe(0)
  })

  it('a journal says why the run ended if it did not read its sources to theirs', async () => {
    const results = await newResults()
    await (await opened(results)).close({ ended: { rows: 2 }, stopped: 'signal' })
    const [, end] = await linesIn(results)
    expect(end).toMatchObject({ ended: { rows: 2 }, stopped: 'signal', lines: 2 })
    await expect(access(`${results}.inflight`)).rejects.toThrow('ENOENT')
  })

  it('a journal names in each group how far the other file is', async () => {
    const results = await newResults()
    const journal = await opened(results)
    await journal.intentLog.add(callOf('ann'))
    await journal.record(createdOf('ann'))
    await journal.intentLog.add(callOf('bob'))
    const [log, intents] = [await linesIn(results), await linesIn(`${results}.inflight`)]
    const crcOf = ({ crc32 }: { readonly crc32: string }) => Number.parseInt(crc32, 16)
    expect(log.map(line => line.intents)).toEqual([
      [1, 1, crcOf(intents[0])],
      [1, 2, crcOf(intents[1])],
    ])
    expect(intents.map(line => line.log)).toEqual([undefined, [1, crcOf(log[0])], [2, crcOf(log[1])]])
    await journal.close()
  })

  it('a journal cuts off a first line that was not synced', async () => {
    const results = await newResults()
    await (await opened(results)).close()
    await writeFile(results, Buffer.alloc(100)) // a power cut left its length alone
    const checkpoint = await replay(results, {})
    const opening = openingLine('R2') as Opening
    const lock = { check() {}, busyMs: 0, async release() {} }
    await (await openJournal(results, checkpoint, lock, { ...options, opening })).close({
      ended: { rows: 0 },
    })
    expect(await linesIn(results)).toMatchObject([opening, { run: 'R2', lines: 2 }])
  })

  it('a journal writes nothing of a row that was finished, or refused for the same reason', async () => {
    const results = await newResults()
    const journal = await opened(results)
    for (const key of ['ann', 'bob']) await journal.intentLog.add(callOf(key))
    const identity = identityOf('ann')
    expect(journal.record({ identity, status: 'done', changed: false })).toBeUndefined()
    expect(journal.record({ identity, status: 'invalid', ...refused })).toBeUndefined()
    expect(await inFlight(results)).toEqual(['ann', 'bob'])
    const failed: Outcome = { ...ofCall, identity, status: 'failed', fault: 'refused', ...refused }
    expect(journal.record(failed)).toBeUndefined()
    await journal.intentLog.add(callOf('cy'))
    expect(await inFlight(results)).toEqual(['bob', 'cy'])
    await journal.close()
    expect(await linesIn(results)).toMatchObject([openingLine()])
    expect(await inFlight(results)).toEqual(['bob', 'cy']) // the log has no outcome of theirs
  })

  it('a journal keeps a call in flight whose outcome cannot be written, and hands out its line', async () => {
    const results = await newResults()
    const unwritten: string[] = []
    const journal = await opened(results, { onUnwritten: line => unwritten.push(line) })
    for (const key of ['ann', 'bob']) await journal.intentLog.add(callOf(key))
    await journal.record(createdOf('ann'))
    await journal.record({ identity: identityOf('bob'), status: 'invalid', errors })
    await rm(results)
    await expect(journal.record(createdOf('bob'))).rejects.toThrow(LogError)
    expect(unwritten.map(line => JSON.parse(line).key)).toEqual(['bob'])
    await journal.close()
    expect(await inFlight(results)).toEqual(['ann', 'bob'])
  })
})

describe('journal that goes to a stream', () => {
  it('a journal that goes to a stream has the opening and the outcomes, and no calls', async () => {
    const lines: string[] = []
    const journal = await streamJournal(
      { append: line => void lines.push(line), close: async () => void lines.push('closed') },
      options,
    )
    expect(lines.map(line => (line === 'closed' ? line : JSON.parse(line)))).toMatchObject([
      openingLine(),
      'closed',
    ])
    await journal.intentLog.add(callOf('ann'))
    journal.intentLog.remove('ann')
    await journal.record(createdOf('ann'))
    await journal.close({ ended: { rows: 1 } })
    expect(lines.slice(2, 4).map(line => JSON.parse(line))).toMatchObject([
      { key: 'ann', status: 'created' },
      { ended: { rows: 1 } },
    ])
    expect(lines.slice(4)).toEqual(['closed'])
  })
})

describe('journal that cannot be opened', () => {
  it('a journal leaves no file open if the result log cannot be written', async () => {
    const results = await newResults()
    await symlink('/dev/full', results) // what a run writes beside its log belongs into a folder of the test
    const before = await timesOpen('/dev/full')
    await expect(opened(results)).rejects.toThrow(LogError)
    expect(await timesOpen('/dev/full')).toBe(before)
  })

  it('a journal leaves no file open if a new intent log cannot be written', async () => {
    const results = join(await tempFolder(), 'results.ndjson')
    await mkdir(`${results}.inflight.R1.new`)
    await expect(opened(results)).rejects.toThrow(LogError)
    expect(await timesOpen(results)).toBe(0)
  })

  it('a journal has what it read of the result log on disk before it replaces the intent log', async () => {
    const results = await newResults()
    await (await opened(results)).close()
    const whole = await readFile(results, 'utf8')
    await appendFile(results, '{"run":"R1')
    const checkpoint = await replay(results, {})
    await mkdir(`${results}.inflight.R1.new`)
    const lock = { check() {}, busyMs: 0, async release() {} }
    await expect(openJournal(results, checkpoint, lock, options)).rejects.toThrow(LogError)
    expect(await readFile(results, 'utf8')).toBe(whole)
  })

  it('a journal leaves no file open if it cannot replace the earlier one', async () => {
    const results = join(await tempFolder(), 'results.ndjson')
    await mkdir(`${results}.inflight`)
    await expect(opened(results)).rejects.toThrow(LogError)
    expect(await timesOpen(results)).toBe(0)
    expect(await timesOpen(`${results}.inflight.R1.new`)).toBe(0)
  })
})

describe('journal without its closing line', () => {
  it('a journal without its closing line keeps its intent log, for the next run to compare', async () => {
    const results = join(await tempFolder(), 'results.ndjson')
    const journal = await opened(results)
    const identity = { source: 'a.csv', row: 1, line: 2, key: 'a', hash: 'h' }
    await journal.intentLog.add({ identity, body: {}, json: '{}', before: 'refused' })
    journal.intentLog.remove('a')
    await rm(results)
    await expect(journal.close({ ended: { rows: 1 } })).rejects.toThrow(LogError)
    expect(await timesOpen(`${results}.inflight`)).toBe(0)
    expect(await inFlight(results)).toEqual([])
  })
})
