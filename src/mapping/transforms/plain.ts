import { problems } from '../../model/problems.ts'
import { isTooDeep, mostLevels } from '../../model/values.ts'
import { onText, type Transform } from './transform.ts'

/** Text as it is: never a number by itself, leading zeros stay. */
export const stringTransform: Transform = onText(text => text)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUID in lower case. */
export const uuidTransform: Transform = onText(text =>
  uuid.test(text.toLowerCase()) ? text.toLowerCase() : problems.notUuid(),
)

/** A cell of JSON as what it says; values of NDJSON rows that are not text pass as they are. */
export const jsonTransform: Transform = value => {
  if (typeof value !== 'string') return value
  try {
    const json: unknown = JSON.parse(value)
    return isTooDeep(json) ? problems.tooDeep(mostLevels) : (json ?? undefined)
  } catch {
    return problems.notJsonValue()
  }
}
