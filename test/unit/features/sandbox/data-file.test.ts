import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createContact, createTask, recordsOf, sandbox, statsOf, tempFolder } from './sandboxes.ts'

const ada = { name: 'Ada \u2028 Lovelace', emails: [{ email: 'ada@example.com' }] }

test('records and their similarities survive a restart', async () => {
  const dataFile = join(await tempFolder(), 'data.ndjson')
  const first = await sandbox({ dataFile })
  const contact = await createContact(first, ada)
  await createTask(first, { name: 'Task', contacts: [{ record_id: contact.record_id }] })
  const before = await recordsOf(first)
  await first.close()

  const second = await sandbox({ dataFile })
  expect(await recordsOf(second)).toEqual(before)
  expect(await createContact(second, ada, '?use_created=true')).toEqual(contact)
  expect(await statsOf(second)).toMatchObject({ records: 2, created: 0, existing: 1 })
})

test.each(['{"record_id":"9d2f', '{"half', '{}\n'])('a torn last line %j is cut off', async torn => {
  const dataFile = join(await tempFolder(), 'data.ndjson')
  const first = await sandbox({ dataFile })
  await createContact(first, ada)
  await first.close()
  const whole = await readFile(dataFile, 'utf8')
  await appendFile(dataFile, torn)

  const second = await sandbox({ dataFile })
  expect(await recordsOf(second)).toHaveLength(1)
  expect(await readFile(dataFile, 'utf8')).toBe(whole)
  await createContact(second, { name: 'Bob' })
  await second.close()
  expect(await recordsOf(await sandbox({ dataFile }))).toHaveLength(2)
})

test('a last line that lacks only its line end is kept', async () => {
  const dataFile = join(await tempFolder(), 'data.ndjson')
  const first = await sandbox({ dataFile })
  await createContact(first, ada)
  await first.close()
  await writeFile(dataFile, (await readFile(dataFile, 'utf8')).trimEnd())

  const second = await sandbox({ dataFile })
  await createContact(second, { name: 'Bob' })
  await second.close()
  expect(await recordsOf(await sandbox({ dataFile }))).toHaveLength(2)
})

test('a file with other content is refused, with the line, and left unchanged', async () => {
  const dataFile = join(await tempFolder(), 'notes.txt')
  await writeFile(dataFile, 'my notes\nmore\n')
  await expect(sandbox({ dataFile })).rejects.toThrow(/notes\.txt:1: /)
  await writeFile(dataFile, 'one-line-secret')
  await expect(sandbox({ dataFile })).rejects.toThrow(/notes\.txt:1: /)
  expect(await readFile(dataFile, 'utf8')).toBe('one-line-secret')
})

test('a broken line in the middle is refused, with the line', async () => {
  const dataFile = join(await tempFolder(), 'data.ndjson')
  const first = await sandbox({ dataFile })
  await createContact(first, ada)
  await first.close()
  const line = await readFile(dataFile, 'utf8')
  await writeFile(dataFile, `${line}{"half\n${line}`)
  await expect(sandbox({ dataFile })).rejects.toThrow(/data\.ndjson:2: /)
})

test('the file has one record per line, and only its owner can read it', async () => {
  const dataFile = join(await tempFolder(), 'data.ndjson')
  const at = await sandbox({ dataFile })
  const record = await createContact(at, ada)
  expect((await stat(dataFile)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(dataFile, 'utf8'))).toEqual({
    record_id: record.record_id,
    record_type: 'contact',
    organization_id: 7,
    received_at: record.created_at,
    request: ada,
  })
})
