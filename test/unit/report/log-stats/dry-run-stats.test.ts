import { describe, expect, it } from 'vitest'
import type { Outcome, RowError } from '../../../../src/model/outcome.ts'
import { type Problem, problem } from '../../../../src/model/problem.ts'
import type { Body, Row } from '../../../../src/model/row.ts'
import { DryRunStats } from '../../../../src/report/log-stats/dry-run-stats.ts'

const about = {
  name: 'a.csv',
  sources: ['a.csv'],
  mapping: 'map.yaml',
  lastRun: {
    durationMs: 5,
    stopped: undefined,
    next: [],
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
const valid = (row: number, body: Body): Outcome => ({
  status: 'valid',
  identity: identity(row),
  body: JSON.stringify(body),
})
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

describe('what a dry run finds', () => {
  it('includes the first rows that would be sent, with their cells and bodies', () => {
    const stats = new DryRunStats()
    const cells = [
      ['Name', 'Ada'],
      ['Tag', 'a'],
      ['Tag', 'b'],
      ['Age', 7],
    ] as const
    for (let row = 1; row <= 30; row += 1) stats.take(valid(row, { name: 'Ada' }), rowOf(row, cells))
    const { samples } = stats.part(about)
    expect(samples).toHaveLength(20)
    expect(samples[0]).toEqual({
      ...{ source: 'a.csv', row: 1, line: 2, key: '' },
      cells: [
        { column: 'Name', value: 'Ada' },
        { column: 'Tag', value: 'a' },
        { column: 'Tag', value: 'b' },
        { column: 'Age', value: '7' },
      ],
      body: '{\n  "name": "Ada"\n}',
    })
  })

  it('has cells and bodies cut to a length that can be shown', () => {
    const stats = new DryRunStats()
    const long = 'x'.repeat(1_000_000)
    stats.take(
      valid(1, { description: long, parts: Array.from({ length: 99 }, () => long.slice(0, 9_999)) }),
      rowOf(1, [['Text', long], ...Array.from({ length: 999 }, (_, at) => [`C${at}`, long] as const)]),
    )
    const [sample] = stats.part(about).samples
    expect(sample?.cells).toHaveLength(200)
    expect(sample?.cells[0]?.value).toHaveLength(501)
    expect(sample?.body.length).toBeLessThanOrEqual(20_001)
  })

  it('is grouped by column, the column with the most rows first', () => {
    const stats = new DryRunStats()
    const row = rowOf(1, [])
    stats.take(invalid(1, error('Email', problem('required')), error('Phone', problem('not_phone'))), row)
    stats.take(invalid(2, error('Email', problem('not_email')), error('Email', problem('not_url'))), row)
    stats.take(invalid(3, error(undefined, problem('ragged', { cells: 3, columns: 4 }))), row)
    const { problems, attention } = stats.part(about)
    expect(problems.map(({ column, rows, reasons }) => [column, rows, reasons.length])).toEqual([
      ['Email', 2, 3],
      ['Phone', 1, 1],
      ['', 1, 1],
    ])
    expect(problems[0]?.reasons[0]?.remedy).toContain('Then do the dry run again.')
    expect(attention.total).toBe(3)
    expect(attention.rows.map(({ row: number }) => number).sort()).toEqual([1, 2, 3])
  })
})
