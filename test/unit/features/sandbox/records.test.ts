import { describe, expect, test } from 'vitest'
import { missingInAnswer } from '../../../../src/records/compare.ts'
import { createContact, createTask, recordsOf, sandbox } from './sandboxes.ts'
import * as tables from './tables.ts'

const fieldId = '0b0c3a52-6f0a-4c56-9d0e-6a6b8c1f2a01'
const optionId = '0b0c3a52-6f0a-4c56-9d0e-6a6b8c1f2a02'
const projectId = '0b0c3a52-6f0a-4c56-9d0e-6a6b8c1f2a03'
const strangerId = '0b0c3a52-6f0a-4c56-9d0e-6a6b8c1f2a04'

const common = {
  assigned_user_id: 12,
  followers: [{ user_id: 13 }, { user_id: 14 }],
  projects: [{ project_id: projectId, name: 'Launch' }],
  custom_field_values: [
    { custom_field_id: fieldId, option_id: optionId },
    { custom_field_id: fieldId, number_value: 4.5 },
    { custom_field_id: fieldId, text_value: 'blue' },
    { custom_field_id: fieldId, datetime_value: '2026-10-05T00:00:00' },
  ],
}

describe('contact', () => {
  test('a contact from an empty body has exactly the fields of table 2.1, each of its type', async () => {
    const record = await createContact(await sandbox(), {})
    expect(tables.mismatches(tables.contact, record)).toEqual([])
    expect(tables.mismatches(tables.urlDetails, record.url_details)).toEqual([])
    expect(record).toMatchObject({ organization_id: 7, record_type: 'contact', record_sub_type: 'person' })
  })

  test('a contact from a full body has its values', async () => {
    const body = {
      name: 'Ada Lovelace',
      record_sub_type: 'person',
      access_type: 'default',
      designation: 'Countess',
      avatar_url: 'https://example.com/a.png',
      description: '<p>First</p>',
      address: 'St James Square',
      address_lat: 51.5,
      address_lng: -0.13,
      emails: [{ email: 'Ada@example.com' }],
      phones: [{ phone_number: '+442071838750' }],
      files: [{ any: 'shape' }],
      archived: true,
    }
    const record = await createContact(await sandbox(), { ...body, url_details: { domain: 'example.com' } })
    expect(tables.mismatches(tables.contact, record)).toEqual([])
    expect(record).toMatchObject(body)
    expect(missingInAnswer(body, record)).toEqual([])
    expect(record.url_details).toMatchObject({ domain: 'example.com', github_url: null })
  })

  test('a contact has full users, projects and custom field values for their ids', async () => {
    const record = await createContact(await sandbox(), common)
    expect(record.assigned_user_id).toBe(12)
    expect(record.assigned_user.user_id).toBe(12)
    expect(record.followers.map((follower: { user_id: number }) => follower.user_id)).toEqual([13, 14])
    expect(missingInAnswer(common, record)).toEqual([])
    for (const user of [record.assigned_user, ...record.followers]) {
      expect(tables.mismatches(tables.user, user)).toEqual([])
    }
    expect(tables.mismatches(tables.projectSummary, record.projects[0])).toEqual([])
    expect(tables.mismatches(tables.customFieldValue, record.custom_field_values[0])).toEqual([])
  })

  test('a contact has a summary of its parent, whether the sandbox knows that or not', async () => {
    const at = await sandbox()
    const group = await createContact(at, { name: 'Group', record_sub_type: 'organization' })
    const company = await createContact(at, {
      name: 'Engines Ltd',
      record_sub_type: 'organization',
      parent: { record_id: group.record_id },
    })
    const person = await createContact(at, { name: 'Ada', parent: { record_id: company.record_id } })
    expect(tables.mismatches(tables.contactSummary, person.parent)).toEqual([])
    expect(person.parent).toMatchObject({
      record_id: company.record_id,
      name: 'Engines Ltd',
      parent_name: 'Group',
    })
    const other = await createContact(at, { parent: { record_id: strangerId, name: 'Elsewhere' } })
    expect(tables.mismatches(tables.contactSummary, other.parent)).toEqual([])
    expect(other.parent).toMatchObject({ record_id: strangerId, record_sub_type: 'organization' })
  })

  test('a contact ignores what the body says of fields that only the service sets', async () => {
    const mine = {
      record_id: strangerId,
      organization_id: 99,
      created_by_user_id: 99,
      record_type: 'task',
      created_at: '1999-01-01T00:00:00Z',
      modified_at: '1999-01-01T00:00:00Z',
    }
    const record = await createContact(await sandbox(), mine)
    for (const [field, value] of Object.entries(mine)) expect(record[field], field).not.toBe(value)
    expect(record.created_at).toMatch(/Z$/)
  })

  test('a contact is the same when it is shown again', async () => {
    const at = await sandbox()
    const record = await createContact(at, common)
    expect((await recordsOf(at))[0].record).toEqual(record)
  })

  test('a contact ignores fields that the interface does not know', async () => {
    const record = await createContact(await sandbox(), {
      shoe_size: 38,
      emails: [{ email: 'a@b.c', kind: 'work' }],
      custom_field_values: [{ custom_field_id: fieldId, date_value: '2026-10-05' }],
    })
    expect(record).not.toHaveProperty('shoe_size')
    expect(record.emails).toEqual([{ email: 'a@b.c' }])
    expect(record.custom_field_values[0]).not.toHaveProperty('date_value')
  })
})

