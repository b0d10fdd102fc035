import { type AgentOptions, type ClientRequest, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { HttpsProxyAgent } from 'https-proxy-agent'
import type { Clock } from '../model/clock.ts'

/** A service that leaves a connection open for so long after its answer keeps connections. */
const proofMs = 200
/** Idle connections are dropped well within the time for which the service was seen to keep one. */
const idleMs = proofMs / 2
/** The event loop may be busy for a quarter of the proof without a look at the connections. */
const longestBlindMs = proofMs / 4
/** A service that breaks this many reused connections in a row closes them without notice. */
const mostBrokenInARow = 2

/**
 * Chooses a connection for each attempt. A call on a connection that the service is just closing is in doubt for nothing. So
 * connections are reused only once the service has been seen to keep one, and no longer when it turns out to break them:
 * before and after that, each attempt has one of its own.
 */
export class Connections {
  readonly #clock: Clock
  readonly #probe: HttpAgent
  readonly #kept: HttpAgent
  readonly #single: HttpAgent
  #knowledge: 'none' | 'probing' | 'keeps' | 'closes' = 'none'
  #brokenInARow = 0
  /** The time for which the event loop had been busy in all when `polled` was last called. */
  #busyMs = 0
  #polling: Promise<void> | undefined

  /** Connections to the service, or to the proxy through which it is reached. */
  constructor(service: URL, proxy: URL | undefined, clock: Clock) {
    const agentWith = (options: AgentOptions) => createAgent(service, options, proxy)
    this.#clock = clock
    this.#probe = this.#watched(agentWith({ keepAlive: true }))
    this.#kept = this.#watched(agentWith({ keepAlive: true, timeout: idleMs, scheduling: 'fifo' }))
    this.#single = agentWith({ keepAlive: false })
  }

  /**
   * Resolves once the event loop knows of connections that the service has closed. It does at the end of the turn in which an
   * intent is safe, unless it was busy for long since the last call.
   */
  polled(): Promise<void> | undefined {
    const { active } = performance.eventLoopUtilization()
    if (active - this.#busyMs > longestBlindMs)
      this.#polling ??= endOfTurn().then(() => {
        this.#polling = undefined
      })
    this.#busyMs = active
    return this.#polling
  }

  /** The agent for the next attempt; the first connection is left open to see what the service does with it. */
  choose(): HttpAgent {
    if (this.#knowledge === 'keeps') return this.#kept
    if (this.#knowledge !== 'none') return this.#single
    this.#knowledge = 'probing'
    return this.#probe
  }

  noteAnswer(agent: HttpAgent, { reusedSocket, socket }: ClientRequest): void {
    if (reusedSocket) this.#brokenInARow = 0
    if (agent !== this.#probe || !socket) return
    const look = () => {
      if (this.#knowledge === 'probing')
        this.#knowledge = socket.destroyed || socket.readableEnded ? 'closes' : 'keeps'
      socket.destroy()
    }
    this.#clock.after(proofMs, look, 'background')
  }

  /** Notes an attempt without a whole answer; `isBroken`: the connection broke. */
  noteFailure(agent: HttpAgent, { reusedSocket }: ClientRequest, isBroken: boolean): void {
    if (agent === this.#probe && this.#knowledge === 'probing') this.#knowledge = 'none'
    if (!reusedSocket || !isBroken) return
    this.#brokenInARow += 1
    if (this.#brokenInARow >= mostBrokenInARow) this.#knowledge = 'closes'
  }

  /** Lets no further call share a connection: an answer came to no call, or to another one. */
  distrust(socket?: Socket): void {
    this.#knowledge = 'closes'
    socket?.destroy()
  }

  /** Data that comes over an idle connection would be taken for the answer to its next call. */
  #watched(agent: HttpAgent): HttpAgent {
    const distrust = (socket: Socket) => this.distrust(socket)
    function onData(this: Socket) {
      distrust(this)
    }
    const { reuseSocket } = agent
    agent.on('free', (socket: Socket) => socket.on('data', onData))
    agent.reuseSocket = (socket, request) =>
      reuseSocket.call(agent, socket.removeListener('data', onData), request)
    return agent
  }

  close(): void {
    for (const agent of [this.#probe, this.#kept]) agent.destroy()
  }
}

/** An agent that connects to the service, with or without TLS, or through a tunnel that a proxy opens. */
export function createAgent({ protocol }: URL, options: AgentOptions, proxy: URL | undefined): HttpAgent {
  const Direct = protocol === 'https:' ? HttpsAgent : HttpAgent
  const agent = proxy === undefined ? new Direct(options) : tunnelAgent(proxy, options, protocol)
  agent.getName = () => 'service' // else one is put together for each call
  return agent
}

function tunnelAgent(proxy: URL, options: AgentOptions, protocol: string): HttpAgent {
  const agent = new HttpsProxyAgent(proxy, options)
  agent.protocol = protocol // it would look for it in a stack trace, for each call
  return agent.on('proxyConnect', ({ statusCode }: { statusCode: number }, request: ClientRequest) => {
    // the agent would pass the proxy's answer on as if it were the service's
    const refusal = new Error(`the proxy answered ${statusCode}`)
    if (statusCode !== 200) request.destroy(Object.assign(refusal, { proxyStatus: statusCode }))
  })
}
