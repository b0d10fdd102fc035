import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { type Answer, refusal } from './answer.ts'
import { bearerCheck } from './authorization.ts'
import { answerCreate, type CreateRules, type ReceivedCall } from './create-call.ts'
import { faultDice, mulberry32, rateLimit } from './faults.ts'
import { checkOptions, type SandboxOptions } from './options.ts'
import { recordLines, recordsWanted } from './record-lines.ts'
import { Store } from './store.ts'
import { countArrival, countRefusal, emptyStats } from './tally.ts'

export type { SandboxOptions } from './options.ts'

/** A running sandbox: `url` is its base URL without a slash at the end. */
export interface Sandbox {
  url: string
  /** Cuts all connections, closes the data file, and is done when the port is free again. */
  close(): Promise<void>
}

const bodyLimitBytes = 32 * 1024 * 1024

/**
 * Starts an emulator of the two create calls of interface 4, with `GET /sandbox/records` and `GET /sandbox/stats`,
 * which need no token, to see what arrived. It prints nothing.
 * @throws RangeError for an option out of its range; Error when the port is taken or the data file is not usable
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions(options)
  const store = await Store.open(options.dataFile, { newRecordId: randomUUID, nowMs: Date.now })
  const app = Fastify({ logger: false, bodyLimit: bodyLimitBytes, forceCloseConnections: true })
  const close = async () => {
    await app.close()
    store.close()
  }
  try {
    serve(app, rulesOf(options, store), options.latencyMs ?? 0)
    const url = await app.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' })
    return { url, close }
  } catch (error) {
    await close()
    throw error
  }
}

function rulesOf(options: SandboxOptions, store: Store): CreateRules {
  const random = mulberry32(options.seed ?? 1)
  return {
    isAuthorized: bearerCheck(options.token ?? 'sandbox'),
    rateLimit:
      options.rateLimit === undefined ? () => 0 : rateLimit(options.rateLimit, () => performance.now()),
    dice: faultDice(options.failShare ?? 0, options.dropShare ?? 0, random),
    store,
    stats: emptyStats(Date.now()),
  }
}

function serve(app: FastifyInstance, rules: CreateRules, latencyMs: number): void {
  // A body is taken as bytes whatever it is, so that token and path are judged before it, as the order of faults says.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler<FastifyError>((error, _request, reply) =>
    send(reply, refusal(error.statusCode ?? 500, error.message)),
  )
  serveViews(app, rules)
  app.all(
    '*',
    {
      onRequest: async (_request, reply) => {
        countArrival(rules.stats)
        reply.raw.once('close', () => {
          rules.stats.in_flight -= 1
        })
      },
      onSend: async (_request, reply) => {
        if (reply.statusCode >= 400) countRefusal(rules.stats, reply.statusCode)
      },
    },
    async (request, reply) => {
      const answer = answerCreate(receivedCall(request), rules)
      // The timer must not keep a closed sandbox alive; an open connection does that while someone waits.
      if (latencyMs > 0) await delay(latencyMs, undefined, { ref: false })
      return send(reply, answer)
    },
  )
}

function serveViews(app: FastifyInstance, { store, stats }: CreateRules): void {
  app.get('/sandbox/stats', () => ({ ...stats, records: store.made.length }))
  app.get('/sandbox/records', (request, reply) => {
    const wanted = recordsWanted(new URLSearchParams(request.url.split('?')[1] ?? ''))
    if (typeof wanted === 'string') return send(reply, refusal(400, wanted))
    return reply
      .type('application/x-ndjson')
      .send(Readable.from(recordLines(store, wanted), { highWaterMark: 1 }))
  })
}

function receivedCall(request: FastifyRequest): ReceivedCall {
  return {
    method: request.method,
    url: request.url,
    authorization: request.headers.authorization,
    contentType: request.headers['content-type'],
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  }
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  switch (answer.kind) {
    case 'created':
    case 'existing':
      return reply.send(answer.record)
    case 'refused':
      if (answer.retryAfterS !== undefined) reply.header('retry-after', answer.retryAfterS)
      if (answer.status === 401) reply.header('www-authenticate', 'Bearer')
      if (answer.status === 405) reply.header('allow', 'POST')
      return reply.code(answer.status).send({ status: answer.status, message: answer.message })
    case 'cut':
      reply.hijack()
      reply.raw.destroy()
      return reply
  }
}
