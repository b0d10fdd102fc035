import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { got, Options, type OptionsInit, type Request, type RequestError } from 'got'
import type { Clock } from '../model/clock.ts'
import type { Agents } from './agents.ts'
import { Connections } from './connections.ts'

/** How the service is called. */
export interface ClientSettings {
  /** Sent as the user agent. */
  readonly version: string
  /** The longest that one attempt may take, from its start to the last byte of the answer. */
  readonly timeoutMs: number
  readonly retries: number
  readonly proxy: URL | undefined
  readonly clock: Clock
}

const longestConnectMs = 30_000
/** got waits by a timer of its own, so it waits as little as it can. */
const shortestDelayMs = 1

export interface Client {
  readonly connections: Connections
  /**
   * Makes what begins calls to an address. `mayTryAgain` is asked after each failed attempt, and waits until the next one may
   * begin; false when there is none.
   */
  caller(url: string, mayTryAgain: (error: RequestError) => Promise<boolean>): Caller
}

/** What an attempt goes out with. */
export interface Carried {
  readonly token: string
  readonly agents: Agents
}

/** Begins the first attempt of a call; got's `retry` event brings the way to begin the next. */
type Caller = (body: string, carried: Carried) => Request

/** got takes prepared options as its third argument, which its types leave out. */
const begin = got as unknown as (url: undefined, options: OptionsInit, prepared: Options) => Request

/** What is said of the next attempt of a call, beside what was said of the last one. */
export const optionsOf = ({ token, agents }: Carried): OptionsInit => ({
  headers: { authorization: authorization(token) },
  agent: agents,
})

const authorization = (token: string) => `Bearer ${token}`

/** Prepares got once for all calls: POST, no redirects, every answer is read, and got retries when it is told to. */
export function createClient({ version, timeoutMs, retries, proxy, clock }: ClientSettings): Client {
  return {
    connections: new Connections(proxy, clock),
    caller(url, mayTryAgain) {
      const prepared = new Options({
        url,
        isStream: true,
        method: 'POST',
        request: requestTo(url),
        headers: {
          'user-agent': `rowlift/${version}`,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        followRedirect: false, // a redirected POST becomes a GET, or goes where nobody said
        throwHttpErrors: false,
        timeout: { connect: Math.min(timeoutMs, longestConnectMs), request: timeoutMs },
        retry: {
          limit: retries,
          methods: ['POST'], // got's default leaves POST out
          calculateDelay: async ({ error }) => ((await mayTryAgain(error)) ? shortestDelayMs : 0),
        },
      })
      prepared.cacheOptions = {} // its empty fields alone make got's work for a call three times as long
      const preparedFor = new Map<Agents, Options>()
      return (body, { token, agents }) => {
        const options = preparedFor.get(agents) ?? new Options(undefined, { agent: agents }, prepared)
        preparedFor.set(agents, options)
        options.headers.authorization = authorization(token)
        return begin(undefined, { body }, options)
      }
    },
  }
}

/** Node's own request to one address: of what got puts together for it, headers and agent are all that a call needs. */
function requestTo(url: string): NonNullable<OptionsInit['request']> {
  const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url))
  const request = protocol === 'https:' ? httpsRequest : httpRequest
  return (_url, { headers, agent }) =>
    request({ protocol, hostname, port, path, method: 'POST', headers, agent })
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
