import { describe, expect, it } from 'vitest'
import { isFresh, readAnswer } from '../../../src/api/response.ts'
import { problem } from '../../../src/model/problem.ts'
import { kinds } from '../../../src/records/kinds.ts'

const recordId = '9d2f1c3e-0000-4000-8000-123456789abc'

const read = (text: string, body = {}) => readAnswer(text, kinds.task.noteDifferences(), body, false)

describe('answer', () => {
  it('an answer is read when it is JSON with a UUID as its record_id, whatever else is in it', () => {
    const text = JSON.stringify({ record_id: recordId, created_at: 7, novel: [] })
    const answer = readAnswer(text, kinds.contact.noteDifferences(), {}, false)
    expect(answer).toMatchObject({ recordId, createdAt: undefined })
    expect(answer).toHaveProperty('differences', expect.arrayContaining(['created_at is not a timestamp']))
    expect(answer).toHaveProperty('differences', expect.arrayContaining(['emails is missing']))
  })

  it('an answer is read behind a byte-order mark', () => {
    expect(read(`\uFEFF{"record_id":"${recordId}"}`)).toMatchObject({ recordId })
  })

  it.each([
    '',
    'null',
    '[]',
    '{}',
    'OK',
    '<html>',
    '{"record_id":7}',
    '{"record_id":"7"}',
    '{"record_id":null}',
    `{"record_id":"${recordId}"`,
    '{"record_id":"00000000-0000-0000-0000-000000000000"}',
  ])('an answer is not read when it is %j', text => {
    expect(read(text)).toEqual(problem('no_record_id'))
  })
})

it('an answer about something else is not that of the call', () => {
  const text = JSON.stringify({ record_id: recordId, name: 'Ada' })
  expect(read(text, { name: 'ada' })).toMatchObject({ recordId })
  expect(read(text, { name: 'Bob' })).toEqual(problem('answer_of_other_row', { field: 'name' }))
})

describe('record', () => {
  const date = 'Sat, 21 Nov 2026 08:00:10 GMT'

  it('a record is fresh when it is no older than the first attempt of its call', () => {
    expect(isFresh('2026-11-21T08:00:09.500Z', date, 500)).toBe(true)
    expect(isFresh('2026-11-21T08:00:00Z', date, 10_000)).toBe(true)
  })

  it('a record is old when it was there before the first attempt', () => {
    expect(isFresh('2026-11-21T07:00:00Z', date, 500)).toBe(false)
    expect(isFresh('2026-11-21T08:00:00Z', date, 500)).toBe(false)
  })

  it('a record is judged by the clock of the service, not by ours', () => {
    expect(isFresh('1999-01-01T00:00:00Z', 'Fri, 01 Jan 1999 00:00:00 GMT', 100)).toBe(true)
  })

  it('a record is read as UTC if its time has no zone designator', () => {
    expect(isFresh('2026-11-21T08:00:10', date, 100)).toBe(true)
    expect(isFresh('2026-11-20T08:00:10', date, 100)).toBe(false)
  })

  it('a record counts as made if one of the times is missing or unreadable', () => {
    expect(isFresh(undefined, date, 100)).toBe(true)
    expect(isFresh('soon', date, 100)).toBe(true)
    expect(isFresh('1999-01-01T00:00:00Z', undefined, 100)).toBe(true)
  })
})
