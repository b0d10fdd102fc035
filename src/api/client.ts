import { type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { type BeforeRequestHook, got, Options, type OptionsInit, type Request, type RequestError } from 'got'
import { type Attempt, watchAttempt } from './attempt.ts'
import type { CallState } from './call-state.ts'
import { Deadline } from './deadline.ts'

export interface ClientSettings {
  /** The address of the create call, from createUrl. */
  readonly url: string
  readonly version: string
  /** The longest that one attempt may take, from its start to the last byte of the answer. */
  readonly timeoutMs: number
}

/** The questions that got asks at each attempt of a call. */
export interface AttemptHooks {
  /** Awaited before each attempt; resolves with the attempt, or throws to end the call. */
  readonly beforeAttempt: (state: CallState) => Promise<Attempt>
  /** Awaited after each failed attempt, with the wait before the next one; false where there is none. */
  readonly mayRetry: (state: CallState, error: RequestError) => Promise<boolean>
}

/** Starts a call; got's `retry` event brings the request of the next attempt. */
export type Post = (state: CallState) => Request

/** got waits with a timer of its own, so it waits as briefly as it can. */
const shortestDelayMs = 1

/** got takes prepared options as its third argument, which its types leave out. */
const start = got as unknown as (url: undefined, options: OptionsInit, prepared: Options) => Request

/** Prepares got once for all calls: POST, no redirects, every answer is read, and our hooks decide on retries. */
export function createPost(settings: ClientSettings, { beforeAttempt, mayRetry }: AttemptHooks): Post {
  const open = requestOpener(settings)
  const openNext = async (options: Options) => {
    const state = stateOf(options)
    return open(await beforeAttempt(state), state.call.body)
  }
  const prepared = new Options({
    url: settings.url,
    isStream: true,
    method: 'POST',
    headers: { 'accept-encoding': identity }, // what is set is not put together for each call
    followRedirect: false, // a redirected POST becomes a GET, or goes to an address that nobody gave
    throwHttpErrors: false,
    hooks: { beforeRequest: [openNext as unknown as BeforeRequestHook] }, // got takes the request that a hook returns
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
  return state => start(undefined, { context: { state } }, prepared)
}

/** got hands the context of a call on from attempt to attempt. */
const stateOf = ({ context }: Pick<Options, 'context'>) => context.state as CallState

/** An answer is a few kB: to unpack one takes longer than to read it. */
const identity = 'identity'

/** got would measure how long each part of a request takes, with eight listeners, unless somebody has. */
const measured = { start: 0, end: 0, phases: {} }

/** Opens Node's own requests to one address. Their headers may be added to, as tools that trace calls do. */
function requestOpener({ url, version, timeoutMs }: ClientSettings) {
  const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url))
  const request = protocol === 'https:' ? httpsRequest : httpRequest
  const deadline = new Deadline(timeoutMs)
  return (attempt: Attempt, body: string): ClientRequest => {
    const headers = {
      'user-agent': `rowlift/${version}`,
      accept: 'application/json',
      'accept-encoding': identity,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${attempt.token}`,
    }
    const { agents } = attempt.connection
    const agent = protocol === 'https:' ? agents.https : agents.http
    const opened = request({ protocol, hostname, port, path, method: 'POST', headers, agent })
    watchAttempt(Object.assign(opened, { timings: measured }), attempt, deadline)
    return opened
  }
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
