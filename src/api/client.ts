import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type Got, got } from 'got'

/** How the service is called. */
export interface ClientSettings {
  /** Sent as the user agent. */
  readonly version: string
  /** The longest that one attempt may take, from its start to the last byte of the answer. */
  readonly timeoutMs: number
  readonly retries: number
}

/** Idle connections are dropped before servers usually close them (2 s and more), so that no call meets a closing one. */
const idleMs = 1_000
/** A service that breaks so many kept connections one after the other closes them all without saying so. */
const mostBrokenInARow = 2
const longestConnectMs = 30_000

export interface Client {
  readonly got: Got
  /** Hears whether a call that went out on a kept-alive connection got an answer on it. */
  noteKept(answered: boolean): void
  /** Closes the connections that are kept alive. */
  close(): void
}

/** The one got instance: POST, kept-alive connections, no redirects; got retries when it is told to. */
export function createClient({ version, timeoutMs, retries }: ClientSettings): Client {
  const agent = {
    http: new HttpAgent({ keepAlive: true, timeout: idleMs }),
    https: new HttpsAgent({ keepAlive: true, timeout: idleMs }),
  }
  const instance = got.extend({
    method: 'POST',
    agent,
    headers: { 'user-agent': `rowlift/${version}`, accept: 'application/json' },
    followRedirect: false, // a redirected POST becomes a GET, or goes where nobody said
    timeout: { connect: Math.min(timeoutMs, longestConnectMs), request: timeoutMs },
    retry: { limit: retries, methods: ['POST'] }, // got's default leaves POST out
  })
  const keptAgents = [agent.http, agent.https]
  let brokenInARow = 0
  return {
    got: instance,
    noteKept(answered) {
      brokenInARow = answered ? 0 : brokenInARow + 1
      if (brokenInARow === mostBrokenInARow) for (const kept of keptAgents) keepNoMore(kept)
    },
    close() {
      agent.http.destroy()
      agent.https.destroy()
    },
  }
}

/** From now on each call has a connection of its own; the calls under way keep theirs. */
function keepNoMore(agent: HttpAgent): void {
  agent.maxFreeSockets = 0
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
}

/** The address of a create call, interface 4: `{base_url}/v{api-version}/record/{type}/create/{organization_id}`. */
export function createUrl(
  baseUrl: string,
  apiVersion: string,
  record: string,
  organizationId: number,
  useCreated: boolean | undefined,
): string {
  const path = `v${encodeURIComponent(apiVersion)}/record/${record}/create/${organizationId}`
  return `${baseUrl.replace(/\/+$/, '')}/${path}${useCreated === undefined ? '' : `?use_created=${useCreated}`}`
}
