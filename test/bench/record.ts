import { randomUUID } from 'node:crypto'
import { contactRecord } from '../../src/sandbox/contact-record.ts'
import { utcTimestamp } from '../../src/sandbox/made-record.ts'

const idMark = '<id>'
const anyTimeMs = 0

const contact = JSON.stringify(
  contactRecord(
    { recordId: idMark, recordType: 'contact', organizationId: 7, receivedAtMs: anyTimeMs, requestText: '' },
    {
      name: 'Ada Lovelace',
      designation: 'Analyst',
      followers: [{ user_id: 101 }],
      emails: [{ email: 'ada@example.com' }],
      phones: [{ phone_number: '+442079460000' }],
      url_details: { domain: 'example.com' },
    },
    () => undefined,
  ),
)
const [beforeId = '', afterId = ''] = contact.split(idMark)
const betweenTimes = afterId.split(utcTimestamp(anyTimeMs))

/** The answer to a create call: the same contact each time, but for its id and when it was made. */
export const newContact = (nowMs: number): string =>
  `${beforeId}${randomUUID()}${betweenTimes.join(utcTimestamp(nowMs))}`
