import type { RecordType } from './create-path.ts'
import { type MadeRecord, utcTimestamp } from './made-record.ts'
import type { Store } from './store.ts'

/** Which records to show: of one kind or both, and at most how many, the oldest first. */
export interface RecordsWanted {
  recordType: RecordType | undefined
  limit: number
}

/**
 * Reads the query of `GET /sandbox/records`: `record_type=contact|task` and `limit=N`, both optional.
 * @returns a sentence that says what is wrong when it cannot be read
 */
export function recordsWanted(query: URLSearchParams): RecordsWanted | string {
  const recordType = query.get('record_type') ?? undefined
  if (recordType !== undefined && recordType !== 'contact' && recordType !== 'task') {
    return `record_type is contact or task, not "${recordType}"`
  }
  const limit = query.get('limit')
  if (limit === null) return { recordType, limit: Number.POSITIVE_INFINITY }
  if (!/^\d+$/.test(limit)) return `limit is a whole number, not "${limit}"`
  return { recordType, limit: Number(limit) }
}

const chunkChars = 1 << 16

/**
 * The NDJSON of the records held when it starts, in chunks of whole lines, made as they are asked for: a line holds
 * `record`, `request`, `organization_id`, `record_type` and `received_at`.
 */
export function* recordLines(store: Store, wanted: RecordsWanted): Generator<string> {
  const held = store.made.length
  let chunk = ''
  let count = 0
  for (let index = 0; index < held && count < wanted.limit; index += 1) {
    const made = store.made[index]
    if (made === undefined || (wanted.recordType ?? made.recordType) !== made.recordType) continue
    chunk += lineOf(store, made)
    count += 1
    if (chunk.length < chunkChars) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

function lineOf(store: Store, made: MadeRecord): string {
  const line = {
    record: store.fullRecord(made),
    request: JSON.parse(made.requestText),
    organization_id: made.organizationId,
    record_type: made.recordType,
    received_at: utcTimestamp(made.receivedAtMs),
  }
  return `${JSON.stringify(line)}\n`
}
