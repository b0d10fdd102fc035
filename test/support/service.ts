import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from './cleanup.ts'

/** A create call as it arrived. */
export interface ArrivedCall {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
  readonly atMs: number
}

/** What the service does with a call; `made` is the record that a good answer carries. */
export type Reaction =
  | { readonly answer: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly cut: 'before reading' | 'after creating' | 'in the answer' }
  | { readonly hang: true }
  | { readonly upgrade: true }
  | { readonly existing: string; readonly createdAt: string }
  | 'create'

export interface Service {
  readonly url: string
  /** Every call that arrived whole, in their order. */
  readonly calls: ArrivedCall[]
  /** The truth: the name of each record that was made, with its id. */
  readonly made: { readonly name: string; readonly recordId: string }[]
  /** Connections that were opened so far. */
  readonly connections: () => number
}

export interface ServiceOptions {
  /** Decides what to do with the n-th attempt (from 1) for a body of that name. */
  readonly react?: (attempt: number, call: ArrivedCall) => Reaction
  readonly latencyMs?: number
  /** Ends each connection so long after an answer, without having said so. */
  readonly closeIdleAfterMs?: number | (() => number)
}

/** A service of the test's own, on a free port of this machine, that keeps the truth of what it made. */
export async function startService({
  react = () => 'create',
  latencyMs = 0,
  closeIdleAfterMs,
}: ServiceOptions = {}): Promise<Service> {
  const calls: ArrivedCall[] = []
  const made: { name: string; recordId: string }[] = []
  const attempts = new Map<string, number>()
  const sockets = new Set<Socket>()
  let opened = 0

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const call = {
      url: request.url ?? '',
      headers: request.headers,
      body: await bodyOf(request),
      atMs: Date.now(),
    }
    const name = String(call.body.name)
    const attempt = (attempts.get(name) ?? 0) + 1
    attempts.set(name, attempt)
    calls.push(call)
    const reaction = react(attempt, call)
    if (latencyMs > 0) await sleep(latencyMs)
    act(reaction, name, request.socket, response)
    if (closeIdleAfterMs !== undefined)
      response.once('finish', () =>
        closeWhenIdle(
          request.socket,
          typeof closeIdleAfterMs === 'number' ? closeIdleAfterMs : closeIdleAfterMs(),
        ),
      )
  })

  function act(reaction: Reaction, name: string, socket: Socket, response: ServerResponse): void {
    const make = () => {
      const recordId = randomUUID()
      made.push({ name, recordId })
      return { record_id: recordId, name, created_at: new Date().toISOString() }
    }
    if (reaction === 'create') answer(response, 200, JSON.stringify(make()))
    else if ('answer' in reaction) answer(response, reaction.answer, reaction.body ?? '', reaction.headers)
    else if ('existing' in reaction)
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
    const timer = setTimeout(() => socket.end(), afterMs)
    socket.once('data', () => clearTimeout(timer))
  }

  server.on('connection', socket => {
    opened += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise(resolve => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, calls, made, connections: () => opened }
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || '{}')
}
