import { expect, test } from 'vitest'
import { createContact, createTask, type Json, post, recordsOf, sandbox, statsOf } from './sandboxes.ts'

const ada = { name: 'Ada Lovelace', emails: [{ email: 'ada@example.com' }] }
const found = '?use_created=true'

test('without use_created, a similar contact is created again', async () => {
  const at = await sandbox()
  const ids = [
    (await createContact(at, ada)).record_id,
    (await createContact(at, ada)).record_id,
    (await createContact(at, ada, '?use_created=false')).record_id,
  ]
  expect(new Set(ids).size).toBe(3)
})

test('a contact with a common e-mail, in any letter case, is returned unchanged', async () => {
  const at = await sandbox()
  const first = await createContact(at, {
    name: 'Ada',
    emails: [{ email: 'x@example.com' }, { email: 'Ada@Example.com' }],
  })
  const second = await createContact(
    at,
    { name: 'Someone Else', emails: [{ email: 'new@example.com' }, { email: 'aDA@example.com' }] },
    found,
  )
  expect(second).toEqual(first)
  expect(await statsOf(at)).toMatchObject({ created: 1, existing: 1, records: 1 })
})

test('a contact of the same name and sub-type, in any letter case, is returned', async () => {
  const at = await sandbox()
  const first = await createContact(at, ada, found)
  expect(
    (await createContact(at, { name: 'ADA LOVELACE', record_sub_type: 'Person' }, found)).record_id,
  ).toBe(first.record_id)
  const company = await createContact(at, { name: 'Ada Lovelace', record_sub_type: 'organization' }, found)
  expect(company.record_id).not.toBe(first.record_id)
})

test('a common e-mail is preferred to a common name', async () => {
  const at = await sandbox()
  await createContact(at, { name: 'Same Name' })
  const byEmail = await createContact(at, { name: 'Other', emails: [{ email: 'a@b.c' }] })
  const answer = await createContact(at, { name: 'Same Name', emails: [{ email: 'A@B.C' }] }, found)
  expect(answer.record_id).toBe(byEmail.record_id)
})

test('contacts without a name and an e-mail are similar to none', async () => {
  const at = await sandbox()
  const first = await createContact(at, { emails: [{ email: '' }] }, found)
  const second = await createContact(at, { emails: [{ email: '' }] }, found)
  expect(second.record_id).not.toBe(first.record_id)
})

test('a contact of another organization is not found', async () => {
  const at = await sandbox()
  const first = await createContact(at, ada, found)
  const other = await post(at, `/v1.0/record/contact/create/8${found}`, ada)
  expect(((await other.json()) as Json).record_id).not.toBe(first.record_id)
})

test('of many equal calls at the same time, one creates the contact and all get it', async () => {
  const at = await sandbox({ latencyMs: 5 })
  const records = await Promise.all(Array.from({ length: 50 }, () => createContact(at, ada, found)))
  expect(new Set(records.map(record => record.record_id)).size).toBe(1)
  expect(await statsOf(at)).toMatchObject({ created: 1, existing: 49 })
})

test('tasks are created as often as they are sent', async () => {
  const at = await sandbox()
  const first = await createTask(at, { name: 'Same' })
  const second = await createTask(at, { name: 'Same' })
  expect(second.record_id).not.toBe(first.record_id)
  expect(await recordsOf(at)).toHaveLength(2)
})
