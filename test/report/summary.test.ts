import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/model/events.ts'
import type { Ending } from '../../src/model/row.ts'
import { Tally } from '../../src/model/tally.ts'
import { type RunFacts, summaryFields, summaryText } from '../../src/report/summary.ts'

function factsOf(events: readonly RunEvent[], changes: Partial<RunFacts> = {}): RunFacts {
  const tally = new Tally()
  for (const event of events) tally.take(event)
  return {
    dryRun: false,
    tally,
    durationMs: 2_000,
    inDoubt: 0,
    columns: { unseen: [], unused: [], missingKey: [] },
    written: 'r.ndjson',
    next: undefined,
    ...changes,
  }
}

const ended = (row: number, end: Ending): RunEvent => ({
  is: 'ended',
  outcome: { origin: { source: 'a.csv', row, line: row + 1, key: `k${row}`, hash: '0' }, end },
  before: undefined,
})
const invalid = (value: string): Ending => ({
  status: 'invalid',
  errors: [{ path: 'emails.0.email', column: 'Email', value, message: 'is not an e-mail address' }],
})

describe('the summary', () => {
  it('counts what came out, and leaves out what did not occur', () => {
    const text = summaryText(
      factsOf([
        ended(1, { status: 'created', recordId: 'r', attempts: 1, durationMs: 1 }),
        { is: 'left_out' },
      ]),
      true,
    )
    expect(text).toContain('Import finished after 2.0 s: 2 rows, 1.0 rows/s')
    expect(text).toMatch(/created +1\n/)
    expect(text).toMatch(/left out +1 +by where/)
    expect(text).not.toMatch(/failed|invalid|in doubt/)
  })

  it('groups failures by reason, the most frequent first, with the first rows as examples', () => {
    const events = [
      ended(1, { status: 'invalid', errors: [{ path: '', message: 'nothing' }] }),
      ...[2, 3, 4, 5].map(row => ended(row, invalid(`bad ${row}`))),
    ]
    const text = summaryText(factsOf(events), true)
    expect(text.indexOf('4 × invalid: Email is not an e-mail address')).toBeGreaterThan(0)
    expect(text.indexOf('4 × invalid')).toBeLessThan(text.indexOf('1 × invalid: nothing'))
    expect(text).toContain('a.csv:3 (row 2, key k2): bad 2')
    expect(text).toContain('a.csv:5 (row 4, key k4): bad 4')
    expect(text).not.toContain('bad 5')
  })

  it('keeps what stood in rows to itself where it is not for a terminal', () => {
    const facts = factsOf([ended(2, invalid('ada at home'))])
    expect(summaryText(facts, false)).toContain('a.csv:3 (row 2)')
    expect(summaryText(facts, false) + JSON.stringify(summaryFields(facts))).not.toMatch(/ada at home|k2/)
  })

  it('shows a cell with line breaks or control signs on one line', () => {
    expect(summaryText(factsOf([ended(1, invalid('a\n\u001b[31mb'))]), true)).toContain(': a [31mb')
  })

  it('says why a run stopped and what to type next', () => {
    const text = summaryText(
      factsOf([{ is: 'stopping', reason: { is: 'signal', signal: 'SIGINT' } }], {
        next: 'rowlift import a.csv',
      }),
      true,
    )
    expect(text).toContain('Import stopped early')
    expect(text).toContain('interrupted by SIGINT')
    expect(text).toContain('Next: rowlift import a.csv')
  })

  it('counts doubts of earlier runs whose rows are gone', () => {
    expect(summaryText(factsOf([], { inDoubt: 3 }), true)).toMatch(
      /in doubt +3 +from earlier runs, not sent by this one/,
    )
  })

  it('stays bounded however many reasons there are', () => {
    const events = Array.from({ length: 5_000 }, (_, at) =>
      ended(at, {
        status: 'failed',
        fault: 'refused',
        errors: [{ message: `reason ${at}` }],
        attempts: 1,
        durationMs: 1,
      }),
    )
    const facts = factsOf(events)
    expect(facts.tally.reasons.size).toBeLessThanOrEqual(1_001)
    expect(summaryText(facts, true).split('\n').length).toBeLessThan(40)
    expect(summaryFields(facts).failed).toBe(5_000)
  })
})
