import { expect, test } from 'vitest'
import { contactPath, type Json, messageOf, post, recordsOf, sandbox, taskPath } from './sandboxes.ts'

test.each([
  ['name', { name: 7 }],
  ['name', { name: null }],
  ['emails', { emails: 'ada@example.com' }],
  ['emails.1.email', { emails: [{ email: 'a@b.c' }, { email: 7 }] }],
  ['emails.0', { emails: ['a@b.c'] }],
  ['phones.0.phone_number', { phones: [{ phone_number: 44 }] }],
  ['url_details.domain', { url_details: { domain: 7 } }],
  ['address_lat', { address_lat: '51.5' }],
  ['assigned_user_id', { assigned_user_id: 1.5 }],
  ['parent.record_id', { parent: { record_id: 'acme' } }],
  ['followers.0.user_id', { followers: [{ user_id: '7' }] }],
  ['archived', { archived: 'no' }],
])('a contact with a wrong %s is refused with 422, which names the field', async (path, body) => {
  const at = await sandbox()
  const response = await post(at, contactPath, body)
  expect(response.status).toBe(422)
  expect(await messageOf(response)).toContain(`${path}: `)
  expect(await recordsOf(at)).toEqual([])
})

test.each([
  ['status', { status: 'open' }],
  ['estimated_time', { estimated_time: '3h' }],
  ['date_info.due_date', { date_info: { due_date: '05/10/2026' } }],
  ['completed_at', { completed_at: 1_700_000_000 }],
  ['custom_field_values.0.custom_field_id', { custom_field_values: [{ text_value: 'x' }] }],
  ['contacts.0.record_id', { contacts: [{ record_id: 'Ada' }] }],
  ['projects.0.project_id', { projects: [{ project_id: 5 }] }],
])('a task with a wrong %s is refused with 422, which names the field', async (path, body) => {
  const response = await post(await sandbox(), taskPath, body)
  expect(response.status).toBe(422)
  expect(await messageOf(response)).toContain(`${path}: `)
})

test('users, projects and contacts may be given by e-mail or name, which gives their ids', async () => {
  const at = await sandbox()
  const body = {
    assigned_user: { email: 'ada@example.com' },
    projects: [{ name: 'Harbour' }],
    contacts: [{ name: 'Ada' }],
  }
  const first = (await (await post(at, taskPath, body)).json()) as Json
  const second = (await (await post(at, taskPath, body)).json()) as Json
  expect(first).toMatchObject({
    assigned_user: { email: 'ada@example.com', user_id: expect.any(Number) },
    projects: [{ name: 'Harbour', project_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
    contacts: [{ name: 'Ada', record_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
  })
  expect(second).toMatchObject({ projects: first.projects as object, contacts: first.contacts as object })
})

test('a field named __proto__ changes nothing else', async () => {
  const response = await post(await sandbox(), contactPath, '{"__proto__":{"name":"Eve"},"name":"Ada"}')
  expect(await response.json()).toMatchObject({ name: 'Ada', record_type: 'contact' })
})
