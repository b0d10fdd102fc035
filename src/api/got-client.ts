// The HTTP client by got, which repeats calls, and reads and unpacks answers. Its hooks open our requests and decide on retries.
import { type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import {
  type BeforeRequestHook,
  got,
  Options,
  type OptionsInit,
  type Request,
  type RequestError,
  type Response,
} from 'got'
import type { Clock } from '../model/clock.ts'
import { type Attempt, attemptOf } from './attempt.ts'
import { type Connections, connectionsTo } from './connections.ts'
import type { StartedAttempt } from './http-client.ts'

export interface ClientSettings {
  /** The address of the create call, from createUrl. */
  readonly url: string
  readonly version: string
  /** The longest that one attempt may take, from its start to the last byte of the answer. */
  readonly timeoutMs: number
  readonly proxy: URL | undefined
  readonly clock: Clock
}

/** got takes prepared options as its third argument, which its types leave out. */
const start = got as unknown as (url: undefined, options: OptionsInit, prepared: Options) => Request

/** got waits with a timer of its own, so it waits as briefly as it can. */
const shortestDelayMs = 1

const postingIn = ({ context }: Pick<Options, 'context'>) => context.posting as Posting

/** Sends create calls. It decides nothing: `begin` allows each attempt, and `end` decides whether another one follows. */
export type HttpClient = ReturnType<typeof gotClient>

/** Prepares got once for all calls: POST, no redirects, every answer is read, and our answers decide on retries. */
export function gotClient(settings: ClientSettings) {
  const connections = connectionsTo(new URL(settings.url), settings.proxy, settings.clock)
  const open = attemptOpener(settings, connections)
  const openNext = (options: Options) => postingIn(options).open()
  const prepared = new Options({
    url: settings.url,
    isStream: true,
    method: 'POST',
    headers: { 'accept-encoding': identity }, // what is set is not put together for each call
    followRedirect: false, // a redirected POST becomes a GET, or goes to an address that nobody chose
    throwHttpErrors: false,
    hooks: { beforeRequest: [openNext as unknown as BeforeRequestHook] }, // got takes the request that a hook returns
    retry: {
      // our answer counts, not got's lists, which it copies for each call
      enforceRetryRules: false,
      methods: [],
      statusCodes: [],
      errorCodes: [],
      calculateDelay: async ({ error }) =>
        (await postingIn(error.options).goesOnAfter(error)) ? shortestDelayMs : 0,
    },
  })
  prepared.cacheOptions = {} // its empty fields alone make got's work for a call three times as long
  return {
    /**
     * Posts the body of a call, and again as long as the end of an attempt calls for another. Awaits `begin` before each; no
     * connection is opened before. Rejects with what `begin` or `end` throws.
     */
    post: (body: string, begin: () => Promise<StartedAttempt>) =>
      post(async () => open(await begin(), body), body, prepared),
    /** Resolves once it knows of connections that the service has closed. Awaited right before an attempt. */
    ready: connections.polled,
    /** After an answer that belongs to another call: no further call shares a connection. */
    distrustConnections: connections.distrust,
    close: connections.close,
  }
}

/** The hooks of a call on its way from attempt to attempt, as got gets them back in `context`. */
interface Posting {
  /** Opens the request of the next attempt. Rejects to end the call. */
  open(): Promise<ClientRequest>
  goesOnAfter(error?: RequestError, ended?: Attempt): Promise<boolean>
}

/** Resolves when no attempt follows. */
function post(begin: () => Promise<Attempt>, body: string, prepared: Options): Promise<void> {
  return new Promise((resolve, reject) => {
    let attempt: Attempt | undefined
    const posting: Posting = {
      async open() {
        attempt = undefined
        attempt = await begin()
        return attempt.request
      },
      async goesOnAfter(error, ended = attempt) {
        if (ended === undefined) reject(error?.cause)
        const again = (await ended?.end(error).catch(reject)) === true
        if (!again) resolve()
        return again
      },
    }
    const takeAnswer = async (answered: Attempt, response: Response) => {
      await answered.read(response)
      const again = await posting.goesOnAfter(undefined, answered)
      if (again) answered.request.emit('error', new Error('again')) // makes got try again
    }
    const follow = (request: Request): unknown =>
      request
        .once('request', sent => (sent as unknown as ClientRequest).end(body))
        .once('response', response => takeAnswer(attempt as Attempt, response))
        .once('retry', (_count, _error, startNext: () => Request) => follow(startNext()))
        .on('error', () => {}) // `goesOnAfter` has it
    follow(start(undefined, { context: { posting } }, prepared))
  })
}

/** An answer is a few kB: to unpack one takes longer than to read it. */
const identity = 'identity'

/** got would measure how long each part of a request takes, with eight listeners, unless somebody has. */
const measured = { start: 0, end: 0, phases: {} }

/** Opens Node's own requests to one address. Their headers may be added to, as tools that trace calls do. */
function attemptOpener({ url, version, timeoutMs }: ClientSettings, connections: Connections) {
  const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url))
  const request = protocol === 'https:' ? httpsRequest : httpRequest
  return (started: StartedAttempt, body: string): Attempt => {
    const headers = {
      'user-agent': `rowlift/${version}`,
      accept: 'application/json',
      'accept-encoding': identity,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${started.token}`,
    }
    const agent = connections.choose()
    const opened = request({ protocol, hostname, port, path, method: 'POST', headers, agent })
    Object.assign(opened, { timings: measured })
    return attemptOf(opened, { started, agent, connections, timeoutMs })
  }
}
