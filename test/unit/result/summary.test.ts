import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../src/model/events.ts'
import { problem } from '../../../src/model/problem.ts'
import { plain } from '../../../src/output/paint.ts'
import { summaryText } from '../../../src/output/summary-text.ts'
import { describeStop } from '../../../src/output/words.ts'
import { fieldsOf, type RunResult } from '../../../src/result/run-result.ts'
import { identityOf, type OutcomeFields, outcomeOf, refused } from '../../support/outcomes.ts'
import { newTally, resultOf } from '../../support/results.ts'

function factsOf(events: readonly RunEvent[], changes: Partial<RunResult> = {}): RunResult {
  const tally = newTally()
  for (const event of events) tally.take(event)
  return resultOf(tally, changes)
}

const ended = (row: number, fields: OutcomeFields): RunEvent => ({
  type: 'row_settled',
  outcome: outcomeOf(fields, identityOf(row)),
})
const invalid = (value: string): OutcomeFields => ({
  status: 'invalid',
  errors: [{ path: 'emails.0.email', column: 'Email', value, ...problem('not_email') }],
})

/** A word of its own for each number. */
const nameOf = (at: number) => String(at).replaceAll(/\d/g, digit => 'abcdefghij'[Number(digit)] ?? '')

describe('the summary', () => {
  it('the summary counts what came out, and leaves out what did not occur', () => {
    const text = summaryText(
      factsOf([
        ended(1, { status: 'created', recordId: 'r', attempts: 1, durationMs: 1 }),
        { type: 'row_skipped' },
      ]),
      true,
    )
    expect(text).toContain('Import finished after 2.0 s: 2 rows, 1.0 rows/s')
    expect(text).toMatch(/created +1\n/)
    expect(text).toMatch(/left out +1 +by where/)
    expect(text).not.toMatch(/failed|invalid|in doubt/)
  })

  it('the summary tells a field that was sent and that answers lack once', () => {
    const facts = factsOf([
      {
        type: 'answer_differs',
        differences: ['tags.#.color is missing', 'tags is not a list', 'owner is missing'],
      },
      ended(1, {
        ...{ status: 'created', recordId: 'r', attempts: 1, durationMs: 1 },
        notInAnswer: ['tags.0.color', 'tags.1.color'],
      }),
    ])
    const lacking = { not_in_answer: { 'tags.#.color': 1 } }
    const answer_differences = { 'tags is not a list': 1, 'owner is missing': 1 }
    expect(fieldsOf(facts)).toMatchObject({ ...lacking, answer_differences })
    expect(fieldsOf(facts).answer_differences).toEqual(answer_differences)
    expect(summaryText(facts, false).split('tags.#.color')).toHaveLength(2)
  })

  it('the summary names the columns that a dry run found unused', () => {
    const unused = { dry_run: true, unused_columns: ['Fax', 'Notes'] }
    expect(summaryText(factsOf([], unused), false)).toContain('does not use these columns: Fax, Notes\n')
  })

  it('the summary groups failures by reason, the most frequent first, with the first rows as examples', () => {
    const events = [
      ended(1, { status: 'invalid', errors: [{ path: '', ...problem('empty_body') }] }),
      ...[2, 3, 4, 5].map(row => ended(row, invalid(`bad ${row}`))),
    ]
    const text = summaryText(factsOf(events), true)
    expect(text.indexOf('4 rows invalid: Email is not an e-mail address')).toBeGreaterThan(0)
    expect(text.indexOf('4 rows invalid')).toBeLessThan(
      text.indexOf('1 row invalid: no column that the mapping uses'),
    )
    expect(text).toContain('a.csv:3 (row 2, key k2): bad 2')
    expect(text).toContain('a.csv:5 (row 4, key k4): bad 4')
    expect(text).not.toContain('bad 5')
  })

  it('the summary keeps what stood in rows to itself where it is not for a terminal', () => {
    const facts = factsOf([ended(2, invalid('ada at home'))])
    expect(summaryText(facts, false)).toContain('a.csv:3 (row 2)')
    expect(summaryText(facts, false) + JSON.stringify(fieldsOf(facts))).not.toMatch(/ada at home|k2/)
  })

  it('the summary shows a cell with line breaks or control signs on one line', () => {
    expect(summaryText(factsOf([ended(1, invalid('a\n\u001b[31mb'))]), true)).toContain(': a ␛[31mb')
  })

  it('the summary says why a run stopped and what to type next', () => {
    const reason = { code: 'signal', params: { signal: 'SIGINT' } } as const
    const stopped = describeStop(reason)
    const next = [{ advice: 'Go on', args: ['import', 'my file.csv'] }]
    const text = summaryText(factsOf([{ type: 'stopping', reason }], { stopped }), true, plain, next)
    expect(text).toContain('Import stopped early')
    expect(text).toContain('interrupted by SIGINT')
    expect(text).toMatch(/\n\nNext:\n {2}Go on:\n {4}rowlift import 'my file\.csv'\n$/)
  })

  it('the summary counts doubts of earlier runs whose rows are gone', () => {
    expect(summaryText(factsOf([], { in_doubt_total: 3 }), true)).toMatch(
      /in doubt +3 +from earlier runs, not sent by this one/,
    )
  })

  it('the summary makes one group of failures whose answers differ only in what changes from row to row', () => {
    const events = Array.from({ length: 10_000 }, (_, at) =>
      ended(at, refused(400, `{"error":"Name 'Contact ${at}' is taken","id":"${randomUUID()}"}`)),
    )
    const facts = factsOf([...events, ended(1, refused(400, '{"error":"Name is too long"}'))])
    expect(facts.details.tally.reasons.groups.size).toBe(2)
    const text = summaryText(facts, true)
    expect(text).toContain(
      '  10,000 rows failed: the service answered 400: {"error":"Name \'Contact …\' is taken","id":"…"}\n      a.csv:1 (row 0, key k0): {"error":"Name \'Contact 0\' is taken"',
    )
    expect(text).toContain('  1 row failed: the service answered 400: {"error":"Name is too long"}')
  })

  it('the summary keeps answers with other statuses apart', () => {
    const facts = factsOf([400, 409, 409].map((status, at) => ended(at, refused(status, 'no'))))
    expect(fieldsOf(facts).reasons.map(({ reason, count }) => [reason, count])).toEqual([
      ['the service answered 409', 2],
      ['the service answered 400', 1],
    ])
  })

  it('the summary makes one group of rows that name others, and leaves out what differs between them', () => {
    const naming = (row: number, named: number) =>
      ended(row, {
        status: 'invalid',
        errors: [
          {
            column: 'Parent 2',
            ...problem('linked_row_not_created', { row: `tasks.csv row ${named}`, status: 'invalid' }),
          },
        ],
      })
    const same = fieldsOf(factsOf([naming(2, 1), naming(3, 1)])).reasons
    expect(same.map(({ reason, count }) => [reason, count])).toEqual([
      ['Parent 2 names tasks.csv row 1, which is invalid; this row is tried again in the next run', 2],
    ])
    const others = fieldsOf(factsOf([naming(2, 1), naming(3, 1), naming(5, 4)])).reasons
    expect(others.map(({ reason, count }) => [reason, count])).toEqual([
      ['Parent 2 names …, which is …; this row is tried again in the next run', 3],
    ])
  })

  it('the summary keeps what the service answered to itself where it is not for a terminal', () => {
    const facts = factsOf([ended(1, refused(409, 'Contact Ada Lovelace exists'))])
    expect(summaryText(facts, false)).toContain('1 row failed: the service answered 409\n')
    expect(summaryText(facts, false) + JSON.stringify(fieldsOf(facts))).not.toMatch(/Ada|exists/)
  })

  it('the summary counts together what comes late when there are too many reasons', () => {
    const events = Array.from({ length: 1_200 }, (_, at) =>
      ended(at, { status: 'invalid', errors: [{ column: nameOf(at), ...problem('not_email') }] }),
    )
    const { tally } = factsOf([...events, ...events]).details
    expect(tally.reasons.groups.size).toBe(1_001)
    const groups = [...tally.reasons.groups.values()]
    expect(groups.find(({ reason }) => reason === 'other reasons')).toMatchObject({
      count: 400,
      status: 'invalid',
    })
    expect(groups.filter(({ count }) => count === 2)).toHaveLength(1_000)
  })

  it('the summary stays bounded however many reasons there are', () => {
    const events = Array.from({ length: 5_000 }, (_, at) =>
      ended(at, {
        status: 'failed',
        fault: 'refused',
        errors: [{ ...problem('http_error', { status: 400 }), body: nameOf(at) }],
        attempts: 1,
        durationMs: 1,
      }),
    )
    const facts = factsOf(events)
    expect(facts.details.tally.reasons.groups.size).toBeLessThanOrEqual(1_001)
    expect(summaryText(facts, true).split('\n').length).toBeLessThan(40)
    expect(fieldsOf(facts).failed).toBe(5_000)
  })
})
