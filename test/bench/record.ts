import { randomUUID } from 'node:crypto'
import { bodyFields } from '../../src/sandbox/fields.ts'
import { fullRecord } from '../../src/sandbox/records.ts'

const sample = fullRecord(
  {
    record_id: '',
    record_type: 'contact',
    organization_id: 7,
    received_at: new Date(0).toISOString(),
    requestText: '',
  },
  bodyFields.contact.parse({ name: 'Ada Lovelace', url_details: { domain: 'example.com' } }),
  () => undefined,
)

/** The answer to a create call: a full contact with what was sent. */
export function newContact(body: string, nowMs: number): string {
  const sent = JSON.parse(body)
  const at = new Date(nowMs).toISOString()
  const url_details = { ...(sample as { url_details?: object }).url_details, ...sent.url_details }
  const ids = { record_id: randomUUID(), created_at: at, modified_at: at }
  return JSON.stringify({ ...sample, ...sent, url_details, ...ids })
}
