import { problem } from '../../model/problem.ts'
import { isTooDeep, mostLevels } from '../../model/values.ts'
import { onText, type Transform } from './transform.ts'

/** Text as it is: never a number by itself, leading zeros stay. */
export const stringTransform: Transform = onText(text => text)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUID in lower case. */
export const uuidTransform: Transform = onText(text =>
  uuid.test(text.toLowerCase()) ? text.toLowerCase() : problem('not_uuid'),
)

/** A cell of JSON as what it says; values of NDJSON rows that are not text pass as they are. */
export const jsonTransform: Transform = value => {
  if (typeof value !== 'string') return value
  try {
    const json: unknown = JSON.parse(value)
    return isTooDeep(json) ? problem('too_deep', { levels: mostLevels }) : (json ?? undefined)
  } catch {
    return problem('not_json_value')
  }
}
