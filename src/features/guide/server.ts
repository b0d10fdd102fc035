import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { RowliftError } from '../../model/errors.ts'
import { packageFile } from '../../model/package.ts'
import { Gate } from './gate.ts'
import { describeError, describeOwn, speaking } from './language.ts'
import type { Refused } from './views.ts'

/** The status of a call that is refused for a reason of the guide's own, by its code. */
export const statuses = {
  ...{ conflict: 409, outside: 403, bad_call: 400, busy: 400, unchecked: 400, none_sent: 400 },
  ...{ not_read: 400, no_check: 400, no_name: 400, no_id: 400 },
} as const
type CallCode = keyof typeof statuses

export class CallError extends Error {
  readonly code: CallCode

  constructor(code: CallCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Calls by their names. */
type Handlers = Readonly<Record<string, (input: never) => Promise<object>>>

export interface Served {
  readonly handlers: Handlers
  /** Sends the state, and each later one; returns the function that ends it. */
  readonly listen: (send: (state: object) => void) => () => void
  readonly onCall: () => void
}

const mostBytes = 4_000_000

/** Serves the page on a loopback port. Throws the error of the system. */
export async function startServer(port: number, served: Served) {
  const page = pageText()
  const server = createServer()
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening)
  })
  const { port: taken } = server.address() as AddressInfo
  const gate = new Gate(`127.0.0.1:${taken}`)
  server.on('request', (request, response) => {
    answer(request, response, { ...served, gate, page }).catch(() => response.destroy())
  })
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { gate, close }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { gate, page, handlers, listen, onCall }: Served & { gate: Gate; page: ReturnType<typeof pageText> },
) {
  const { method, url = '', headers } = request
  const language = headers['accept-language']
  if (!gate.admitsPage(request)) return refuse(response, 403, 'host')
  if (method === 'GET' && url === '/') return void response.writeHead(200, page.headers).end(page.text)
  if (method !== 'POST' || !gate.admitsCall(request)) return refuse(response, 403, 'origin')
  if (url === '/api/token') {
    const { secret } = await bodyOf(request)
    const token = gate.swap(String(secret))
    return token === undefined ? refuse(response, 403, 'secret') : send(response, 200, { token })
  }
  if (!gate.hasToken(request)) return refuse(response, 403, 'token')
  if (url === '/api/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    const write = (state: object) => response.write(`data: ${JSON.stringify(state)}\n\n`)
    const unlisten = speaking(language, () => listen(write))
    return void response.once('close', unlisten)
  }
  onCall()
  const name = /^\/api\/(\w+)$/.exec(url)?.[1] ?? ''
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
  if (handler === undefined) return refuse(response, 404, 'unknown_call')
  await speaking(language, async () => {
    try {
      send(response, 200, await handler((await bodyOf(request)) as never))
    } catch (error) {
      const isOwn = error instanceof CallError
      const isKnown = isOwn || error instanceof RowliftError
      const status = isOwn ? statuses[error.code] : isKnown ? 400 : 500
      const own = isOwn ? (describeOwn(`refused_${error.code}`, {}) ?? error.message) : undefined
      refuse(response, status, isKnown ? String(error.code) : 'defect', own ?? describeError(error))
    }
  })
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  if (Number(request.headers['content-length'] ?? mostBytes + 1) > mostBytes)
    throw new CallError('bad_call', 'the call is too long')
  const body = await json(request).catch(() => undefined)
  if (typeof body !== 'object' || body === null) throw new CallError('bad_call', 'the call is no JSON object')
  return body as Readonly<Record<string, unknown>>
}

const refuse = (response: ServerResponse, status: number, code: string, text = code) =>
  send(response, status, { code, text } satisfies Refused)

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

/** The page is one file: its script and style are named by their hashes, and nothing else may be loaded. */
function pageText() {
  const [script = '', style = ''] = ['main.js', 'guide.css'].map(name =>
    packageFile(`dist/features/guide/page/${name}`),
  )
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const loaded = `script-src ${hashOf(script)}; style-src ${hashOf(style)}; connect-src 'self'; img-src data:`
  const policy = `default-src 'none'; ${loaded}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  const text = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>rowlift</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">',
    `<style>${style}</style></head><body><div id="app"></div><script type="module">${script}</script></body></html>`,
  ].join('\n')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
  }
  return { text, headers }
}
