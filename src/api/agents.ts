import { type ClientRequest, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { HttpsProxyAgent } from 'https-proxy-agent'

/** The connections of one kind, as got takes them. */
export interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

/** What becomes of a connection after an answer. */
export interface Keeping {
  readonly keepAlive: boolean
  /** How long one is kept that nobody uses, in milliseconds. */
  readonly timeout?: number
  /** Which of them is used next: the one that has waited longest (`fifo`), or the least. */
  readonly scheduling?: 'fifo' | 'lifo'
}

/** A proxy that did not open a tunnel: nothing of the call reached the service. */
export class ProxyRefusal extends Error {
  readonly httpStatus: number
  constructor(httpStatus: number) {
    super(`the proxy answered ${httpStatus}`)
    this.httpStatus = httpStatus
  }
}

/**
 * Makes the agents of one kind of connection, straight to the service or through a tunnel that a proxy opens, be it
 * with or without TLS.
 */
export function createAgents(keeping: Keeping, proxy: URL | undefined): Agents {
  if (proxy === undefined) return { http: new HttpAgent(keeping), https: new HttpsAgent(keeping) }
  return {
    http: tunnelAgent(proxy, keeping, 'http:'),
    https: tunnelAgent(proxy, keeping, 'https:') as unknown as HttpsAgent,
  }
}

function tunnelAgent(proxy: URL, keeping: Keeping, protocol: string): HttpAgent {
  const agent = new HttpsProxyAgent(proxy, keeping)
  agent.protocol = protocol // it would look for it in a stack trace, for each call
  return agent.on('proxyConnect', ({ statusCode }: { statusCode: number }, request: ClientRequest) => {
    // the agent would hand on the proxy's answer as if it were the service's
    if (statusCode !== 200) request.destroy(new ProxyRefusal(statusCode))
  })
}
