import { describe, expect, it } from 'vitest'
import { problem } from '../../../src/model/problem.ts'
import { summaryText } from '../../../src/output/summary-text.ts'
import { remedyOf } from '../../../src/output/words/remedies.ts'
import { describeCode } from '../../../src/output/words.ts'
import { type BadOutcome, mostShownRows, Reasons } from '../../../src/result/reasons.ts'
import { fieldsOf } from '../../../src/result/run-result.ts'
import type { RowLabel } from '../../../src/result/short-texts.ts'
import { identityOf } from '../../support/outcomes.ts'
import { newTally, resultOf } from '../../support/results.ts'

describe('the reasons of a run', () => {
  const invalid = (row: number, ...columns: readonly string[]) => ({
    type: 'row_settled' as const,
    outcome: {
      status: 'invalid' as const,
      identity: identityOf(row),
      errors: columns.map((column, at) => ({
        path: `tags.${at}`,
        column,
        value: at,
        ...problem('not_phone'),
      })),
    },
  })
  const reasonsIn = (...events: readonly ReturnType<typeof invalid>[]) => {
    const tally = newTally()
    for (const event of events) tally.take(event)
    const result = resultOf(tally)
    return { text: summaryText(result, true), fields: fieldsOf(result).reasons }
  }

  it('the reasons of a run count rows: a list with three bad items is one row, and one example', () => {
    const { text, fields } = reasonsIn(invalid(1, 'Tags', 'Tags', 'Tags'), invalid(2, 'Tags'))
    expect(fields).toMatchObject([{ count: 2, examples: [{ row: 1 }, { row: 2 }] }])
    expect(text).toContain('Why rows have no record:\n  2 rows invalid: Tags is not a phone number\n')
  })

  it('the reasons of a run count a row with two reasons in both, and say so', () => {
    const { text, fields } = reasonsIn(invalid(1, 'Home', 'Work'), invalid(2, 'Work'))
    expect(fields.map(({ count }) => count)).toEqual([2, 1])
    expect(text).toContain('Why rows have no record (a row with two reasons counts in both):')
  })
})

type BadRow = RowLabel & BadOutcome

const advised = { log: 'r.ndjson', doubts: 'held' } as const
const bad = (row: number, changes: Partial<BadRow> = {}): BadRow => ({
  source: 'a.csv',
  row,
  line: row + 1,
  key: `k${row}`,
  status: 'invalid',
  errors: [
    { path: 'emails.0.email', column: 'Email', value: `bad ${row}`, message: 'is not an e-mail address' },
  ],
  ...changes,
})
const answered = (row: number, httpStatus: number, body: string, status: BadRow['status'] = 'failed') =>
  bad(row, { status, httpStatus, errors: [{ message: `the service answered ${httpStatus}`, body }] })

/** A word of its own for each number. */
const nameOf = (at: number) => String(at).replaceAll(/\d/g, digit => 'abcdefghij'[Number(digit)] ?? '')

function gather(...rows: readonly BadRow[]) {
  const found = new Reasons(describeCode, mostShownRows)
  for (const row of rows) found.add(row, row)
  return found.problems(remedyOf, advised)
}

