// The sandbox: a local emulator of the service's two create calls. It imports nothing from the rest of src/, because
// an emulator that shares the client's schemas can only agree with it. A call goes through create-call.ts to store.ts;
// records.ts, with fields.ts, checks its body and builds the answer.
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { z } from 'zod'
import { answerCreate, type CreateContext, newStats, type refusal, type Stats } from './create-call.ts'
import { faultDice, mulberry32, rateLimit } from './faults.ts'
import { describeIssues } from './fields.ts'
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

/** `url` has no slash at the end. */
export interface Sandbox {
  url: string
  /** Cuts all connections, closes the data file, and frees the port. */
  close(): Promise<void>
}

const bodyLimit = 32 * 1024 * 1024

/** Throws a RangeError for an option out of its range, an Error when the port is taken or the data file is not usable. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const checked = optionsSchema.safeParse(options)
  if (!checked.success) throw new RangeError(describeIssues(checked.error))
  const { port, token, latencyMs, dataFile, failShare, dropShare, seed, rateLimit: perSecond } = checked.data
  const store = new Store()
  const app = Fastify({ logger: false, bodyLimit, forceCloseConnections: true })
  const close = async () => {
    await app.close()
    store.close()
  }
  const context: CreateContext = {
    token,
    takePermit: perSecond === undefined ? () => 0 : rateLimit(perSecond, () => performance.now()),
    rollFault: faultDice(failShare, dropShare, mulberry32(seed)),
    store,
    stats: newStats(Date.now()),
  }
  try {
    if (dataFile !== undefined) store.openFile(dataFile)
    addCreateCalls(app, context, latencyMs)
    addViews(app, context)
    return { url: await app.listen({ port, host: '127.0.0.1' }), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Any path is a create call, except those of the views. */
function addCreateCalls(app: FastifyInstance, context: CreateContext, latencyMs: number): void {
  // Any body is taken as bytes: token and path are checked before it.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler<Partial<ReturnType<typeof refusal>>>(
    ({ statusCode: status = 500, headers = {}, message }, _request, reply) =>
      reply.code(status).headers(headers).send({ status, message }),
  )
  app.all('*', countingHooks(context.stats), async (request, reply) => {
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

const countingHooks = (stats: Stats) => ({
  onRequest: async (_request: unknown, reply: FastifyReply) => {
    stats.calls += 1
    stats.in_flight += 1
    stats.max_in_flight = Math.max(stats.max_in_flight, stats.in_flight)
    reply.raw.once('close', () => {
      stats.in_flight -= 1
    })
  },
  onSend: async (_request: unknown, { statusCode }: FastifyReply) => {
    if (statusCode >= 400) stats.by_status[statusCode] = (stats.by_status[statusCode] ?? 0) + 1
  },
})

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
