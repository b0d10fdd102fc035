import { type Problem, problem } from '../model/problem.ts'
import type { RowPlace } from '../model/row.ts'
import { atPath } from '../model/values.ts'
import { kinds, type RecordType } from '../records/kinds.ts'
import { type Json, missingInAnswer, otherField } from './compare.ts'

/** The parts of the answer to a create call that a run needs. */
export interface CreateAnswer {
  readonly recordId: string
  /** As the service wrote it; undefined when it is not text. */
  readonly createdAt: string | undefined
  /** Where the answer differs from the record (interface 2): path and what was expected. Reported, never a failure. */
  readonly differences: readonly string[]
  /** The paths of what was sent and is not in the answer. */
  readonly missing: readonly string[]
  /** Another row of the import that has the record. */
  readonly sameAs?: RowPlace | undefined
}

/** Of which some digit is not 0. */
const uuid = /^(?=.*[1-9a-f])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Reads the answer to a create call that sent `body` (interface 4.1, 4.2): JSON with a UUID as its record_id, about what was sent. */
export function readAnswer(
  text: string,
  record: RecordType,
  body: string,
  findsSimilar: boolean,
): CreateAnswer | Problem {
  let json: Json
  try {
    json = JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text)
  } catch {
    return problem('no_record_id')
  }
  const recordId = atPath(json, 'record_id')
  if (typeof recordId !== 'string' || !uuid.test(recordId)) return problem('no_record_id')
  const sent = JSON.parse(body)
  const field = otherField(sent, json, findsSimilar)
  if (field !== undefined) return problem('answer_of_other_row', { field })
  const createdAt = atPath(json, 'created_at')
  const differences: string[] = []
  kinds[record].noteDifferences()(json, differences)
  return {
    recordId,
    createdAt: typeof createdAt === 'string' ? createdAt : undefined,
    differences,
    missing: missingInAnswer(sent, json),
  }
}

const byteOrderMark = 0xfeff

/** The `Date` header has whole seconds, and the record may have been made a moment before the request was read. */
const clockSlackMs = 2_000

/** Whether it is no older, on the service's own clock, than the first attempt. Without a zone a time is UTC; true where one is missing. */
export function isFresh(
  createdAt: string | undefined,
  dateHeader: string | undefined,
  sinceFirstAttemptMs: number,
): boolean {
  const madeAt = createdAt === undefined ? Number.NaN : Date.parse(withZone(createdAt))
  const serviceNow = Date.parse(dateHeader ?? '')
  if (Number.isNaN(madeAt) || Number.isNaN(serviceNow)) return true
  return serviceNow - madeAt <= sinceFirstAttemptMs + clockSlackMs
}

const withZone = (timestamp: string) => (/(Z|[+-]\d\d:?\d\d)$/i.test(timestamp) ? timestamp : `${timestamp}Z`)
