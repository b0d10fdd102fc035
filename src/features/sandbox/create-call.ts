import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FaultDice, RateLimit } from './faults.ts'
import { describeIssues, type Fields } from './fields.ts'
import { kinds, type RecordType, recordTypes } from './records.ts'
import type { Store } from './store.ts'

/** `url` is the path and query of the request line. */
export interface CreateCall {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: unknown
}

export interface CreateContext {
  token: string
  takePermit: RateLimit
  rollFault: FaultDice
  store: Store
  stats: Stats
}

/** After a `cut`, the record exists and the client has no answer. */
export type Answer = HttpResponse | { kind: 'cut' }

interface HttpResponse {
  kind: 'response'
  status: number
  headers: Record<string, string>
  body: object
}

/** The service's own body of an error is not shown (interface 7). */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): HttpResponse {
  return { kind: 'response', status, headers, body: { status, message } }
}

/** Counts since the start, but `records` includes the data file. A `dropped` call is in `created` or `existing` as well. */
export type Stats = ReturnType<typeof newStats>

export function newStats(startedAtMs: number) {
  return {
    started_at: new Date(startedAtMs).toISOString(),
    records: 0,
    calls: 0,
    created: 0,
    created_by_type: Object.fromEntries(recordTypes.map(type => [type, 0])) as Record<RecordType, number>,
    existing: 0,
    by_status: {} as Record<string, number>,
    unauthorized: 0,
    throttled: 0,
    failed: 0,
    dropped: 0,
    in_flight: 0,
    max_in_flight: 0,
  }
}

/** Checks token, path, rate limit, failure and body in this order. Throws when the data file cannot be written. */
export function answerCreate(call: CreateCall, context: CreateContext): Answer {
  const { token, takePermit, rollFault, stats } = context
  if (!isAuthorized(call.headers.authorization, token))
    return refusal(401, 'the bearer token is missing or wrong', { 'www-authenticate': 'Bearer' })
  const target = parseTarget(call.method, call.url)
  if (target.kind === 'response') return target
  const waitS = takePermit()
  if (waitS > 0) return refusal(429, `too many calls, wait ${waitS} s`, { 'retry-after': `${waitS}` })
  const fault = rollFault()
  if (fault === 'fail') {
    stats.failed += 1
    return refusal(500, 'failed on request: nothing was created')
  }
  const answer = create(target, call, context)
  if (fault === 'none' || answer.status !== 200) return answer
  stats.dropped += 1
  return { kind: 'cut' }
}

function create(target: Target, call: CreateCall, { store, stats }: CreateContext): HttpResponse {
  const body = parseBody(target.recordType, call)
  if (body.kind === 'response') return body
  const { recordType: record_type, organizationId: organization_id, useCreated } = target
  const given = { record_type, organization_id, requestText: body.requestText }
  const { kind, stored } = store.create(given, body.fields, useCreated)
  stats[kind] += 1
  if (kind === 'created') stats.created_by_type[record_type] += 1
  return { kind: 'response', status: 200, headers: {}, body: store.fullRecord(stored) }
}

/** Checks `Authorization: Bearer <token>` (interface 5) in any case (RFC 9110), in constant time. */
function isAuthorized(header: string | undefined, token: string): boolean {
  const sha256 = (text: string) => createHash('sha256').update(text).digest()
  const given = /^Bearer +(.*)$/i.exec(header ?? '')?.[1]
  return given !== undefined && timingSafeEqual(sha256(given), sha256(token))
}

interface Target {
  kind: 'target'
  recordType: RecordType
  organizationId: number
  useCreated: boolean
}

/** Reads `POST /v1.0/record/{type}/create/{organization_id}` (interface 4), or refuses with 404, 405 or 400. */
function parseTarget(method: string, url: string): Target | HttpResponse {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const parts = /^\/v([^/]*)\/record\/([^/]*)\/create\/([^/]*)$/.exec(path)
  const [, version, type, organization = ''] = parts ?? []
  const recordType = recordTypes.find(each => each === type)
  if (recordType === undefined) return refusal(404, `there is nothing at ${path}`)
  if (version !== '1.0') return refusal(404, `there is no API version ${version}, only 1.0`)
  const organizationId = /^[1-9]\d*$/.test(organization) ? Number(organization) : Number.NaN
  if (!Number.isSafeInteger(organizationId)) return refusal(404, `there is no organization ${organization}`)
  if (method !== 'POST')
    return refusal(405, `records are created with POST, not ${method}`, { allow: 'POST' })

  const hasSimilar = kinds[recordType].similarBy !== undefined
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].find(name => !hasSimilar || name !== 'use_created')
  if (unknown !== undefined) return refusal(400, `unknown query parameter ${unknown}`)
  // Interface 4.1 does not give the default.
  const [useCreated = 'false', ...others] = parameters.getAll('use_created')
  if (others.length > 0) return refusal(400, 'use_created is given more than once')
  if (useCreated !== 'true' && useCreated !== 'false')
    return refusal(400, `use_created is true or false, not "${useCreated}"`)
  return { kind: 'target', recordType, organizationId, useCreated: useCreated === 'true' }
}

interface Body {
  kind: 'body'
  fields: Fields
  requestText: string
}

/** Refuses other content types than JSON with 415, bytes that are not JSON in UTF-8 with 400, wrong fields with 422. */
function parseBody(recordType: RecordType, { headers, body }: CreateCall): Body | HttpResponse {
  const contentType = headers['content-type'] ?? 'nothing'
  if (!/^application\/json\s*(;|$)/i.test(contentType))
    return refusal(415, `the body is sent as ${contentType}, not as application/json`)
  let value: unknown
  try {
    const bytes = Buffer.isBuffer(body) ? body : undefined
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (error) {
    return refusal(400, `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const checked = kinds[recordType].body.safeParse(value)
  return checked.success
    ? { kind: 'body', fields: checked.data, requestText: JSON.stringify(value) }
    : refusal(422, describeIssues(checked.error))
}