describe('task', () => {
  test('a task from an empty body has exactly the fields of table 2.3, each of its type', async () => {
    const record = await createTask(await sandbox(), {})
    expect(tables.mismatches(tables.task, record)).toEqual([])
    expect(tables.mismatches(tables.dateInfo, record.date_info)).toEqual([])
    expect(record).toMatchObject({
      record_type: 'task',
      record_sub_type: 'task',
      status: 1,
      member_role: 'edit',
    })
  })

  test('a task from a full body has its values', async () => {
    const body = {
      name: 'Build the engine',
      is_template: true,
      description: '<p>Soon</p>',
      parents: [{ any: 1 }],
      parent: strangerId,
      reminders: [1],
      priority: 'low',
      planned_start: '2026-10-05T00:00:00',
      planned_due: '2026-10-06T00:00:00',
      status: 2,
      completed_at: '2026-10-07T10:00:00Z',
      estimated_time: 1.5,
      actual_time: 2,
      billable: true,
      cost: 10.25,
      dependencies: [{ any: 2 }],
      contact_email: 'a@b.c',
      contact_phone: '+44',
      date_info: { start_date: '2026-10-05T00:00:00', due_date: '2026-10-06T00:00:00Z', duration: 2 },
    }
    const record = await createTask(await sandbox(), body)
    expect(tables.mismatches(tables.task, record)).toEqual([])
    expect(tables.mismatches(tables.dateInfo, record.date_info)).toEqual([])
    expect(record).toMatchObject(body)
    expect(missingInAnswer(body, record)).toEqual([])
  })

  test('a task has full users, projects, contacts and custom field values for their ids', async () => {
    const at = await sandbox()
    const contact = await createContact(at, { name: 'Ada', designation: 'Countess' })
    const record = await createTask(at, {
      ...common,
      assigned_user: { user_id: 12 },
      contacts: [{ record_id: contact.record_id }, { record_id: strangerId }],
    })
    for (const user of [record.assigned_user, ...record.followers]) {
      expect(tables.mismatches(tables.user, user)).toEqual([])
      expect(tables.mismatches(tables.capacity, user.capacity)).toEqual([])
    }
    expect(record.projects).toHaveLength(1)
    expect(tables.mismatches(tables.projectSummary, record.projects[0])).toEqual([])
    expect(record.projects[0]).toMatchObject({ project_id: projectId, name: 'Launch' })
    for (const summary of record.contacts) {
      expect(tables.mismatches(tables.contactSummary, summary)).toEqual([])
    }
    expect(record.contacts[0]).toMatchObject({ name: 'Ada', designation: 'Countess' })
  })

  test('a task has custom field values of each type, as in table 2.6', async () => {
    const record = await createTask(await sandbox(), common)
    expect(missingInAnswer(common, record)).toEqual([])
    const values = record.custom_field_values
    expect(values).toHaveLength(4)
    for (const value of values) {
      expect(tables.mismatches(tables.customFieldValue, value)).toEqual([])
      const { missing_dependency: missing, ...info } = value.custom_field_info
      expect(tables.mismatches(tables.customFieldInfo, info)).toEqual([])
      expect(['undefined', 'boolean']).toContain(typeof missing)
      expect(value).toMatchObject({ record_id: record.record_id, modified_at: '0001-01-01T00:00:00' })
    }
    expect(tables.mismatches(tables.option, values[0].option_value)).toEqual([])
    expect(values[0]).toMatchObject({ option_id: optionId, custom_field_info: { type: 'select' } })
    expect(values[1]).toMatchObject({ number_value: 4.5, option_value: null })
    expect(values[2]).toMatchObject({ text_value: 'blue' })
    expect(values[3]).toMatchObject({ datetime_value: '2026-10-05T00:00:00' })
    expect(new Set(values.map((value: { cfv_id: number }) => value.cfv_id)).size).toBe(4)
  })

  test('a task ignores what the body says of fields that only the service sets', async () => {
    const record = await createTask(await sandbox(), {
      member_role: 'owner',
      status_modified_at: '1999-01-01T00:00:00Z',
      date_info: { recurring_record_created: true },
      projects: [{ project_id: projectId, created_at: '1999-01-01T00:00:00Z' }],
    })
    expect(record.member_role).toBe('edit')
    expect(record.date_info.recurring_record_created).toBe(false)
    expect(JSON.stringify(record)).not.toContain('1999')
  })

  test('a task can be assigned by the id alone', async () => {
    const record = await createTask(await sandbox(), { assigned_user_id: 5 })
    expect(record.assigned_user.user_id).toBe(5)
  })
})
