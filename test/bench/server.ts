// The service that the benchmarks call: a process of its own, as light as plain node:http can be, on a free port.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Gate, type Phase, type PhaseCounts } from './gate.ts'
import { newContact } from './record.ts'

/** What the parent asks; each is answered once. */
export type Ask =
  | { readonly is: 'begin'; readonly latencyMs: number; readonly phases: readonly Phase[] }
  | { readonly is: 'count' }

/** What it answers; also sent once at the start. */
export interface ServerReply {
  readonly port: number
  readonly counts: readonly PhaseCounts[]
  /** Of the process since its start. */
  readonly cpuMs: number
}

let latencyMs = 0
let gate = new Gate([])

const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const arrivedMs = performance.now()
  const answer = gate.admits(arrivedMs) ? created : refused
  let body = ''
  request.setEncoding('utf8').on('data', text => {
    body += text
  })
  request.on('end', () => at(arrivedMs + latencyMs, () => answer(response, body)))
})

function created(response: ServerResponse, body: string): void {
  const record = Buffer.from(newContact(body, Date.now()))
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

const tell = () => {
  const { port } = server.address() as AddressInfo
  const { user, system } = process.cpuUsage()
  process.send?.({ port, counts: gate.counts, cpuMs: (user + system) / 1000 } satisfies ServerReply)
}

process.on('message', (ask: Ask) => {
  if (ask.is === 'begin') {
    latencyMs = ask.latencyMs
    gate = new Gate(ask.phases)
  }
  tell()
})
process.on('disconnect', () => process.exit()) // whatever ends the parent ends this process
process.on('SIGINT', () => {}) // Ctrl-C goes to all processes of a terminal; the parent decides
server.listen(0, '127.0.0.1', tell)
