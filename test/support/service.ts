import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type Clock, sleep, systemClock } from '../../src/model/clock.ts'
import { atEnd } from './cleanup.ts'

/** A create call as it arrived. */
export interface ArrivedCall {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
  /** When it arrived, in milliseconds since 1970 on the service's clock. */
  readonly atMs: number
  /** Whether its connection brought a call before. */
  readonly isOnUsed: boolean
}

/** What the service does with a call; `made` is the record that a good answer carries. */
export type Reaction =
  | {
      readonly answer: number
      readonly body?: string | Buffer
      readonly headers?: Readonly<Record<string, string>>
      /** Whether the record is made although the answer does not say so. */
      readonly creates?: true
    }
  | { readonly cut: 'before reading' | 'after creating' | 'in the answer' }
  | {
      readonly hang: true
      /** Makes the record so much later, when the caller may have given up. */
      readonly createsAfterMs?: number
    }
  | { readonly upgrade: true }
  | { readonly existing: string; readonly createdAt: string }
  | 'create'

export interface Service {
  readonly url: string
  readonly port: number
  /** Every call that arrived whole, in their order. */
  readonly calls: ArrivedCall[]
  /** The truth: the name of each record that was made, with its id. */
  readonly made: { readonly name: string; readonly recordId: string }[]
  /** Connections that were opened so far. */
  readonly connections: () => number
  /** Resolves when nothing is being done for any caller, whether it still listens or not: the truth is final. */
  readonly settled: () => Promise<void>
  /** The same, once every caller has closed its connections. */
  readonly left: () => Promise<void>
}

export interface ServiceOptions {
  /** By which it notes when calls arrive, answers late and closes connections; the machine's own where there is none. */
  readonly clock?: Clock
  /** Decides what to do with the n-th attempt (from 1) for a body of that name. */
  readonly react?: (attempt: number, call: ArrivedCall) => Reaction
  readonly latencyMs?: number | (() => number)
  /** What it waits for before it does anything with a call that arrived; undefined is nothing. */
  readonly holds?: (call: ArrivedCall) => Promise<unknown> | undefined
  /** Called right before it does what was decided about a call, so before its caller can know. */
  readonly onAnswer?: (call: ArrivedCall) => void
  /** Names what the service takes for one record: a later call of the same name gets the first one's record. */
  readonly similar?: (call: ArrivedCall) => string
  /** Whether to cut the next connection as soon as it is open. */
  readonly cutsConnection?: () => boolean
  /** Key and certificate of a service that speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Ends each connection so long after an answer, without having said so. */
  readonly closeIdleAfterMs?: number
}

/** A service of the test's own, on a free port of this machine, that keeps the truth of what it made. */
export async function startService({
  clock = systemClock,
  react = () => 'create',
  latencyMs = 0,
  holds = () => undefined,
  onAnswer = () => {},
  closeIdleAfterMs,
  tls,
  similar,
  cutsConnection = () => false,
}: ServiceOptions = {}): Promise<Service> {
  const calls: ArrivedCall[] = []
  const made: { name: string; recordId: string }[] = []
  const attempts = new Map<string, number>()
  const sockets = new Set<Socket>()
  const used = new WeakSet<Socket>()
  const records = new Map<string, CreatedRecord>()
  const underWay = new Set<Promise<void>>()
  let opened = 0

  const take = (request: IncomingMessage, response: ServerResponse) => {
    const handling = handle(request, response).finally(() => underWay.delete(handling))
    underWay.add(handling)
  }
  const settings = { keepAliveTimeout: 0 }
  const server =
    tls === undefined ? createServer(settings, take) : createTlsServer({ ...settings, ...tls }, take)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request).catch(() => undefined)
    if (body === undefined) return // the caller went away before it had sent all
    const call = {
      url: request.url ?? '',
      headers: request.headers,
      body,
      atMs: clock.now().getTime(),
      isOnUsed: used.has(request.socket),
    }
    used.add(request.socket)
    const name = String(call.body.name)
    const attempt = (attempts.get(name) ?? 0) + 1
    attempts.set(name, attempt)
    calls.push(call)
    const reaction = react(attempt, call)
    const delayMs = typeof latencyMs === 'number' ? latencyMs : latencyMs()
    if (delayMs > 0) await sleep(clock, delayMs)
    await holds(call)
    onAnswer(call)
    const make = () => recordOf(call, name)
    act(reaction, name, request.socket, response, make)
    if (typeof reaction === 'object' && 'hang' in reaction && reaction.createsAfterMs !== undefined)
      await sleep(clock, reaction.createsAfterMs).then(make)
    if (closeIdleAfterMs !== undefined)
      response.once('finish', () => closeWhenIdle(request.socket, closeIdleAfterMs))
  }

  function recordOf(call: ArrivedCall, name: string): CreatedRecord {
    const sameAs = similar?.(call)
    const known = sameAs === undefined ? undefined : records.get(sameAs)
    if (known !== undefined) return known
    const record = { ...call.body, record_id: randomUUID(), name, created_at: new Date().toISOString() }
    made.push({ name, recordId: record.record_id })
    if (sameAs !== undefined) records.set(sameAs, record)
    return record
  }

  function act(
    reaction: Reaction,
    name: string,
    socket: Socket,
    response: ServerResponse,
    make: () => CreatedRecord,
  ): void {
    if (reaction === 'create') answer(response, 200, JSON.stringify(make()))
    else if ('answer' in reaction) {
      if (reaction.creates) make()
      answer(response, reaction.answer, reaction.body ?? '', reaction.headers)
    } else if ('existing' in reaction)
      answer(
        response,
        200,
        JSON.stringify({ record_id: reaction.existing, name, created_at: reaction.createdAt }),
      )
    else if ('upgrade' in reaction)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
    else if ('cut' in reaction) cut(reaction.cut, socket, response, make)
  }

  function cut(where: string, socket: Socket, response: ServerResponse, make: () => object): void {
    if (where === 'after creating') make()
    if (where !== 'in the answer') return void socket.destroy()
    const text = JSON.stringify(make())
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(text.length) })
    response.write(text.slice(0, text.length / 2), () => socket.destroy())
  }

  function closeWhenIdle(socket: Socket, afterMs: number): void {
    if (afterMs === 0) return void socket.end()
    socket.once(
      'data',
      clock.after(afterMs, () => socket.end()),
    )
  }

  server.on('connection', socket => {
    opened += 1
    if (cutsConnection()) return void socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise(resolve => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http${tls ? 's' : ''}://127.0.0.1:${port}`,
    port,
    calls,
    made,
    connections: () => opened,
    settled,
    async left() {
      while (sockets.size > 0) await Promise.all([...sockets].map(socket => once(socket, 'close')))
      await settled()
    },
  }

  async function settled(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay)
  }
}

/** The names of the records that a service made, each as often as it was, sorted. */
export const madeBy = ({ made }: Service): string[] => made.map(({ name }) => name).sort()

interface CreatedRecord {
  readonly record_id: string
  readonly name: string
  readonly created_at: string
}

function answer(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || '{}')
}
