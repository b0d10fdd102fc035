import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { type Answer, answerCreate, type CreateContext, refusal, type Stats } from './create-call.ts'
import { describeIssues } from './fields.ts'
import { recordTypes, type StoredRecord } from './records.ts'
import type { Store } from './store.ts'

/** Any path is a create call, except `GET /sandbox/stats` and `GET /sandbox/records`, which need no token. */
export function addRoutes(app: FastifyInstance, context: CreateContext, latencyMs: number): void {
  // Any body is taken as bytes: token and path are checked before it.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler<FastifyError>((error, _request, reply) =>
    send(reply, refusal(error.statusCode ?? 500, error.message)),
  )
  addViews(app, context)
  app.all('*', countingHooks(context.stats), async (request, reply) => {
    const answer = answerCreate(request, context)
    // The timer must not keep a closed sandbox alive; the client's connection keeps an open one alive.
    if (latencyMs > 0) await delay(latencyMs, undefined, { ref: false })
    return send(reply, answer)
  })
}

function countingHooks(stats: Stats) {
  return {
    onRequest: async (_request: unknown, reply: FastifyReply) => {
      stats.calls += 1
      stats.in_flight += 1
      stats.max_in_flight = Math.max(stats.max_in_flight, stats.in_flight)
      reply.raw.once('close', () => {
        stats.in_flight -= 1
      })
    },
    onSend: async (_request: unknown, { statusCode }: FastifyReply) => {
      if (statusCode < 400) return
      stats.by_status[statusCode] = (stats.by_status[statusCode] ?? 0) + 1
      if (statusCode === 401) stats.unauthorized += 1
      if (statusCode === 429) stats.throttled += 1
    },
  }
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.kind === 'response') return reply.code(answer.status).headers(answer.headers).send(answer.body)
  reply.hijack()
  reply.raw.destroy()
  return reply
}

function addViews(app: FastifyInstance, { store, stats }: CreateContext): void {
  app.get('/sandbox/stats', () => ({ ...stats, records: store.records.length }))
  app.get('/sandbox/records', (request, reply) => {
    const query = recordsQuery.safeParse(request.query)
    if (!query.success) return send(reply, refusal(400, describeIssues(query.error)))
    const { record_type: type, limit } = query.data
    const wanted = store.records.filter(({ record_type }) => (type ?? record_type) === record_type)
    return reply
      .type('application/x-ndjson')
      .send(Readable.from(recordLines(store, wanted.slice(0, limit)), { highWaterMark: 1 }))
  })
}

const recordsQuery = z.object({
  record_type: z.enum(recordTypes).optional(),
  limit: z.string().regex(/^\d+$/, 'expected a whole number').transform(Number).optional(),
})

/** The lines are built only as they are sent. */
function* recordLines(store: Store, records: StoredRecord[]): Generator<string> {
  for (const stored of records) {
    const { requestText, record_id, ...facts } = stored
    const line = { record: store.fullRecord(stored), request: JSON.parse(requestText), ...facts }
    yield `${JSON.stringify(line)}\n`
  }
}
