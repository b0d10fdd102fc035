import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { RowliftError } from '../../model/errors.ts'
import { packageFile } from '../../model/package.ts'
import { describeError, describeOwn, speaking } from './language.ts'

export interface Of {
  /** The source: one of `State.files`. */
  readonly file: string
}

export interface Seen extends Of {
  /** The edit is refused with `conflict` if the mapping has another text by now. */
  readonly version: string
}

/** The answer of a call that was refused: with status 409 for `conflict`, 403 for what was not opened, 500 for a defect, else 400. */
export interface Refused {
  /** `conflict`, `busy`, or the code of an error of rowlift. */
  readonly code: string
  /** A sentence as the command would print it. */
  readonly text: string
}

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

/** The sentence of an error that refuses a call, in the language of the page. */
export const sentenceOf = (error: unknown): string =>
  error instanceof CallError
    ? (describeOwn(`refused_${error.code}`, {}) ?? error.message)
    : describeError(error)

interface Served<Context> {
  /** Calls by their names. */
  readonly calls: Readonly<Record<string, (input: never, context: Context) => Promise<object>>>
  readonly context: Context
  /** The first state that a page gets, in its language; `tell` sends later ones to all. */
  readonly state: () => Promise<object>
  readonly onCall: () => void
}

const mostBytes = 4_000_000

/** Serves the page on a loopback port. Throws the error of the system. */
export async function startServer<Context>(port: number, { calls, context, state, onCall }: Served<Context>) {
  const page = pageText()
  const server = createServer()
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', listening)
  })
  const { port: taken } = server.address() as AddressInfo
  const gate = gateAt(`127.0.0.1:${taken}`)
  const streams = new Map<ServerResponse, string | undefined>()
  const write = (stream: ServerResponse, state: object) => stream.write(`data: ${JSON.stringify(state)}\n\n`)

  async function answer(request: IncomingMessage, response: ServerResponse) {
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
      streams.set(
        response.once('close', () => streams.delete(response)),
        language,
      )
      return void write(response, await speaking(language, state))
    }
    onCall()
    const name = /^\/api\/(\w+)$/.exec(url)?.[1] ?? ''
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined
    if (call === undefined) return refuse(response, 404, 'unknown_call')
    await speaking(language, async () => {
      try {
        send(response, 200, await call((await bodyOf(request)) as never, context))
      } catch (error) {
        const isOwn = error instanceof CallError
        const isKnown = isOwn || error instanceof RowliftError
        const status = isOwn ? statuses[error.code] : isKnown ? 400 : 500
        refuse(response, status, isKnown ? String(error.code) : 'defect', sentenceOf(error))
      }
    })
  }

  server.on('request', (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  return {
    invite: gate.invite,
    /** Sends a state to all pages, each in its language. */
    tell(inWords: () => object): void {
      for (const [stream, language] of streams) write(stream, speaking(language, inWords))
    },
    close(): void {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * Admits the requests of the page alone; `host` is the address with its port. A secret in the fragment of an address is swapped once for
 * a token, which the page sends as a header: a cookie would go to all ports of this computer.
 */
function gateAt(host: string) {
  const [secrets, tokens] = [new Set<string>(), new Set<string>()]
  /** Hashes are compared, so that no time says how much of a text was right. */
  function newIn(hashes: Set<string>): string {
    const text = randomBytes(32).toString('base64url')
    hashes.add(hashOf(text))
    return text
  }
  /** The page itself may be asked for by anybody who names the exact host. */
  const admitsPage = ({ headers }: IncomingMessage) => headers.host === host
  return {
    admitsPage,
    /** An address for one use. */
    invite: () => `http://${host}/#${newIn(secrets)}`,
    /** Returns a token for a secret, which is no longer good then; undefined for any other text. */
    swap: (text: string) => (secrets.delete(hashOf(text)) ? newIn(tokens) : undefined),
    /** A call comes from the page: no other origin, no form, no address bar. */
    admitsCall(request: IncomingMessage): boolean {
      const { origin, 'sec-fetch-site': site } = request.headers
      return admitsPage(request) && origin === `http://${host}` && site === 'same-origin'
    },
    hasToken: ({ headers: { 'x-rowlift-token': token } }: IncomingMessage) =>
      tokens.has(hashOf(String(token))),
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')

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
  const sources = `script-src 'sha256-${hashOf(script)}'; style-src 'sha256-${hashOf(style)}'`
  const loaded = `${sources}; connect-src 'self'; img-src data:`
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
