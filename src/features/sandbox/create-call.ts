import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { FaultDice, RateLimit } from './faults.ts'
import { describeIssues } from './fields.ts'
import { type EmulatedType, emulatedKinds, emulatedTypes } from './records.ts'
import type { Store } from './store.ts'

export interface CreateContext {
  readonly token: string
  readonly takePermit: RateLimit
  readonly rollFault: FaultDice
  readonly store: Store
  readonly stats: Stats
}

/** Counts since the start. A `dropped` call is in `created` or `existing` as well. */
export const newStats = (startedAtMs: number) => ({
  started_at: new Date(startedAtMs).toISOString(),
  calls: 0,
  created: 0,
  created_by_type: Object.fromEntries(emulatedTypes.map(type => [type, 0])) as Record<EmulatedType, number>,
  existing: 0,
  by_status: {} as Record<number, number>,
  failed: 0,
  dropped: 0,
  in_flight: 0,
  max_in_flight: 0,
})
export type Stats = ReturnType<typeof newStats>

/** An error that fastify answers with. The service's own body of an error is not shown (interface 7). */
export const refusal = (statusCode: number, message: string, headers: Record<string, string> = {}) =>
  Object.assign(new Error(message), { statusCode, headers })

/**
 * Checks token, address, rate limit, failure and body in this order. Returns the record; `cut` if it exists and the client
 * gets no answer. Throws a refusal, or an error if the data file cannot be written.
 */
export function answerCreate(call: FastifyRequest, context: CreateContext): object | 'cut' {
  const { token, takePermit, rollFault, store, stats } = context
  // in any case of letters (RFC 9110)
  if (/^Bearer +(.*)$/i.exec(call.headers.authorization ?? '')?.[1] !== token)
    throw refusal(401, 'the bearer token is missing or wrong', { 'www-authenticate': 'Bearer' })
  const { useCreated, ...target } = targetOf(call)
  const waitS = takePermit()
  if (waitS > 0) throw refusal(429, `too many calls, wait ${waitS} s`, { 'retry-after': `${waitS}` })
  const fault = rollFault()
  if (fault === 'fail') {
    stats.failed += 1
    throw refusal(500, 'failed on request: nothing was created')
  }
  const { fields, request } = bodyOf(call, target.record_type)
  const { kind, stored } = store.create({ ...target, request }, fields, useCreated)
  stats[kind] += 1
  if (kind === 'created') stats.created_by_type[stored.record_type] += 1
  if (fault === 'none') return store.fullRecord(stored)
  stats.dropped += 1
  return 'cut'
}

// Interface 4.1 does not give the default.
const similarQuery = z.strictObject({ use_created: z.enum(['true', 'false']).default('false') })
const noQuery = z.strictObject({})

/** Reads `POST /v1.0/record/{type}/create/{organization_id}` (interface 4), or refuses with 404, 405 or 400. */
function targetOf({ method, url, query }: FastifyRequest) {
  const [path = ''] = url.split('?', 1)
  const parts = /^\/v([^/]*)\/record\/([^/]*)\/create\/([^/]*)$/.exec(path)
  const [, version, type, organization = ''] = parts ?? []
  const record_type = emulatedTypes.find(each => each === type)
  if (record_type === undefined) throw refusal(404, `there is nothing at ${path}`)
  if (version !== '1.0') throw refusal(404, `there is no API version ${version}, only 1.0`)
  const organization_id = Number(organization)
  if (!/^[1-9]\d*$/.test(organization) || !Number.isSafeInteger(organization_id))
    throw refusal(404, `there is no organization ${organization}`)
  if (method !== 'POST') throw refusal(405, `records are created with POST, not ${method}`, { allow: 'POST' })
  const checked = (emulatedKinds[record_type].similarBy ? similarQuery : noQuery).safeParse(query)
  if (!checked.success) throw refusal(400, describeIssues(checked.error))
  const { use_created }: { use_created?: string } = checked.data
  return { record_type, organization_id, useCreated: use_created === 'true' }
}

/** Refuses other content types than JSON with 415, bytes that are not JSON in UTF-8 with 400, wrong fields with 422. */
function bodyOf({ headers, body }: FastifyRequest, type: EmulatedType) {
  const contentType = headers['content-type'] ?? 'nothing'
  if (!/^application\/json\s*(;|$)/i.test(contentType))
    throw refusal(415, `the body is sent as ${contentType}, not as application/json`)
  let request: unknown
  try {
    const bytes = Buffer.isBuffer(body) ? body : undefined
    request = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (error) {
    throw refusal(400, `the body is not JSON: ${(error as Error).message}`)
  }
  const checked = emulatedKinds[type].body.safeParse(request)
  if (!checked.success) throw refusal(422, describeIssues(checked.error))
  return { fields: checked.data, request }
}
