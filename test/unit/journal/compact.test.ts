import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replay } from '../../../src/journal/checkpoint.ts'
import { compactLog } from '../../../src/journal/compact.ts'
import { readLatestLines } from '../../../src/journal/latest-lines.ts'
import type { Lock } from '../../../src/journal/lock.ts'
import { readDoubts } from '../../../src/journal/resolve.ts'
import { ReferenceIndex, RowReferences } from '../../../src/mapping/lookups/row-references.ts'
import { rejectedName, replacesOf } from '../../../src/model/content-key.ts'
import { LockError } from '../../../src/model/errors.ts'
import type { Row } from '../../../src/model/row.ts'
import { describeProblem } from '../../../src/report/words.ts'
import { watching } from '../../support/context.ts'
import { logOf, openingLine, rowLine } from '../../support/log-files.ts'
import { linesOf } from '../../support/rowlift.ts'

const held: Lock = { check: () => {}, release: async () => {} }
const how = { run: '01JDAAAAAAAAAAAAAAAAAAAAAA', describe: describeProblem }
const compact = (path: string) => compactLog(path, held, how)

const hashOf = (digit: number) => String(digit).repeat(16)

/** Rows as they read over time: two with a key that were edited, and two equal ones without a key. */
const contents = [
  { key: 'a', hash: hashOf(1), name: 'Ann' },
  { key: 'a', hash: hashOf(2), name: 'Ann' },
  { key: 'a', hash: hashOf(3), name: 'Anna' },
  { key: 'b', hash: hashOf(4), name: 'Bob' },
  { key: 'b', hash: hashOf(5), name: 'Ann' },
  { key: `sha256:${hashOf(6)}#1`, hash: hashOf(6), name: 'Cy' },
  { key: `sha256:${hashOf(6)}#2`, hash: hashOf(6), name: 'Cy' },
]
const content = fc.constantFrom(...contents)
const status = fc.constantFrom('created', 'existing', 'merged', 'invalid', 'failed', 'in_doubt')
const recordIds = ['r1', 'r2', 'r3']

const event = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('row' as const), content, status }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('duplicate' as const), content }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('by hand' as const), content, made: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('run' as const),
      column: fc.constantFrom(undefined, 'Name', 'Mail'),
      isWhole: fc.boolean(),
    }),
  },
)
const rejects = fc.oneof(
  { weight: 4, arbitrary: event },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('row' as const), content, status, replaced: content }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('row' as const),
      content,
      status,
      refusedAs: fc.constantFrom('a', 'nope'),
    }),
  },
)
type Event = typeof rejects extends fc.Arbitrary<infer E> ? E : never

/** The lines that runs would have written. */
function linesOfEvents(events: readonly Event[]): object[] {
  let run = 'R0'
  let column: string | undefined
  const doubts = new Map<string, object>()
  const settled = new Set<string>()
  const lines: object[] = [openingLine(run)]
  for (const [at, each] of events.entries()) {
    if (each.type === 'run') {
      if (each.isWhole) lines.push({ run, at: '', ended: { rows: at } })
      run = `R${at}`
      column = each.column
      lines.push(openingLine(run, column === undefined ? {} : { ref_columns: [column] }))
      continue
    }
    const { key, hash, name } = each.content
    if (settled.has(key) && each.type === 'row' && each.status !== 'invalid') continue // it is not sent again
    const row = { key, hash, row: at, run, ...(column && { ref: name }) }
    const record = (status: string) =>
      status === 'created' || status === 'existing' || status === 'merged'
        ? { record_id: recordIds[at % 3] }
        : {}
    if (each.type === 'by hand') {
      const doubt = doubts.get(key)
      const status = each.made ? 'created' : 'failed'
      if (doubt !== undefined && each.made) settled.add(key)
      if (doubt !== undefined)
        lines.push({ ...doubt, run: `H${at}`, status, body: undefined, ...record(status), by_hand: true })
      doubts.delete(key)
      continue
    }
    if (each.type === 'duplicate') {
      lines.push(rowLine('duplicate', at, row))
      continue
    }
    const back = {
      ...('replaced' in each && { replaces: replacesOf(rejectedName(each.replaced)) }),
      ...('refusedAs' in each && { repaired: true, key: each.refusedAs, alias: key }),
    }
    const line = rowLine(each.status, at, { ...row, ...record(each.status), ...back })
    if (each.status === 'in_doubt') doubts.set(line.key, line)
    if ('record_id' in line) settled.add(key).add(line.key)
    lines.push(line)
  }
  return lines
}

