import { randomUUID } from 'node:crypto'
import { bodyFields } from '../../src/sandbox/fields.ts'
import { fullRecord } from '../../src/sandbox/records.ts'

const idMark = '<id>'
const anyTime = new Date(0).toISOString()

const contact = JSON.stringify(
  fullRecord(
    { record_id: idMark, record_type: 'contact', organization_id: 7, received_at: anyTime, requestText: '' },
    bodyFields.contact.parse({
      name: 'Ada Lovelace',
      designation: 'Analyst',
      followers: [{ user_id: 101 }],
      emails: [{ email: 'ada@example.com' }],
      phones: [{ phone_number: '+442079460000' }],
      url_details: { domain: 'example.com' },
    }),
    () => undefined,
  ),
)
const [beforeId = '', afterId = ''] = contact.split(idMark)
const betweenTimes = afterId.split(anyTime)

/** The answer to a create call: the same contact each time, but for its id and when it was made. */
export const newContact = (nowMs: number): string =>
  `${beforeId}${randomUUID()}${betweenTimes.join(new Date(nowMs).toISOString())}`
