/** What the sandbox does with one create call; refusals are values, so that one place writes and counts them. */
export type Answer = RecordAnswer | Refusal | CutAnswer

/** Status 200 with the full record of interface 2.1 or 2.3; `kind` says whether it was made or found. */
interface RecordAnswer {
  kind: 'created' | 'existing'
  record: object
}

/**
 * Answered as JSON `{ status, message }` (the service's own shape is unknown, interface 7).
 * `retryAfterS` is whole seconds.
 */
export interface Refusal {
  kind: 'refused'
  status: number
  message: string
  retryAfterS?: number
}

/** The connection is cut: the record is held, and the client never learns of it. */
interface CutAnswer {
  kind: 'cut'
}

/** A refusal with an HTTP status and a message that says what was wrong. */
export function refusal(status: number, message: string): Refusal {
  return { kind: 'refused', status, message }
}
