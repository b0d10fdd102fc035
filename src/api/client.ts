import { type Got, got } from 'got'
import { Connections } from './connections.ts'

/** How the service is called. */
export interface ClientSettings {
  /** Sent as the user agent. */
  readonly version: string
  /** The longest that one attempt may take, from its start to the last byte of the answer. */
  readonly timeoutMs: number
  readonly retries: number
}

const longestConnectMs = 30_000

export interface Client {
  readonly got: Got
  readonly connections: Connections
}

/** The one got instance: POST, no redirects; got retries when it is told to. */
export function createClient({ version, timeoutMs, retries }: ClientSettings): Client {
  const instance = got.extend({
    method: 'POST',
    headers: { 'user-agent': `rowlift/${version}`, accept: 'application/json' },
    followRedirect: false, // a redirected POST becomes a GET, or goes where nobody said
    timeout: { connect: Math.min(timeoutMs, longestConnectMs), request: timeoutMs },
    retry: { limit: retries, methods: ['POST'] }, // got's default leaves POST out
  })
  return { got: instance, connections: new Connections() }
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