const identities = contents.map((each, at) => ({
  ...each,
  source: 's',
  row: at + 1,
  line: at + 2,
  ref: each.name,
}))

/** All that a later run asks a log. */
async function askedOf(path: string, inSources: readonly number[]) {
  const indexes = ['Name', 'Mail'].map(column => new ReferenceIndex([column], path))
  for (const index of indexes)
    for (const at of inSources) index.addRow(identities[at] as (typeof identities)[number])
  const checkpoint = await replay(path, { records: true, content: true }, ({ line, number }) => {
    for (const index of indexes) index.addLine(line, number)
  })
  for (const index of indexes) for (const doubt of checkpoint.orphans) index.addLine(doubt)
  const names = [undefined, ...contents.map(each => replacesOf(rejectedName(each))), 'key:a', 'key:nope']
  const references = indexes.map((index, at) => {
    const rows = new RowReferences(index, [])
    rows.complete()
    return ['Ann', 'Anna', 'Bob', 'Cy'].map(text => {
      const found = rows.by(['Name', 'Mail'][at] ?? '')(text, {} as Row)
      return 'problem' in found ? [found.type, found.problem.code] : found
    })
  })
  const latest: Record<string, number> = {}
  const { each } = await readLatestLines(path, watching)
  for await (const lines of each())
    for (const { line, isLatest } of lines)
      if (isLatest) latest[line.status ?? ''] = (latest[line.status ?? ''] ?? 0) + 1
  const doubts: string[] = []
  for await (const doubt of (await readDoubts(path)).each()) doubts.push(doubt.key)
  return {
    opening: checkpoint.opening,
    lastRows: checkpoint.lastRows,
    inDoubt: checkpoint.inDoubt,
    states: ['nope', ...contents.map(({ key }) => key)].map(key => [
      key,
      ...contents.map(({ hash }) => checkpoint.get(key, hash)),
    ]),
    replaced: contents.flatMap(({ key, hash }) =>
      names.map(replaces => [key, hash, replaces, checkpoint.replacementOf({ key, hash, replaces })]),
    ),
    refusals: identities.map(
      identity =>
        checkpoint.get(identity.key, identity.hash)?.status === 'refused' &&
        checkpoint.hasRefusal({ status: 'invalid', identity, errors: [] }),
    ),
    records: recordIds.map(id => checkpoint.claimRecord(id, {})),
    duplicates: contents.map(({ key, hash }) => {
      let count = 0
      while (checkpoint.takeLoggedDuplicate(key, hash)) count += 1
      return count
    }),
    references,
    latest,
    doubts: doubts.sort(),
  }
}

