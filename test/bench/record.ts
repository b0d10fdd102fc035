import { randomUUID } from 'node:crypto'
import { emulatedKinds } from '../../src/features/sandbox/records.ts'

const sample = emulatedKinds.contact.record(
  {
    record_id: '',
    record_type: 'contact',
    organization_id: 7,
    received_at: new Date(0).toISOString(),
    request: {},
  },
  emulatedKinds.contact.body.parse({ name: 'Ada Lovelace', url_details: { domain: 'example.com' } }),
  () => undefined,
)

/** Few fields, some 300 bytes; the full record, some 800; the full record and unknown fields, some 5 kB. */
export type AnswerSize = 'short' | 'full' | 'long'

/** The answer to a create call: a contact with what was sent. */
export function newContact(body: string, nowMs: number, size: AnswerSize): string {
  const sent = JSON.parse(body)
  const at = new Date(nowMs).toISOString()
  const ids = { record_id: randomUUID(), created_at: at, modified_at: at }
  if (size === 'short') {
    const { name, emails } = sent
    return JSON.stringify({ ...ids, ...kind, name, emails })
  }
  const url_details = { ...(sample as { url_details?: object }).url_details, ...sent.url_details }
  const full = JSON.stringify({ ...sample, ...sent, url_details, ...ids })
  return size === 'long' ? `${full.slice(0, -1)},${unknownFields}}` : full
}

const kind = { organization_id: 7, created_by_user_id: 1, record_type: 'contact', record_sub_type: 'person' }

const unknownFields = `"related":${JSON.stringify(
  Array.from({ length: 52 }, (_, at) => ({
    relation_id: 100_000 + at,
    label: `a field of the service's own, ${at}`,
    is_open: true,
  })),
)}`
