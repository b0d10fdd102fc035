import type { RecordType } from './create-path.ts'

/**
 * One made record as the sandbox holds it: what the service set, and the request as text.
 * The full record is rendered from it on demand: as an object it takes 2 kB of heap and more, and with a million of
 * them the sandbox would outgrow Node's heap; a million of these, with their indexes, took 0.8 GB.
 */
export interface MadeRecord {
  recordId: string
  recordType: RecordType
  organizationId: number
  receivedAtMs: number
  requestText: string
}

/** The user whom the sandbox's token belongs to. */
export const callingUserId = 1

/** ISO 8601 in UTC with a trailing Z, one of the two forms of interface 2. */
export function utcTimestamp(atMs: number): string {
  return new Date(atMs).toISOString()
}

/** ISO 8601 without a zone designator, the other form of interface 2, which nested objects carry here. */
export function zonelessTimestamp(atMs: number): string {
  return utcTimestamp(atMs).slice(0, -1)
}

/** The zero timestamp that interface 2.6 says `modified_at` may be. */
export const zeroTimestamp = '0001-01-01T00:00:00'

/** When the things that the sandbox makes up (users, projects, options) came to be. */
export const longAgo = '2024-01-01T00:00:00'