describe('a compacted log', () => {
  it.each([
    ['without rejects files', event],
    ['with rejects files, also of 0.1', rejects],
  ])('answers a later run as before, whatever happened to its rows, %s', async (_, each) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(each as fc.Arbitrary<Event>, { maxLength: 25 }),
        fc.subarray(identities.map((_, at) => at)),
        async (events, inSources) => {
          const path = await logOf(...linesOfEvents(events))
          const before = await askedOf(path, inSources)
          const { after } = await compact(path)
          expect(await askedOf(path, inSources)).toEqual(before)
          expect((await compact(path)).after).toEqual(after)
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 40) },
    )
  })

  it('has a line of each row that has its record, and what the last run said of the others', async () => {
    const refused = (row: number, run: string) => rowLine('invalid', row, { run })
    const path = await logOf(
      openingLine('R1'),
      ...[refused(1, 'R1'), rowLine('failed', 2), refused(3, 'R1')],
      ended('R1', 3),
      ...[openingLine('R2'), refused(1, 'R2'), rowLine('created', 2, { run: 'R2', record_id: 'x' })],
      ...[ended('R2', 3), openingLine('R3'), ended('R3', 2), openingLine('R4')],
    )
    const { before, after } = await compact(path)
    expect([before.lines, after.lines]).toEqual([12, 9])
    expect(await textsOf(path)).toEqual([
      ...['R1 open', 'R1 invalid k3', 'R1 3 rows', 'R2 open', 'R2 invalid k1', 'R2 created k2', 'R2 3 rows'],
      ...['R3 2 rows', 'R4 open'],
    ])
    expect(after.bytes).toBe((await stat(path)).size)
  })

  const run = (name: string, columns?: string[]) =>
    openingLine(name, columns === undefined ? {} : { ref_columns: columns })
  const row = (status: string, name: string, more: object = {}) =>
    rowLine(status, 1, { run: name, key: 'k', ...more })
  const byHand = { by_hand: true }
  const edited = { hash: hashOf(2) }
  const ref = { ref: 'Ann' }
  const back = { key: 'j', hash: hashOf(9), replaces: '0123456789abcdef' }
  const other = { key: 'o', hash: hashOf(3) }

  it.each<[string, object[], string]>([
    [
      'of a refused row the last run that refused it',
      [row('invalid', 'R1'), run('R2'), row('invalid', 'R2'), run('R3')],
      'R2 invalid k',
    ],
    [
      'the same of a failed row',
      [row('failed', 'R1'), run('R2'), row('failed', 'R2'), run('R3')],
      'R2 failed k',
    ],
    [
      'the end of a doubt by a person, also where the row was refused again',
      [row('in_doubt', 'R1'), row('failed', 'H', byHand), run('R2'), row('failed', 'R2')],
      'R1 in_doubt k, H failed k, R2 failed k',
    ],
    [
      'a doubt that no refusal ended',
      [
        row('in_doubt', 'R1'),
        run('R2'),
        row('failed', 'R2'),
        run('R3'),
        row('created', 'R3', edited),
        run('R4'),
      ],
      'R1 in_doubt k, R3 created k',
    ],
    [
      'no refusal of a row with a name that got its record later',
      [run('R1', ['Name']), row('failed', 'R1', ref), run('R2', ['Name']), row('created', 'R2', ref)],
      'R2 created k',
    ],
    ['a refusal that nothing followed', [row('invalid', 'R1'), run('R2')], 'R1 invalid k'],
    [
      'no refusal of a row that got its record later',
      [row('invalid', 'R1'), run('R2'), row('created', 'R2')],
      'R2 created k',
    ],
    [
      'both of one run: two rows may have the key',
      [row('invalid', 'R1'), row('created', 'R1')],
      'R1 invalid k, R1 created k',
    ],
    [
      'no refusal of a row that was edited then',
      [row('failed', 'R1'), run('R2'), row('created', 'R2', edited)],
      'R2 created k',
    ],
    [
      'the refusal of an edited row that another may have named',
      [
        run('R1', ['Name']),
        row('failed', 'R1', ref),
        run('R2', ['Name']),
        row('created', 'R2', { ...edited, ...ref }),
      ],
      'R1 failed k, R2 created k',
    ],
    ['no doubt that ended', [row('in_doubt', 'R1'), row('created', 'R1')], 'R1 created k'],
    [
      'a doubt about the row as it was',
      [row('in_doubt', 'R1'), row('created', 'R1', edited)],
      'R1 in_doubt k, R1 created k',
    ],
    [
      'a doubt that a person ended',
      [row('in_doubt', 'R1'), row('failed', 'H', byHand)],
      'R1 in_doubt k, H failed k',
    ],
    [
      'neither a doubt nor its end by a person once there is a record',
      [row('in_doubt', 'R1'), row('failed', 'H', byHand), run('R2'), row('created', 'R2')],
      'R2 created k',
    ],
    [
      'no doubt that ended by hand with a record',
      [row('in_doubt', 'R1'), row('created', 'H', byHand)],
      'H created k',
    ],
    [
      'the doubt that has the name of a row, where a person gave it the record',
      [run('R1', ['Name']), row('in_doubt', 'R1', ref), row('created', 'H', { ...byHand, ...ref })],
      'R1 in_doubt k, H created k',
    ],
    [
      'no doubt that ended in a row with the same name',
      [
        run('R1', ['Name']),
        row('in_doubt', 'R1', ref),
        ended('R1', 1),
        run('R2', ['Name']),
        row('created', 'R2', ref),
      ],
      'R2 created k',
    ],
    [
      'a doubt whose name was of another column',
      [run('R1', ['Name']), row('in_doubt', 'R1', ref), run('R2', ['Mail']), row('created', 'R2', ref)],
      'R1 in_doubt k, R2 created k',
    ],
    [
      'all of a row that came back from a rejects file, and what others need',
      [
        ...[row('invalid', 'R1'), row('invalid', 'R1', other), row('in_doubt', 'R1', { ...other, key: 'd' })],
        ...[run('R2'), row('invalid', 'R2', back), row('invalid', 'R2', other)],
        ...[run('R3'), row('created', 'R3', back), row('created', 'R3', { ...other, key: 'd' }), run('R4')],
      ],
      'R1 invalid k, R1 in_doubt d, R2 invalid j, R2 invalid o, R3 created j, R3 created d',
    ],
    [
      'both names of a row that 0.1 took from a rejects file',
      [
        ...[
          row('invalid', 'R1'),
          row('invalid', 'R1', { key: 'bob', hash: hashOf(6) }),
          row('invalid', 'R1', { key: 'eve', hash: hashOf(5) }),
        ],
        ...[
          run('R2'),
          row('invalid', 'R2'),
          row('invalid', 'R2', { key: 'bob', hash: hashOf(6) }),
          row('invalid', 'R2', { key: 'eve', hash: hashOf(5) }),
        ],
        ...[run('R3'), row('created', 'R3', { repaired: true, alias: 'bob' })],
      ],
      'R1 invalid k, R1 invalid bob, R2 invalid k, R2 invalid bob, R2 invalid eve, R3 created k',
    ],
  ])('keeps %s', async (_, lines, kept) => {
    const path = await logOf(openingLine('R1'), ...lines)
    await compact(path)
    expect((await textsOf(path)).filter(text => !/open$|rows$/.test(text)).join(', ')).toBe(kept)
  })

  it('keeps the first opening and the last one, and the last measure of the sources', async () => {
    const path = await logOf(
      ...[openingLine('R1'), ended('R1', 9), openingLine('R2'), rowLine('created', 1, { run: 'R2' })],
      ...[openingLine('R3'), ended('R3', 5), openingLine('R4')],
      { ...ended('R4', 2), ended: { rows: 2, returned: 2 } },
    )
    await compact(path)
    expect(await textsOf(path)).toEqual(['R1 open', 'R2 open', 'R2 created k1', 'R3 5 rows', 'R4 open'])
  })

  it('has every byte of the lines that stay, and no torn last one', async () => {
    const line = '{"run":"R1","key":"\u00e9","n":12345678901234567890, "status":"created","record_id":"r"}'
    const path = await logOf(openingLine(), `${line}\n`, '{"run":"R1","stat')
    await writeFile(`${path}.inflight`, '')
    await compact(path)
    expect((await readFile(path, 'utf8')).split('\n').slice(1)).toEqual([line, ''])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('has the calls that a killed run left under way, in doubt', async () => {
    const path = await logOf(openingLine('R1'), rowLine('created', 1, { record_id: 'r' }))
    const call = {
      run: 'R1',
      at: '',
      source: 's',
      row: 2,
      line: 3,
      key: 'k2',
      hash: hashOf(2),
      body: { name: 'n' },
    }
    await writeFile(
      `${path}.inflight`,
      [openingLine('R1'), call, { ...call, key: 'k3' }].map(each => `${JSON.stringify(each)}\n`).join(''),
    )
    const before = await askedOf(path, [])
    expect((await compact(path)).after.lines).toBe(4)
    expect(await readdir(dirname(path))).toEqual([basename(path)])
    expect({ ...(await askedOf(path, [])) }).toEqual(before)
    expect(linesOf(await readFile(path, 'utf8')).slice(-2)).toMatchObject([
      { ...call, status: 'in_doubt' },
      { ...call, key: 'k3', status: 'in_doubt' },
    ])
  })

  it('is the old one where another run took the lock, and leaves no other file', async () => {
    const path = await logOf(openingLine(), rowLine('invalid', 1), openingLine('R2'))
    const before = await readFile(path, 'utf8')
    for (const checks of [0, 1, 2]) {
      let left = checks
      const check = () => {
        left -= 1
        if (left < 0) throw new LockError('lock_lost', { log: path })
      }
      await expect(compactLog(path, { ...held, check }, how)).rejects.toThrow(LockError)
    }
    expect(await readFile(path, 'utf8')).toBe(before)
    expect(await readdir(dirname(path))).toEqual([basename(path)])
  })

  it('removes what a killed one left', async () => {
    const path = await logOf(openingLine())
    await appendFile(`${path}.01JDBBBBBBBBBBBBBBBBBBBBBB.new`, 'x')
    await compact(path)
    expect(await readdir(dirname(path))).toEqual([basename(path)])
  })
})

const ended = (run: string, rows: number) => ({ run, at: '2026-11-21T08:00:09.000Z', ended: { rows } })

const textsOf = async (path: string) =>
  linesOf(await readFile(path, 'utf8')).map(({ run, status, key, ended }) =>
    [run, ended ? `${ended.rows} rows` : status === undefined ? 'open' : `${status} ${key}`].join(' '),
  )
