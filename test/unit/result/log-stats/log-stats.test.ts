import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RowStatus } from '../../../../src/result/row-counts.ts'
import { logPart } from '../../../../src/run/page.ts'
import { withChecksum } from '../../../../src/store/files/checksum.ts'
import { watching } from '../../../support/context.ts'
import { answered, lineText, logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { repeats } from '../../../support/random.ts'

const partOf = async (...lines: readonly (object | string)[]) =>
  logPart(await logOf(...lines), 'the log', watching)
const minute = (at: number) => `2026-11-21T08:${String(at).padStart(2, '0')}:00.000Z`

/** What becomes of each key, by the plain words of the contract. */
class Model {
  readonly #states = new Map<string, RowStatus>()
  recovered = 0

  take({ key, status, by_hand }: { key: string; status: string; by_hand: boolean }): void {
    const before = this.#states.get(key)
    if (status === 'forgotten') this.#states.set(key, status)
    if (/duplicate|forgotten/.test(status) || before === 'created' || before === 'existing') return
    if (status === 'created' || status === 'existing') {
      if (before !== undefined) this.recovered += 1
      this.#states.set(key, status)
    } else if (status === 'in_doubt' || before !== 'in_doubt' || (by_hand && status === 'failed'))
      this.#states.set(key, status as RowStatus)
  }

  get counts(): Record<RowStatus, number> {
    const counts = { created: 0, existing: 0, merged: 0, invalid: 0, failed: 0, in_doubt: 0, forgotten: 0 }
    for (const state of this.#states.values()) counts[state] += 1
    return counts
  }
}

describe('the facts of a result log', () => {
  it('the facts of a result log count each row once by the line that decides, like a plain model, for any lines', async () => {
    const line = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'sha256:0123456789abcdef#1'),
      status: fc.constantFrom(
        'created',
        'existing',
        'invalid',
        'failed',
        'failed',
        'in_doubt',
        'duplicate',
        'forgotten',
      ),
      by_hand: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 40 }), async lines => {
        const model = new Model()
        for (const each of lines) model.take(each)
        const hashOf = (key: string) => key.replace(/^sha256:|#1$/g, '').padStart(16, '0')
        const rowLines = lines.map((each, at) =>
          rowLine(each.status, at, { ...each, run: `of ${at}`, hash: hashOf(each.key) }),
        )
        const part = await partOf(openingLine(), ...rowLines)
        expect(part.counts).toEqual(model.counts)
        expect(part.recovered).toBe(model.recovered)
        const bad = model.counts.invalid + model.counts.failed + model.counts.in_doubt
        expect([part.attention.total, part.attention.rows.length]).toEqual([bad, bad])
        expect(part.duplicates).toBe(lines.filter(({ status }) => status === 'duplicate').length)
      }),
      { numRuns: repeats(100) },
    )
  })

  it('the facts of a result log describe each run by its own lines, also what a person settled', async () => {
    const part = await partOf(
      openingLine('R1', { at: minute(0) }),
      rowLine('created', 1, { at: minute(1), attempts: 3, throttled: 2 }),
      rowLine('in_doubt', 2, {
        at: minute(2),
        errors: [{ message: 'the call was sent and no answer came (x)' }],
      }),
      rowLine('failed', 2, { at: minute(5), run: 'H1', by_hand: true }),
      openingLine('R2', { at: minute(10), mapping_sha256: 'b2' }),
      rowLine('in_doubt', 9, { at: minute(3) }), // under way when R1 was killed
      rowLine('created', 2, { at: minute(11), run: 'R2' }),
      rowLine('duplicate', 3, { at: minute(12), run: 'R2' }),
    )
    expect(part.runs).toMatchObject([
      {
        run: 'R1',
        startedAt: minute(0),
        lastAt: minute(3),
        byHand: false,
        counts: { created: 1, in_doubt: 2 },
      },
      {
        run: 'H1',
        startedAt: minute(5),
        lastAt: minute(5),
        byHand: true,
        counts: { failed: 1 },
        rowlift: '',
      },
      {
        run: 'R2',
        startedAt: minute(10),
        lastAt: minute(12),
        mappingChanged: true,
        counts: { created: 1, duplicate: 1 },
      },
    ])
    expect(part.runs[0]).toMatchObject({ repeated: 2, throttled: 2, mappingChanged: false, rowlift: '0.1.0' })
    expect(part).toMatchObject({ earlierRuns: 0, byHand: 1, recovered: 1, duplicates: 1 })
    expect(part.opening.run).toBe('R2')
    expect(part.counts).toEqual({
      created: 2,
      existing: 0,
      merged: 0,
      forgotten: 0,
      invalid: 0,
      failed: 0,
      in_doubt: 1,
    })
  })

  it('the facts of a result log keep the last hundred runs', async () => {
    const runs = Array.from({ length: 130 }, (_, at) => openingLine(`R${at}`))
    const part = await partOf(...runs)
    expect([part.runs.length, part.earlierRuns]).toEqual([100, 30])
    expect(part.runs.at(-1)?.run).toBe('R129')
  })

  it('the facts of a result log name both rows that the service took for one contact', async () => {
    const record_id = '9d2f0000-0000-4000-8000-000000000001'
    const { merged } = await partOf(
      openingLine(),
      rowLine('created', 1, { record_id }),
      openingLine('R2'),
      rowLine('merged', 7, { run: 'R2', source: 'other.csv', record_id: record_id.toUpperCase() }),
    )
    expect(merged).toEqual({
      count: 1,
      pairs: [
        {
          recordId: record_id.toUpperCase(),
          first: { source: 'contacts.csv', row: 1, line: 2, key: 'k1' },
          second: { source: 'other.csv', row: 7, line: 8, key: 'k7' },
        },
      ],
    })
  })

  it('the facts of a result log count values that were left out or that answers lack', async () => {
    const omitted = (...values: readonly string[]) =>
      values.map(value => ({
        path: 'assigned_user.user_id',
        column: 'Owner',
        value,
        code: 'lookup_not_found',
      }))
    const part = await partOf(
      openingLine(),
      rowLine('created', 1, { omitted: omitted('zoe'), not_in_answer: ['a.0.b', 'a.1.b', 'c'] }),
      rowLine('existing', 2, { omitted: omitted('max', 'ida'), not_in_answer: ['a.0.b'] }),
      rowLine('failed', 3, { ...answered(422, 'no'), omitted: omitted('eva') }),
      rowLine('created', 4, { omitted: [{ path: 'name' }] }),
    )
    expect(part.omitted).toMatchObject([
      {
        column: 'Owner',
        count: 4,
        examples: [{ row: 1, value: 'zoe' }, { row: 2, value: 'max' }, { row: 2 }],
      },
      { column: 'name', count: 1 },
    ])
    expect(part.notInAnswer).toEqual([
      { path: 'a.#.b', count: 2 },
      { path: 'c', count: 1 },
    ])
  })

  it('the facts of a result log keep rows that an earlier run refused apart from those that the last one did', async () => {
    const refused = (row: number, run: string) => rowLine('failed', row, { run, ...answered(422, 'odd') })
    const part = await partOf(
      openingLine('R1'),
      ...[1, 2, 3].map(row => refused(row, 'R1')),
      ...[4, 5].map(row => rowLine('invalid', row, { errors: [{ message: 'is new' }] })),
      openingLine('R2'),
      ...[4, 5].map(row => rowLine('invalid', row, { run: 'R2', errors: [{ message: 'is new' }] })),
      { run: 'R2', at: minute(9), ended: { rows: 5 } },
    )
    expect(part.reasons.map(({ rows, known, reason }) => [rows, known, reason])).toEqual([
      [2, 0, 'is new'],
      [3, 3, 'the service answered 422'],
    ])
    expect(part.attention).toMatchObject({ total: 5, known: 3 })
  })

  it('the facts of a result log group why rows have no record now, without rows that recovered', async () => {
    const part = await partOf(
      openingLine(),
      rowLine('failed', 1, answered(422, 'no')),
      rowLine('failed', 2, answered(422, 'Contact 17 is odd')),
      rowLine('failed', 3, answered(422, 'Contact 18 is odd')),
      rowLine('created', 1, { run: 'R2' }),
    )
    expect(part.reasons).toMatchObject([
      { status: 'failed', rows: 2, reason: 'the service answered 422', answer: 'Contact … is odd' },
    ])
    expect(part.attention.rows.map(({ row }) => row)).toEqual([2, 3])
  })

  it('the facts of a result log say what to do about rows in doubt by what the next run does with them', async () => {
    const doubt = rowLine('in_doubt', 1, { errors: [{ message: 'x' }], body: {} })
    const remedies: (string | undefined)[] = []
    for (const changes of [{}, { use_created: null }, { delivery: 'at-most-once' }])
      remedies.push((await partOf(openingLine('R1', changes), doubt)).reasons[0]?.remedy)
    expect(remedies[0]).toMatch(/^Run the same command again/)
    expect(remedies[1]).toContain('makes a second record')
    expect(remedies[2]).toContain('Look in the service for each row')
  })

  it('the facts of a result log show the first twenty errors of a row, and a row without one', async () => {
    const part = await partOf(
      openingLine(),
      rowLine('invalid', 1, { errors: Array.from({ length: 5_000 }, (_, at) => ({ message: `is ${at}` })) }),
      rowLine('failed', 2, {}),
    )
    expect(part.attention.rows.map(({ row, messages }) => [row, messages.length, messages[0]])).toEqual([
      [2, 1, 'no reason is given'],
      [1, 20, 'is 0'],
    ])
  })

  it('the facts of a result log accept values that are nested too deep', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const text = (line: object) => `${withChecksum(JSON.stringify(line).replaceAll('"DEEP"', deep))}\n`
    const errors = [{ message: 'x', value: 'DEEP' }]
    const part = await partOf(
      openingLine(),
      text(rowLine('in_doubt', 1, { errors, body: 'DEEP' })),
      text(rowLine('invalid', 2, { errors })),
    )
    expect(part.attention.rows).toMatchObject([
      { row: 1, value: '' },
      { row: 2, value: '' },
    ])
  })

  it('the facts of a result log are refused for a file that is no log', async () => {
    for (const [lines, message] of [
      [['hello\n'], 'is not a result log'],
      [[openingLine(), 'hello\n'], 'results.ndjson:2: is not a line of a result log'],
      [[''], 'there is no such result log'],
      [['{"run":"01M'], 'is not a result log, or its beginning is missing'],
    ] as const)
      await expect(partOf(...lines)).rejects.toThrow(message)
    const file = await logOf(openingLine())
    await expect(logPart(dirname(file), 'x', watching)).rejects.toThrow('is a folder')
    await expect(logPart(`${file}.none`, 'x', watching)).rejects.toThrow('there is no such result log')
    await writeFile(`${file}.none.inflight`, 'x')
    await expect(logPart(`${file}.none`, 'x', watching)).rejects.toThrow('is gone')
  })

  it('the facts of a result log leave the log and its folder unchanged, also with a torn last line', async () => {
    const file = await logOf(openingLine(), rowLine('created', 1), '{"run":"R1","status":"crea')
    await writeFile(`${file}.inflight`, lineText(openingLine()))
    const before = await readFile(file, 'utf8')
    expect((await logPart(file, 'x', watching)).counts.created).toBe(1)
    expect(await readFile(file, 'utf8')).toBe(before)
    expect((await readdir(dirname(file))).sort()).toEqual(['results.ndjson', 'results.ndjson.inflight'])
  })

  it('the facts of a result log have no pair whose record is gone', async () => {
    const merged = (row: number, of: number) => rowLine('merged', row, { record_id: `r${of}` })
    const gone = (row: number) => rowLine('forgotten', row, { run: 'F1', record_id: 'r1', by_hand: true })
    const file = await logOf(
      ...[
        openingLine(),
        rowLine('created', 1, { record_id: 'r1' }),
        rowLine('created', 2, { record_id: 'r2' }),
      ],
      ...[merged(3, 1), merged(4, 2), openingLine('F1', { command: 'forget' }), gone(1), gone(3)],
      { run: 'F1', at: '2026-11-22T08:00:01.000Z', ended: { rows: 0 }, command: 'forget' },
    )
    const { merged: facts } = await logPart(file, 'x', watching)
    expect(facts).toMatchObject({ count: 1, pairs: [{ recordId: 'r2', second: { key: 'k4' } }] })
  })

  it('the facts of a result log stay small however many rows there are', async () => {
    const row = (at: number) =>
      at % 3 === 0
        ? rowLine('created', at, {
            record_id: `r${at}`,
            http_status: 200,
            attempts: 1,
            duration_ms: at % 100,
          })
        : rowLine('failed', at, answered(422, `{"error":"Name ${at} is taken","more":"${'x'.repeat(300)}"}`))
    const file = await logOf(openingLine(), ...Array.from({ length: 9_000 }, (_, at) => row(at)))
    const part = await logPart(file, 'x', watching)
    expect(part.counts).toEqual({
      created: 3_000,
      existing: 0,
      forgotten: 0,
      merged: 0,
      invalid: 0,
      failed: 6_000,
      in_doubt: 0,
    })
    expect(part.attention.rows.length).toBeLessThanOrEqual(5_000)
    expect(JSON.stringify(part).length).toBeLessThan(6_000_000)
  })
})
