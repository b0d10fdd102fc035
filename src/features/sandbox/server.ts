// The sandbox: a local emulator of the service's two create calls. It imports nothing from the rest of src/, because
// an emulator that shares the client's schemas can only agree with it. records.ts, with fields.ts, checks the body of a
// call and builds the answer; store.ts keeps the record.
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { faultDice, mulberry32, rateLimit } from './faults.ts'
import { describeIssues } from './fields.ts'
import { type EmulatedType, emulatedKinds, emulatedTypes } from './records.ts'
import { Store } from './store.ts'

const share = z.number().min(0).max(1).default(0)

const optionsSchema = z.object({
  /** 0 is any free port. */
  port: z.int().default(0),
  token: z.string().min(1).default('sandbox'),
  /** Milliseconds from the creation of a record to the answer. */
  latencyMs: z.number().min(0).max(2_147_483_647).default(0),
  /** Calls per second; above it 429 with `Retry-After`. */
  rateLimit: z.number().positive().optional(),
  /** Calls that are answered with 500 and create nothing. */
  failShare: share,
  /** Calls whose record is created and whose connection is cut. */
  dropShare: share,
  seed: z.int().default(1),
  dataFile: z.string().optional(),
})

export type SandboxOptions = z.input<typeof optionsSchema>

/** `url` has no slash at the end; `close` cuts all connections, closes the data file, and frees the port. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** Throws a RangeError for an option out of its range, an Error when the port is taken or the data file is not usable. */
export async function startSandbox(options: SandboxOptions = {}) {
  const checked = optionsSchema.safeParse(options)
  if (!checked.success) throw new RangeError(describeIssues(checked.error))
  const context = newContext(checked.data)
  const { port, dataFile } = checked.data
  const app = Fastify({ bodyLimit: 32 * 1024 * 1024, forceCloseConnections: true })
  app.addHook('onClose', async () => context.store.close())
  try {
    if (dataFile !== undefined) context.store.openFile(dataFile)
    addCreateCalls(app, context)
    addViews(app, context)
    return { url: await app.listen({ port, host: '127.0.0.1' }), close: () => app.close() }
  } catch (error) {
    await app.close()
    throw error
  }
}

type CreateContext = ReturnType<typeof newContext>

const newContext = (options: z.output<typeof optionsSchema>) => ({
  ...options,
  takePermit: options.rateLimit ? rateLimit(options.rateLimit, () => performance.now()) : () => 0,
  rollFault: faultDice(options.failShare, options.dropShare, mulberry32(options.seed)),
  store: new Store(),
  /** Counts since the start. A `dropped` call is in `created` or `existing` as well. */
  stats: {
    started_at: new Date().toISOString(),
    calls: 0,
    created: 0,
    created_by_type: Object.fromEntries(emulatedTypes.map(type => [type, 0])) as Record<EmulatedType, number>,
    existing: 0,
    by_status: {} as Record<number, number>,
    failed: 0,
    dropped: 0,
    in_flight: 0,
    max_in_flight: 0,
  },
})

/** Any path is a create call, except those of the views. */
function addCreateCalls(app: FastifyInstance, context: CreateContext): void {
  const { stats, latencyMs } = context
  // Any body is taken as bytes: token and path are checked before it.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler<Partial<ReturnType<typeof refusal>>>(
    ({ statusCode: status = 500, headers = {}, message }, _request, reply) =>
      reply.code(status).headers(headers).send({ status, message }),
  )
  const onRequest = async (_request: unknown, reply: FastifyReply) => {
    stats.calls += 1
    stats.in_flight += 1
    stats.max_in_flight = Math.max(stats.max_in_flight, stats.in_flight)
    reply.raw.once('close', () => {
      stats.in_flight -= 1
    })
  }
  const onSend = async (_request: unknown, { statusCode }: FastifyReply) => {
    if (statusCode >= 400) stats.by_status[statusCode] = (stats.by_status[statusCode] ?? 0) + 1
  }
  app.all('*', { onRequest, onSend }, async (request, reply) => {
    try {
      const answer = answerCreate(request, context)
      if (answer !== 'cut') return answer
    } finally {
      // The timer must not keep a closed sandbox alive; the client's connection keeps an open one alive.
      if (latencyMs > 0) await delay(latencyMs, undefined, { ref: false })
    }
    reply.hijack()
    reply.raw.destroy()
    return reply
  })
}

/** An error that fastify answers with. The service's own body of an error is not shown (interface 7). */
const refusal = (statusCode: number, message: string, headers: Record<string, string> = {}) =>
  Object.assign(new Error(message), { statusCode, headers })

/**
 * Checks token, address, rate limit, failure and body in this order. Returns the record; `cut` if it exists and the client
 * gets no answer. Throws a refusal, or an error if the data file cannot be written.
 */
function answerCreate(call: FastifyRequest, context: CreateContext): object | 'cut' {
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

/** `GET /sandbox/stats` and `GET /sandbox/records`, which need no token. `records` includes those of the data file. */
function addViews(app: FastifyInstance, { store, stats }: CreateContext): void {
  app.get('/sandbox/stats', () => {
    const { 401: unauthorized = 0, 429: throttled = 0 } = stats.by_status
    return { ...stats, records: store.records.length, unauthorized, throttled }
  })
  app.get('/sandbox/records', (_request, reply) =>
    reply.type('application/x-ndjson').send(Readable.from(recordLines(store), { highWaterMark: 1 })),
  )
}

/** The lines are built only as they are sent. */
function* recordLines(store: Store): Generator<string> {
  for (const stored of [...store.records]) {
    const { record_id, ...facts } = stored
    yield `${JSON.stringify({ record: store.fullRecord(stored), ...facts })}\n`
  }
}
