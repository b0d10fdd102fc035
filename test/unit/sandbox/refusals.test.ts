import { describe, expect, test } from 'vitest'
import {
  contactPath,
  type Json,
  messageOf,
  post,
  recordsOf,
  sandbox,
  statsOf,
  taskPath,
} from './sandboxes.ts'

describe('the bearer token', () => {
  test.each([
    ['missing', undefined],
    ['wrong', 'Bearer other'],
    ['a beginning of the right one', 'Bearer sand'],
    ['not a bearer token', 'Basic sandbox'],
    ['empty', 'Bearer '],
  ])('is refused with 401 when it is %s', async (_how, header) => {
    const at = await sandbox()
    const headers = { 'content-type': 'application/json', ...(header ? { authorization: header } : {}) }
    const response = await fetch(at.url + contactPath, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ status: 401, message: expect.any(String) })
    expect(await statsOf(at)).toMatchObject({ calls: 1, unauthorized: 1, created: 0, by_status: { 401: 1 } })
  })

  test('is the one that the options name', async () => {
    const at = await sandbox({ token: 'other' })
    expect((await post(at, contactPath, {}, { authorization: 'Bearer other' })).status).toBe(200)
    expect((await post(at, contactPath, {})).status).toBe(401)
  })

  test('is judged before the path and the body', async () => {
    const at = await sandbox()
    expect((await post(at, '/nowhere', '{', { authorization: 'Bearer other' })).status).toBe(401)
  })
})

describe('the address', () => {
  test.each([
    '/v2.0/record/contact/create/7',
    '/v1/record/contact/create/7',
    '/record/contact/create/7',
    '/v1.0/record/note/create/7',
    '/v1.0/record/contact/create',
    '/v1.0/record/contact/create/',
    '/v1.0/record/contact/create/0',
    '/v1.0/record/contact/create/-7',
    '/v1.0/record/contact/create/1.5',
    '/v1.0/record/contact/create/acme',
    '/v1.0/record/contact/create/99999999999999999999',
    '/',
  ])('%s is answered with 404 in JSON', async path => {
    const response = await post(await sandbox(), path, {})
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ status: 404, message: expect.any(String) })
  })

  test('takes POST alone', async () => {
    const at = await sandbox()
    const response = await fetch(at.url + contactPath, { headers: { authorization: 'Bearer sandbox' } })
    expect(response.status).toBe(405)
  })

  test.each([
    `${contactPath}?use_created=yes`,
    `${contactPath}?use_created=`,
    `${contactPath}?use_created=TRUE`,
    `${contactPath}?use_created=true&use_created=true`,
    `${contactPath}?use_created=true&other=1`,
    `${taskPath}?use_created=true`,
    `${taskPath}?other=1`,
  ])('%s is answered with 400 for its query', async path => {
    const at = await sandbox()
    expect((await post(at, path, {})).status).toBe(400)
    expect(await recordsOf(at)).toEqual([])
  })
})

describe('the body', () => {
  test.each(['{"name":', '', 'name=Ada', Buffer.from([0x22, 0xff, 0x22])])(
    '%j is no JSON: 400',
    async body => {
      expect((await post(await sandbox(), contactPath, body)).status).toBe(400)
    },
  )

  test.each(['[]', 'null', '"Ada"', '7'])('%s is no object: 422', async body => {
    expect((await post(await sandbox(), contactPath, body)).status).toBe(422)
  })

  test('of another content type is answered with 415', async () => {
    expect((await post(await sandbox(), contactPath, '{}', { 'content-type': 'text/plain' })).status).toBe(
      415,
    )
  })

  test('of more than 32 MB is answered with 413 and counted', async () => {
    const at = await sandbox()
    const response = await post(at, contactPath, Buffer.alloc(33 * 1024 * 1024, 32))
    expect(response.status).toBe(413)
    expect(await statsOf(at)).toMatchObject({ by_status: { 413: 1 } })
  })

  test('of some megabytes is taken', async () => {
    const response = await post(await sandbox(), contactPath, { description: 'x'.repeat(5_000_000) })
    expect(((await response.json()) as Json).description).toHaveLength(5_000_000)
  })

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
  ])('of a contact with a wrong %s is answered with 422 that names it', async (path, body) => {
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
  ])('of a task with a wrong %s is answered with 422 that names it', async (path, body) => {
    const response = await post(await sandbox(), taskPath, body)
    expect(response.status).toBe(422)
    expect(await messageOf(response)).toContain(`${path}: `)
  })

  test('lets users, projects and contacts be referred to by e-mail or name, and makes up their ids', async () => {
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

  test('keeps a field named __proto__ to itself', async () => {
    const response = await post(await sandbox(), contactPath, '{"__proto__":{"name":"Eve"},"name":"Ada"}')
    expect(await response.json()).toMatchObject({ name: 'Ada', record_type: 'contact' })
  })
})
