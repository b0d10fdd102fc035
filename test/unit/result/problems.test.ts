import { describe, expect, it } from 'vitest'
import type { Outcome, RowError } from '../../../src/model/outcome.ts'
import { type Problem, problem } from '../../../src/model/problem.ts'
import { remedyOf } from '../../../src/output/words/remedies.ts'
import { mostShownRows } from '../../../src/result/reasons.ts'
import { newTally } from '../../support/results.ts'

/** What a page shows of the outcomes of a dry run. */
function partOf(...outcomes: readonly Outcome[]) {
  const tally = newTally(mostShownRows)
  for (const outcome of outcomes) tally.take({ type: 'row_settled', outcome })
  const { losses, reasons } = tally
  return { ...losses.facts(), ...reasons.problems(remedyOf, { log: undefined, doubts: 'held' }) }
}
const identity = (row: number) => ({ source: 'a.csv', row, line: row + 1, key: '', hash: '' })
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
  it('what a dry run finds tells values that a rule with omit leaves out, and which invalid rows are known', () => {
    const omitted = [{ path: 'a', column: 'Owner', value: 'zoe', code: 'lookup_not_found' as const }]
    const kept = [{ path: 'b', column: 'Role', value: 'chef', code: 'not_in_map' as const }]
    const part = partOf(
      { status: 'valid', identity: identity(1), body: {}, omitted, kept } as Outcome,
      invalid(2, error('Mail', problem('not_email'))),
      { ...invalid(3, error('Mail', problem('not_email'))), known: true } as Outcome,
    )
    expect(part.omitted).toMatchObject([{ column: 'Owner', count: 1, examples: [{ row: 1, value: 'zoe' }] }])
    expect(part.kept).toMatchObject([{ column: 'Role', count: 1, examples: [{ row: 1, value: 'chef' }] }])
    expect(part.attention).toMatchObject({ total: 2, known: 1 })
    expect(part.reasons).toMatchObject([{ rows: 2, known: 1 }])
  })

  it('what a dry run finds is grouped by reason, the one with the most rows first', () => {
    const { reasons, attention, overlap } = partOf(
      invalid(1, error('Email', problem('required')), error('Phone', problem('not_phone'))),
      invalid(2, error('Email', problem('not_email')), error('Phone', problem('not_phone'))),
      invalid(3, error(undefined, problem('ragged', { cells: 3, columns: 4 }))),
    )
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
