import { describe, expect, it } from 'vitest'
import type { Outcome, RowError } from '../../../../src/model/outcome.ts'
import { type Problem, problem } from '../../../../src/model/problem.ts'
import type { Body, Row } from '../../../../src/model/row.ts'
import type { MapRow } from '../../../../src/report/log-stats/dry-run-stats.ts'
import { DryRunStats } from '../../../../src/report/log-stats/dry-run-stats.ts'

const about = {
  name: 'a.csv',
  sources: ['a.csv'],
  mapping: 'map.yaml',
  lastRun: {
    durationMs: 5,
    stopped: undefined,
    unmet: [],
    rows: {},
    changed: 0,
    columns: { unseen: [], unused: [], missingKey: [], omissions: [], lookups: [] },
  },
}
const rowOf = (row: number, cells: readonly (readonly [string, unknown])[]): Row => ({
  source: 'a.csv',
  row,
  line: row + 1,
  value: column => cells.find(([name]) => name === column)?.[1],
  cells: () => cells,
})
const identity = (row: number) => ({ source: 'a.csv', row, line: row + 1, key: '', hash: '' })
const valid = (row: number, body: Body): Outcome => ({ status: 'valid', identity: identity(row), body })
const invalid = (row: number, ...errors: readonly RowError[]): Outcome => ({
  status: 'invalid',
  identity: identity(row),
  errors,
})
const error = (column: string | undefined, problem: Problem): RowError => ({
  ...(column !== undefined && { column }),
  value: 'x',
  ...problem,
})

/** What a small mapping makes of a row: it needs an address, and joins two names. */
const map: MapRow = row => {
  const [first, last, mail, other] = ['First', 'Last', 'Mail', 'Other'].map(name => row.value(name))
  if (mail === undefined) return { errors: [{ path: 'emails.0.email', ...problem('required') }] }
  const emails = [mail, other].flatMap(email => (email === undefined ? [] : [{ email }]))
  return { body: { name: [first, last].filter(Boolean).join(' '), record_sub_type: 'person', emails } }
}
const statsOf = (how = map) => new DryRunStats(how)
const bodyOf = (row: Row) => (map(row) as { body: Body }).body

describe('what a dry run finds', () => {
  it('includes the first rows that would be sent, each field beside the cells that it is made of', () => {
    const stats = statsOf()
    const row = rowOf(1, [
      ['First', 'Ada'],
      ['Mail', 'a@x.example'],
      ['Other', 'b@x.example'],
      ['Fax', 7],
      ['Last', 'King'],
    ])
    for (let at = 1; at <= 30; at += 1) stats.take(valid(at, bodyOf(row)), row)
    const { samples } = stats.part(about)
    expect(samples).toHaveLength(10)
    expect(samples[0]).toEqual({
      ...{ source: 'a.csv', row: 1, line: 2, key: '' },
      fields: [
        {
          ...{ path: 'name', value: 'Ada King' },
          cells: [
            { column: 'First', value: 'Ada' },
            { column: 'Last', value: 'King' },
          ],
        },
        { path: 'record_sub_type', value: 'person', cells: [] },
        { path: 'emails.0.email', value: 'a@x.example', cells: [{ column: 'Mail', value: 'a@x.example' }] },
        { path: 'emails.1.email', value: 'b@x.example', cells: [{ column: 'Other', value: 'b@x.example' }] },
      ],
      unused: [{ column: 'Fax', value: '7' }],
    })
  })

  it('knows the cell of a field that waits for another row, or whose row would be empty without it', () => {
    const waits: MapRow = row =>
      row.value('Parent') === undefined
        ? { errors: [{ path: '', ...problem('empty_body') }] }
        : { waitsOn: [{ on: 1, path: 'parent.record_id' }] }
    const stats = statsOf(waits)
    stats.take(
      valid(1, { parent: { record_id: 'r' }, name: 'x' }),
      rowOf(1, [
        ['Parent', 'P-1'],
        ['Name', 'x'],
      ]),
    )
    const cells = stats.part(about).samples[0]?.fields.map(field => field.cells.map(({ column }) => column))
    expect(cells).toEqual([['Parent', 'Name'], ['Parent']])
  })

  it('has many cells, fields and long texts cut', () => {
    const stats = statsOf()
    const long = 'x'.repeat(1_000_000)
    stats.take(
      valid(1, { description: long, parts: Array.from({ length: 999 }, () => long.slice(0, 9_999)) }),
      rowOf(1, [['Mail', long], ...Array.from({ length: 999 }, (_, at) => [`C${at}`, long] as const)]),
    )
    const [sample] = stats.part(about).samples
    expect(sample?.fields).toHaveLength(100)
    expect(JSON.stringify(sample).length).toBeLessThan(20_000_000)
    for (const { value } of sample?.fields ?? []) expect(value.length).toBeLessThanOrEqual(501)
  })

  it('tells values that a rule with omit leaves out, and which invalid rows are known', () => {
    const stats = statsOf()
    const row = rowOf(1, [['Mail', 'a@x.example']])
    const omitted = [{ path: 'a', column: 'Owner', value: 'zoe', code: 'lookup_not_found' as const }]
    stats.take({ ...valid(1, bodyOf(row)), omitted } as Outcome, row)
    stats.take(invalid(2, error('Mail', problem('not_email'))), row)
    stats.take({ ...invalid(3, error('Mail', problem('not_email'))), known: true } as Outcome, row)
    const part = stats.part(about)
    expect(part.omitted).toMatchObject([{ column: 'Owner', count: 1, examples: [{ row: 1, value: 'zoe' }] }])
    expect(part.attention).toMatchObject({ total: 2, known: 1 })
    expect(part.reasons).toMatchObject([{ rows: 2, known: 1 }])
  })

  it('is grouped by reason, the one with the most rows first', () => {
    const stats = statsOf()
    const row = rowOf(1, [])
    stats.take(invalid(1, error('Email', problem('required')), error('Phone', problem('not_phone'))), row)
    stats.take(invalid(2, error('Email', problem('not_email')), error('Phone', problem('not_phone'))), row)
    stats.take(invalid(3, error(undefined, problem('ragged', { cells: 3, columns: 4 }))), row)
    const { reasons, attention, overlap } = stats.part(about)
    expect(reasons.map(({ rows, reason }) => [rows, reason.slice(0, 9)])).toEqual([
      [2, 'Phone is '],
      [1, 'Email is '],
      [1, 'Email is '],
      [1, 'has 3 cel'],
    ])
    expect(overlap).toBe(true)
    expect(reasons[0]?.remedy).toContain('Then do the dry run again.')
    expect(attention.total).toBe(3)
    expect(attention.rows.map(({ row: number }) => number).sort()).toEqual([1, 2, 3])
  })
})

