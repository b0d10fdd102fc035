import { type Answer, type Refusal, refusal } from './answer.ts'
import { type CreateTarget, createTarget } from './create-path.ts'
import type { FaultDice, RateLimit } from './faults.ts'
import { checkedFields, jsonBody } from './request-body.ts'
import type { Store } from './store.ts'
import type { Stats } from './tally.ts'

/** One call as it came over the wire. */
export interface ReceivedCall {
  method: string
  url: string
  authorization: string | undefined
  contentType: string | undefined
  body: Buffer
}

/** What a sandbox decides its answers with. */
export interface CreateRules {
  isAuthorized: (header: string | undefined) => boolean
  rateLimit: RateLimit
  dice: FaultDice
  store: Store
  stats: Stats
}

/**
 * Decides one call in the order of a real service: token, path, rate limit, failure, body, making, cut connection.
 * Synchronous from end to end, so that the order of calls alone decides.
 * @throws Error when the data file cannot be written
 */
export function answerCreate(call: ReceivedCall, rules: CreateRules): Answer {
  if (!rules.isAuthorized(call.authorization)) return refusal(401, 'the bearer token is missing or wrong')
  const target = createTarget(call.method, call.url)
  if (target.kind === 'refused') return target
  const retryAfterS = rules.rateLimit()
  if (retryAfterS > 0) return { ...refusal(429, `too many calls, wait ${retryAfterS} s`), retryAfterS }
  const fault = rules.dice()
  if (fault === 'fail') {
    rules.stats.failed += 1
    return refusal(500, 'failed on request: nothing was made')
  }
  const answer = make(target, call, rules)
  if (fault === 'none' || answer.kind === 'refused') return answer
  rules.stats.dropped += 1
  return { kind: 'cut' }
}

function make(target: CreateTarget, call: ReceivedCall, rules: CreateRules): Answer | Refusal {
  const json = jsonBody(call.contentType, call.body)
  if (json.kind === 'refused') return json
  const checked = checkedFields(target.recordType, json.value)
  if (checked.kind === 'refused') return checked
  const { kind, made } = rules.store.create(target, checked, json.requestText)
  rules.stats[kind] += 1
  if (kind === 'created') rules.stats.created_by_type[made.recordType] += 1
  return { kind, record: rules.store.fullRecord(made) }
}
