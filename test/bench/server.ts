// The service that the benchmarks call: a process of its own, as light as plain node:http and node:https can be, on free ports.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Gate, type Phase, type PhaseCounts } from './gate.ts'
import { type AnswerSize, newContact } from './record.ts'
import { certificateFile, keyFile } from './tls.ts'

/** What the parent asks; each is answered once. */
export type Ask = { readonly is: 'count' } | ({ readonly is: 'begin' } & ServerBehaviour)

/** How it is to behave. */
export interface ServerBehaviour {
  readonly latencyMs: number
  readonly phases: readonly Phase[]
  readonly answers: AnswerSize
}

/** What it answers; also sent once at the start. */
export interface ServerReply {
  readonly ports: { readonly http: number; readonly https: number }
  readonly counts: readonly PhaseCounts[]
  /** Of the process since its start. */
  readonly cpuMs: number
}

let behaviour: ServerBehaviour = { latencyMs: 0, phases: [], answers: 'full' }
let gate = new Gate([])

function onRequest(request: IncomingMessage, response: ServerResponse): void {
  const arrivedMs = performance.now()
  const answer = gate.admits(arrivedMs) ? created : refused
  let body = ''
  request.setEncoding('utf8').on('data', text => {
    body += text
  })
  request.on('end', () => at(arrivedMs + behaviour.latencyMs, () => answer(response, body)))
}

function created(response: ServerResponse, body: string): void {
  const record = Buffer.from(newContact(body, Date.now(), behaviour.answers))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': record.length }).end(record)
  gate.answered(performance.now())
}

function refused(response: ServerResponse): void {
  response.writeHead(429, { 'retry-after': '1', 'content-length': 0 }).end()
  gate.answered(performance.now())
}

/** Timers may come a millisecond early or late, a twentieth of 20 ms: the last bit is waited for turn by turn. */
const timerSlackMs = 1

function at(dueMs: number, act: () => void): void {
  const leftMs = dueMs - performance.now()
  if (leftMs <= 0) act()
  else if (leftMs <= timerSlackMs) setImmediate(at, dueMs, act)
  else setTimeout(at, leftMs - timerSlackMs, dueMs, act)
}

const tls = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) }
const servers = [
  createServer({ keepAliveTimeout: 0 }, onRequest),
  createSecureServer({ keepAliveTimeout: 0, ...tls }, onRequest),
]

const tell = () => {
  const [http = 0, https = 0] = servers.map(server => (server.address() as AddressInfo).port)
  const { user, system } = process.cpuUsage()
  process.send?.({
    ports: { http, https },
    counts: gate.counts,
    cpuMs: (user + system) / 1000,
  } satisfies ServerReply)
}

process.on('message', (ask: Ask) => {
  if (ask.is === 'begin') {
    behaviour = ask
    gate = new Gate(ask.phases)
  }
  tell()
})
process.on('disconnect', () => process.exit()) // whatever ends the parent ends this process
process.on('SIGINT', () => {}) // Ctrl-C goes to all processes of a terminal; the parent decides
await Promise.all(servers.map(server => once(server.listen(0, '127.0.0.1'), 'listening')))
tell()
