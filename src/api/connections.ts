import { type AgentOptions, type ClientRequest, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
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

export type Connections = ReturnType<typeof connectionsTo>

/**
 * Chooses a connection to the service, or to its proxy, for each attempt. A call on a connection that the service is just closing is
 * in doubt for nothing. So connections are reused only once the service has been seen to keep one, and no longer when it turns out
 * to break them: before and after that, each attempt has one of its own.
 */
export function connectionsTo(service: URL, proxy: URL | undefined, clock: Clock) {
  const agentWith = (options: AgentOptions) => createAgent(service, options, proxy)
  const probe = watched(agentWith({ keepAlive: true }))
  const kept = watched(agentWith({ keepAlive: true, timeout: idleMs, scheduling: 'fifo' }))
  const single = agentWith({ keepAlive: false })
  let knowledge: 'none' | 'probing' | 'keeps' | 'closes' = 'none'
  let brokenInARow = 0
  /** The time for which the event loop had been busy in all when `polled` was last called. */
  let busyMs = 0
  let polling: Promise<void> | undefined

  return {
    /**
     * Resolves once the event loop knows of connections that the service has closed. It does at the end of the turn in which an
     * intent is safe, unless it was busy for long since the last call.
     */
    polled(): Promise<void> | undefined {
      const { active } = performance.eventLoopUtilization()
      if (active - busyMs > longestBlindMs)
        polling ??= endOfTurn().then(() => {
          polling = undefined
        })
      busyMs = active
      return polling
    },

    /** The agent for the next attempt; the first connection is left open to see what the service does with it. */
    choose(): HttpAgent {
      if (knowledge === 'keeps') return kept
      if (knowledge !== 'none') return single
      knowledge = 'probing'
      return probe
    },

    noteAnswer(agent: HttpAgent, { reusedSocket, socket }: ClientRequest): void {
      if (reusedSocket) brokenInARow = 0
      if (agent !== probe || !socket) return
      const look = () => {
        if (knowledge === 'probing') knowledge = socket.destroyed || socket.readableEnded ? 'closes' : 'keeps'
        socket.destroy()
      }
      clock.after(proofMs, look, 'background')
    },

    /** Notes an attempt without a whole answer; `isBroken`: the connection broke. */
    noteFailure(agent: HttpAgent, { reusedSocket }: ClientRequest, isBroken: boolean): void {
      if (agent === probe && knowledge === 'probing') knowledge = 'none'
      if (!reusedSocket || !isBroken) return
      brokenInARow += 1
      if (brokenInARow >= mostBrokenInARow) knowledge = 'closes'
    },

    distrust,

    close(): void {
      for (const agent of [probe, kept]) agent.destroy()
    },
  }

  /** Lets no further call share a connection: an answer came to no call, or to another one. */
  function distrust(): void {
    knowledge = 'closes'
  }

  /** Data that comes over an idle connection would be taken for the answer to its next call. */
  function watched(agent: HttpAgent): HttpAgent {
    function onData(this: Socket) {
      distrust()
      this.destroy()
    }
    const { reuseSocket } = agent
    agent.on('free', (socket: Socket) => socket.on('data', onData))
    agent.reuseSocket = (socket, request) =>
      reuseSocket.call(agent, socket.removeListener('data', onData), request)
    return agent
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
