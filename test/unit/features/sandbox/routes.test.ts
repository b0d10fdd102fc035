import { expect, test } from 'vitest'
import { contactPath, createContact, createTask, post, recordsOf, sandbox, statsOf } from './sandboxes.ts'

test('the records are shown as NDJSON, oldest first, without a token', async () => {
  const at = await sandbox()
  const record = await createContact(at, { name: 'Ada', shoe_size: 38 })
  const response = await fetch(`${at.url}/sandbox/records`)
  expect(response.headers.get('content-type')).toContain('application/x-ndjson')
  expect(JSON.parse(await response.text())).toEqual({
    record,
    request: { name: 'Ada', shoe_size: 38 },
    organization_id: 7,
    record_type: 'contact',
    received_at: record.created_at,
  })
})

test('an empty sandbox shows no records', async () => {
  const response = await fetch(`${(await sandbox()).url}/sandbox/records`)
  expect([response.status, await response.text()]).toEqual([200, ''])
})

test('records of more than 64 kB arrive complete', async () => {
  const at = await sandbox()
  const long = 'x'.repeat(2_000)
  await Promise.all(
    Array.from({ length: 60 }, (_, number) => createTask(at, { name: `Task ${number}`, description: long })),
  )
  const names = (await recordsOf(at)).map(line => line.record.name)
  expect(new Set(names).size).toBe(60)
})

test('the stats count every call by its result', async () => {
  const at = await sandbox()
  await createContact(at, { name: 'Ada' })
  await createContact(at, { name: 'Ada' }, '?use_created=true')
  await createTask(at, {})
  await post(at, contactPath, '[]')
  await post(at, '/nowhere', {})
  await post(at, contactPath, {}, { authorization: '' })
  expect(await statsOf(at)).toEqual({
    started_at: expect.stringMatching(/^\d{4}-.*Z$/),
    records: 2,
    calls: 6,
    created: 2,
    created_by_type: { contact: 1, task: 1 },
    existing: 1,
    by_status: { 401: 1, 404: 1, 422: 1 },
    unauthorized: 1,
    throttled: 0,
    failed: 0,
    dropped: 0,
    in_flight: 0,
    max_in_flight: 1,
  })
})