describe('rows without a record', () => {
  it('rows without a record are grouped by reason, the most frequent first, each with examples and what to do', () => {
    const { reasons, otherReasons } = gather(
      answered(1, 422, '{"error":"Name ada@example.com is taken"}'),
      ...[2, 3, 4, 5].map(row => bad(row)),
    )
    expect(reasons).toMatchObject([
      { status: 'invalid', rows: 4, reason: 'Email is not an e-mail address', answer: undefined },
      { status: 'failed', rows: 1, answer: '{"error":"Name … is taken"}' },
    ])
    expect(reasons[0]?.examples.map(({ row }) => row)).toEqual([2, 3, 4])
    expect(reasons[1]?.remedy).toContain('The service does not accept what was sent')
    expect(otherReasons).toBe(0)
  })

  it('rows without a record are listed with all their errors: first those in doubt, then failed, then invalid ones', () => {
    const { attention } = gather(
      bad(1, {
        errors: [
          { column: 'Email', value: 'x', message: 'is not an e-mail address' },
          { column: 'Phone', value: 7, message: 'is not a phone number' },
        ],
        at: '2026-11-21T08:00:00.000Z',
      }),
      answered(2, 409, 'exists'),
      answered(3, 500, 'oops', 'in_doubt'),
    )
    expect(attention.total).toBe(3)
    expect(attention.rows).toEqual([
      {
        ...{ source: 'a.csv', row: 3, line: 4, key: 'k3', status: 'in_doubt', column: undefined },
        ...{ value: undefined, messages: ['the service answered 500'], answer: 'oops', at: undefined },
        recognizedBy: [],
      },
      {
        ...{ source: 'a.csv', row: 2, line: 3, key: 'k2', status: 'failed', column: undefined },
        ...{ value: undefined, messages: ['the service answered 409'], answer: 'exists', at: undefined },
        recognizedBy: [],
      },
      {
        ...{ source: 'a.csv', row: 1, line: 2, key: 'k1', status: 'invalid', column: 'Email', value: 'x' },
        messages: ['Email is not an e-mail address', 'Phone is not a phone number'],
        answer: undefined,
        at: '2026-11-21T08:00:00.000Z',
        recognizedBy: [],
      },
    ])
  })

  it('rows without a record show what a person can look for in the service, of a row in doubt', () => {
    const contact = {
      name: 'Jörg Öz',
      emails: [{ email: 'j@x.example' }],
      phones: [{ phone_number: '+4922871' }],
    }
    const task = { name: 'Call', date_info: { due_date: '2027-01-31T00:00:00' }, parent: { name: 'Öz AG' } }
    const found = [contact, task, 'x'.repeat(9), { name: 'x'.repeat(900) }].map(
      body => gather(bad(1, { status: 'in_doubt', body })).attention.rows[0]?.recognizedBy,
    )
    expect(found.slice(0, 3)).toEqual([
      ['Jörg Öz', 'j@x.example', '+4922871'],
      ['Call', '2027-01-31', 'Öz AG'],
      [],
    ])
    expect(found[3]?.[0]).toHaveLength(201)
  })

  it('rows without a record count once for each error, however often a list repeats it', () => {
    const item = (at: number) => ({
      path: `tags.${at}`,
      column: 'Tags',
      value: at,
      message: 'is not in the map (a)',
    })
    const { reasons, attention } = gather(bad(1, { errors: [item(0), item(1), item(2)] }))
    expect(reasons).toMatchObject([{ rows: 1, reason: 'Tags is not in the map (a)' }])
    expect(attention.rows[0]?.messages).toEqual(['Tags is not in the map (a)'])
  })

  it('rows without a record are kept up to a limit, some of each reason', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => bad(at))
    const { attention } = gather(...many, answered(1, 500, 'oops', 'in_doubt'), answered(2, 422, 'no'))
    expect(attention.total).toBe(20_002)
    expect(attention.rows).toHaveLength(5_002)
    expect(attention.rows.slice(0, 3).map(({ status }) => status)).toEqual(['in_doubt', 'failed', 'invalid'])
  })

  it('rows without a record are counted together where there are too many reasons, and none is lost', () => {
    const { reasons, otherReasons } = gather(
      ...Array.from({ length: 3_000 }, (_, at) => bad(at, { errors: [{ message: `is ${nameOf(at)}` }] })),
    )
    expect(reasons).toHaveLength(50)
    expect(reasons.reduce((sum, { rows }) => sum + rows, 0) + otherReasons).toBe(3_000)
    expect(reasons.map(({ reason }) => reason)).not.toContain('other reasons')
  })

  it('rows without a record have texts that are cut, but never in the middle of a character', () => {
    const long = '😀'.repeat(10_000)
    const { attention, reasons } = gather(
      bad(1, { key: long, errors: [{ column: 'A', value: { deep: long }, message: long, body: long }] }),
      bad(2, { errors: [] }),
    )
    const [first, second] = attention.rows
    for (const text of [first?.key, first?.value, first?.messages[0], first?.answer, reasons[0]?.reason]) {
      expect(text?.length).toBeLessThanOrEqual(501)
      expect(text).toMatch(/😀…$/u)
      expect(text).toBe(Buffer.from(text ?? '').toString())
    }
    expect(second?.messages).toEqual(['no reason is given'])
  })
})
