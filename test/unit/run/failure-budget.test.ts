import { describe, expect, it } from 'vitest'
import type { ImportSteps } from '../../../src/engine/import-loop.ts'
import type { Fault, Outcome } from '../../../src/model/outcome.ts'
import { problem } from '../../../src/model/problem.ts'
import { failureBudget } from '../../../src/run/import-steps.ts'
import { outcomeOf } from '../../support/outcomes.ts'

const created = outcomeOf({ status: 'created', recordId: 'x', attempts: 1, durationMs: 1 })
const invalid = outcomeOf({ status: 'invalid', errors: [] })
const done = outcomeOf({ status: 'done', changed: false })
const effort = { attempts: 1, durationMs: 1, errors: [problem('run_killed')] }
const failed = (fault: Fault) => outcomeOf({ status: 'failed', fault, ...effort })
const inDoubt = (fault: Fault) => outcomeOf({ status: 'in_doubt', fault, ...effort, body: '{}' })

/** After how many of the outcomes a run has to stop. */
function countBeforeStop(budget: ImportSteps['budget'], outcomes: Iterable<Outcome>): number {
  let count = 0
  for (const outcome of outcomes) {
    if (budget(outcome) !== undefined) return count
    count += 1
  }
  return count
}

function* times<T>(count: number, one: T): Generator<T> {
  for (let at = 0; at < count; at += 1) yield one
}

describe('--max-failures', () => {
  it('--max-failures allows its number of failures, and not one more', () => {
    expect(countBeforeStop(failureBudget({ rows: 3 }), times(10, invalid))).toBe(3)
    expect(countBeforeStop(failureBudget({ rows: 0 }), [created, done, invalid])).toBe(2)
  })

  it('--max-failures as a share counts from row 100 on', () => {
    expect(countBeforeStop(failureBudget({ percent: 10 }), times(200, invalid))).toBe(99)
    expect(
      countBeforeStop(failureBudget({ percent: 10 }), [
        ...times(10, invalid),
        ...times(90, created),
        invalid,
      ]),
    ).toBe(100)
    expect(
      countBeforeStop(failureBudget({ percent: 10 }), [...times(10, invalid), ...times(190, created)]),
    ).toBe(200)
  })

  it('--max-failures counts invalid, failed and doubtful rows, and nothing else', () => {
    const ends = [created, done, invalid, failed('refused'), inDoubt('ambiguous')]
    expect(countBeforeStop(failureBudget({ rows: 2 }), ends)).toBe(4)
  })

  it('--max-failures is no bound if none was given', () => {
    expect(countBeforeStop(failureBudget(undefined), times(1000, invalid))).toBe(1000)
  })
})
