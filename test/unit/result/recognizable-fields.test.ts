import { describe, expect, it } from 'vitest'
import { recognizableFields } from '../../../src/result/short-texts.ts'

const nothing = { name: undefined, emails: [], phones: [], dueDate: undefined, parentName: undefined }

describe('fields that a person can look for', () => {
  it('what a person can look for is the name of a contact, its addresses and numbers', () => {
    const body = {
      name: 'Zoë Ångström',
      emails: [{ email: 'zoe@example.org' }, { email: 'z@example.net' }],
      phones: [{ phone_number: '+46 8 123' }],
      parent: { name: 'Ångström AB' },
    }
    expect(recognizableFields(body)).toEqual({
      ...nothing,
      name: 'Zoë Ångström',
      emails: ['zoe@example.org', 'z@example.net'],
      phones: ['+46 8 123'],
      parentName: 'Ångström AB',
    })
  })

  it('what a person can look for is the name of a task and when it is due', () => {
    const body = { name: 'Call back', date_info: { due_date: '2026-12-24T09:00:00Z' }, priority: 'high' }
    expect(recognizableFields(body)).toEqual({
      ...nothing,
      name: 'Call back',
      dueDate: '2026-12-24T09:00:00Z',
    })
  })

  it('what a person can look for is nothing if a body is damaged', () => {
    const bodies = [undefined, null, 'text', 7, [], { name: 3, emails: 'x', phones: [null, 1], parent: null }]
    for (const body of bodies) expect(recognizableFields(body)).toEqual(nothing)
    expect(recognizableFields({ emails: [{ email: '' }, {}], date_info: [] })).toEqual(nothing)
  })
})
