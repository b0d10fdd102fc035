import { describe, expect, test } from 'vitest'
import { contactPath, type Json, post, recordsOf, sandbox, statsOf, taskPath } from './sandboxes.ts'

describe('bearer token', () => {
  test.each([
    ['missing', undefined],
    ['wrong', 'Bearer other'],
    ['a beginning of the right one', 'Bearer sand'],
    ['not a bearer token', 'Basic sandbox'],
    ['empty', 'Bearer '],
  ])('the bearer token is refused with 401 when it is %s', async (_how, header) => {
    const at = await sandbox()
    const headers = { 'content-type': 'application/json', ...(header ? { authorization: header } : {}) }
    const response = await fetch(at.url + contactPath, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ status: 401, message: expect.any(String) })
    expect(await statsOf(at)).toMatchObject({ calls: 1, unauthorized: 1, created: 0, by_status: { 401: 1 } })
  })

  test('the bearer token is the one in the options', async () => {
    const at = await sandbox({ token: 'other' })
    expect((await post(at, contactPath, {}, { authorization: 'Bearer other' })).status).toBe(200)
    expect((await post(at, contactPath, {})).status).toBe(401)
  })

  test('the bearer token is checked before the path and the body', async () => {
    const at = await sandbox()
    expect((await post(at, '/nowhere', '{', { authorization: 'Bearer other' })).status).toBe(401)
  })
})

describe('address', () => {
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
  ])('the address %s is answered with 404 in JSON', async path => {
    const response = await post(await sandbox(), path, {})
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ status: 404, message: expect.any(String) })
  })

  test('the address accepts only POST', async () => {
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
  ])('the address %s is answered with 400 for its query', async path => {
    const at = await sandbox()
    expect((await post(at, path, {})).status).toBe(400)
    expect(await recordsOf(at)).toEqual([])
  })
})

describe('body', () => {
  test.each([
    ['is cut off', '{"name":'],
    ['is empty', ''],
    ['is a form', 'name=Ada'],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('the body that %s is not JSON and is answered with 400', async (_, body) => {
    expect((await post(await sandbox(), contactPath, body)).status).toBe(400)
  })

  test.each(['[]', 'null', '"Ada"', '7'])(
    'the body %s is not an object and is answered with 422',
    async body => {
      expect((await post(await sandbox(), contactPath, body)).status).toBe(422)
    },
  )

  test('the body of another content type is answered with 415', async () => {
    expect((await post(await sandbox(), contactPath, '{}', { 'content-type': 'text/plain' })).status).toBe(
      415,
    )
  })

  test('the body of more than 32 MB is answered with 413 and counted', async () => {
    const at = await sandbox()
    const response = await post(at, contactPath, Buffer.alloc(33 * 1024 * 1024, 32))
    expect(response.status).toBe(413)
    expect(await statsOf(at)).toMatchObject({ by_status: { 413: 1 } })
  })

  test('the body of some megabytes is accepted', async () => {
    const response = await post(await sandbox(), contactPath, { description: 'x'.repeat(2_000_000) })
    expect(((await response.json()) as Json).description).toHaveLength(2_000_000)
  })
})
