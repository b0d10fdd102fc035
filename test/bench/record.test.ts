import { describe, expect, it } from 'vitest'
import { newContact } from './record.ts'

const body = JSON.stringify({
  name: 'Ada Lovelace',
  record_sub_type: 'person',
  designation: 'Head of Sales, North',
  emails: [{ email: 'contact.15000@example.com' }],
  phones: [{ phone_number: '+442079460000' }],
  address: '1 High Street, London, United Kingdom',
  url_details: { domain: 'example.com' },
})

describe('answer of the benchmarks server', () => {
  it.each([
    ['short', 300],
    ['full', 800],
    ['long', 5_000],
  ] as const)('an answer of the benchmarks that is %s has about %d bytes', (size, bytes) => {
    const { length } = newContact(body, Date.now(), size)
    expect(Math.abs(length - bytes) / bytes).toBeLessThan(0.1)
  })

  it.each(['short', 'full', 'long'] as const)(
    'an answer of the benchmarks that is %s has an id of its own',
    size => {
      const [one, other] = [1, 2].map(() => JSON.parse(newContact(body, 0, size)))
      expect(one).toMatchObject({ name: 'Ada Lovelace', emails: [{ email: 'contact.15000@example.com' }] })
      expect(one).toMatchObject({ created_at: '1970-01-01T00:00:00.000Z' })
      expect(one.record_id).toMatch(/^[0-9a-f-]{36}$/)
      expect(one.record_id).not.toBe(other.record_id)
    },
  )
})
