import { describe, expect, it } from 'vitest'
import { missingInAnswer } from '../../../src/records/compare.ts'

const color = '0f3c2c1a-0000-4000-8000-000000000001'
const size = '0f3c2c1a-0000-4000-8000-000000000002'
const grace = '0f3c2c1a-0000-4000-8000-000000000003'

describe('fields that are not in the answer', () => {
  it('a field that is not in the answer is named by its path, at any depth', () => {
    const sent = {
      name: 'Grace',
      designation: 'Admiral',
      url_details: { domain: 'navy.mil', twitter_url: '@g' },
    }
    const answer = { name: 'Grace', designation: null, url_details: { domain: 'navy.mil' } }
    expect(missingInAnswer(sent, answer)).toEqual(['designation', 'url_details.twitter_url'])
  })

  it.each([
    ['a text', '<p>Rear admiral</p>'],
    ['a number', 7],
    ['a list', ['a']],
    ['an object', { code: 'x' }],
  ])('a field that is not in the answer is %s that comes back as an empty text', (_, sent) => {
    expect(missingInAnswer({ description: sent }, { description: '' })).toEqual(['description'])
  })

  it('a field that is not in the answer is an object as a whole if the answer has none', () => {
    expect(missingInAnswer({ parent: { record_id: grace } }, { parent: null })).toEqual(['parent'])
  })

  it.each([
    ['other words', 'Grace', 'GRACE HOPPER'],
    ['nought', 5, 0],
    ['false', true, false],
    ['an object', 'Grace', { text: 'Grace' }],
    ['a text instead of a list', ['a', 'b'], 'a, b'],
  ])('a field that is not in the answer is none that comes back as %s', (_, sent, answered) => {
    expect(missingInAnswer({ field: sent }, { field: answered })).toEqual([])
  })

  it.each([
    ['null', null],
    ['an empty text', ''],
    ['an empty list', []],
    ['an empty object', {}],
    ['an object of null', { inner: null }],
    ['a list of null', [null]],
  ])('a field that is not in the answer is not %s that was sent', (_, empty) => {
    expect(missingInAnswer({ field: empty }, {})).toEqual([])
  })

  it.each(['constructor', 'toString', '__proto__'])(
    'a field that is not in the answer is a field named %s like any other',
    name => {
      expect(missingInAnswer(JSON.parse(`{"${name}":"x"}`), {})).toEqual([name])
      expect(missingInAnswer(JSON.parse(`{"${name}":"x"}`), JSON.parse(`{"${name}":"x"}`))).toEqual([])
    },
  )

  it('a field that is not in the answer is no id that comes back as an object', () => {
    const sent = { assigned_user_id: 7, parent: { record_id: grace }, project_ids: ['a', 'b'] }
    const answer = { assigned_user: { user_id: 7 }, parent_id: grace, projects: [{ project_id: 'a' }] }
    expect(missingInAnswer(sent, answer)).toEqual(['project_ids.1'])
  })
})

describe('element of a list', () => {
  it.each([
    ['none', [], ['emails.0', 'emails.1']],
    ['the second', [{ email: 'b@x.de' }], ['emails.0']],
    ['both in another order and case', [{ email: 'B@X.de' }, { email: 'A@x.de' }], []],
    ['one that the service wrote otherwise', [{ email: 'b@x.de' }, { email: 'a+1@x.de' }], []],
  ])('an element of a list is found by its value: %s', (_, answered, missing) => {
    const sent = { emails: [{ email: 'a@x.de' }, { email: 'b@x.de' }] }
    expect(missingInAnswer(sent, { emails: answered })).toEqual(missing)
  })

  it('an element of a list is found by its id, and its fields are compared', () => {
    const sent = {
      custom_field_values: [
        { date_value: '2026-11-02', custom_field_id: color },
        { custom_field_id: size, number_value: 5 },
      ],
    }
    const answered = [
      { custom_field_id: size.toUpperCase(), number_value: 5, record_id: grace },
      { custom_field_id: color, datetime_value: null, number_value: 5, record_id: grace },
    ]
    expect(missingInAnswer(sent, { custom_field_values: answered })).toEqual([
      'custom_field_values.0.date_value',
    ])
  })

  it('an element of a list has another counterpart than the next one with the same id', () => {
    const values = [
      { custom_field_id: size, number_value: 5 },
      { custom_field_id: size, text_value: 'L' },
    ]
    expect(missingInAnswer({ custom_field_values: values }, { custom_field_values: values })).toEqual([])
  })

  it('an element of a list that was sent twice may come back once', () => {
    const emails = [{ email: 'a@x.de' }, { email: 'A@x.de' }]
    expect(missingInAnswer({ emails }, { emails: [{ email: 'a@x.de' }] })).toEqual([])
  })

  it('an element of a list with an id is not taken for one with another', () => {
    const sent = { followers: [{ user_id: 1 }, { user_id: 2 }] }
    expect(missingInAnswer(sent, { followers: [{ user_id: 9 }, { user_id: 2 }] })).toEqual(['followers.0'])
  })

  it('an element of a list without an id or an equal value goes by its place', () => {
    const sent = { files: [{ title: 'a' }, { title: 'b' }, { title: 'c' }] }
    expect(missingInAnswer(sent, { files: [{ title: 'A.pdf' }, { url: 'b' }] })).toEqual([
      'files.1.title',
      'files.2',
    ])
  })

  it('an element of a list that is empty takes no place', () => {
    expect(missingInAnswer({ tags: [null, 'urgent'] }, { tags: ['very urgent'] })).toEqual([])
  })
})