describe('what the columns hold', () => {
  const columnsOf = (stats: DryRunStats) => stats.part(about, column => [`of ${column}`]).profile

  it('is told in the order of the header, also of columns without any value', () => {
    const stats = new DryRunStats(map, ['First', 'Mail', 'Fax', 'First'])
    stats.take(valid(1, {}), rowOf(1, [['Mail', ' a@x.example '], ['First', 'Ada'], ['Fax', ''], ['First', 'Bo']])) // biome-ignore format: a row
    const { rows, columns, more } = columnsOf(stats)
    expect([rows, more]).toEqual([1, 0])
    expect(columns.map(({ column, filled, distinct }) => [column, filled, distinct])).toEqual([
      ['First', 1, 2],
      ['Mail', 1, 1],
      ['Fax', 0, 0],
    ])
    expect(columns[1]).toMatchObject({ fields: ['of Mail'], longest: { length: 11 } })
  })

  it('takes objects by their paths and lists by their items', () => {
    const stats = statsOf()
    const cells = [['name', { first: 'Ada' }], ['mails', [{ to: 'a' }, { to: 'b' }]], ['age', 36], ['gone', null]] as const // biome-ignore format: a row
    stats.take(valid(1, {}), rowOf(1, cells))
    expect(columnsOf(stats).columns.map(({ column, filled }) => [column, filled])).toEqual([
      ['name.first', 1],
      ['mails.to', 1],
      ['age', 1],
      ['gone', 0],
    ])
  })

  it('leaves out rows that cannot be read, and the columns of rejected rows', () => {
    const stats = statsOf()
    stats.take(invalid(1), { ...rowOf(1, [['First', 'x']]), fault: problem('not_object') })
    stats.take(valid(2, {}), rowOf(2, [['rowlift_key', 'x'], ['', 'y']])) // biome-ignore format: a row
    expect(columnsOf(stats)).toEqual({ rows: 1, columns: [], more: 0 })
  })

  it('shows a thousand columns at most', () => {
    const stats = new DryRunStats(
      map,
      Array.from({ length: 1_200 }, (_, at) => `c${at}`),
    )
    expect(columnsOf(stats)).toMatchObject({ columns: { length: 1_000 }, more: 200 })
  })
})
