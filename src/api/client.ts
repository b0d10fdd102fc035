import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { got, Options, type OptionsInit, type Request, type RequestError } from 'got'
import type { CallState } from './call-state.ts'

export interface ClientSettings {
  /** The address of the create call, from createUrl. */
  readonly url: string
  readonly version: string
  /** The longest that one attempt may take, from its start to the last byte of the answer. */
  readonly timeoutMs: number
}

/** The options that may differ from attempt to attempt. */
export type AttemptOptions = Pick<Options, 'headers' | 'agent'>

/** The questions that got asks at each attempt of a call. */
export interface AttemptHooks {
  /** Awaited before each attempt; puts the token and the agents into its options, or throws to end the call. */
  readonly beforeAttempt: (state: CallState, options: AttemptOptions) => Promise<void>
  /** Awaited after each failed attempt, with the wait before the next one; false where there is none. */
  readonly mayRetry: (state: CallState, error: RequestError) => Promise<boolean>
}

/** Starts a call; got's `retry` event brings the request of the next attempt. */
export type Post = (state: CallState, body: string) => Request

const longestConnectMs = 30_000
/** got waits with a timer of its own, so it waits as briefly as it can. */
const shortestDelayMs = 1

/** got takes prepared options as its third argument, which its types leave out. */
const start = got as unknown as (url: undefined, options: OptionsInit, prepared: Options) => Request

/** Prepares got once for all calls: POST, no redirects, every answer is read, and our hooks decide on retries. */
export function createPost(settings: ClientSettings, { beforeAttempt, mayRetry }: AttemptHooks): Post {
  const { url, version, timeoutMs } = settings
  const prepared = new Options({
    url,
    isStream: true,
    method: 'POST',
    request: createRequestFunction(url),
    headers: {
      'user-agent': `rowlift/${version}`,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    followRedirect: false, // a redirected POST becomes a GET, or goes to an address that nobody gave
    throwHttpErrors: false,
    timeout: { connect: Math.min(timeoutMs, longestConnectMs), request: timeoutMs },
    hooks: { beforeRequest: [options => beforeAttempt(stateOf(options), options)] },
    retry: {
      // the answer of `mayRetry` counts, not got's lists, which it copies for each call
      enforceRetryRules: false,
      methods: [],
      statusCodes: [],
      errorCodes: [],
      calculateDelay: async ({ error }) =>
        (await mayRetry(stateOf(error.options), error)) ? shortestDelayMs : 0,
    },
  })
  prepared.cacheOptions = {} // its empty fields alone make got's work for a call three times as long
  return (state, body) => start(undefined, { body, context: { state } }, prepared)
}

/** got hands the context of a call on from attempt to attempt. */
const stateOf = ({ context }: Pick<Options, 'context'>) => context.state as CallState

/** Node's own request to one address: of what got puts together for it, a call needs only the headers and the agent. */
function createRequestFunction(url: string): NonNullable<OptionsInit['request']> {
  const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url))
  const request = protocol === 'https:' ? httpsRequest : httpRequest
  return (_url, { headers, agent }) =>
    request({ protocol, hostname, port, path, method: 'POST', headers, agent })
}

/** The address of a create call (interface 4): `{base_url}/v{api-version}/record/{type}/create/{organization_id}`. */
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
