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
import { Attempt } from './attempt.ts'
import { Connections } from './connections.ts'
import type { HttpClient, StartedAttempt } from './http-client.ts'

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

/** Prepares got once for all calls: POST, no redirects, every answer is read, and our answers decide on retries. */
export function gotClient(settings: ClientSettings): HttpClient {
  const connections = new Connections(new URL(settings.url), settings.proxy, settings.clock)
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
    post: (body, begin) =>
      new Promise((resolve, reject) => {
        const posting = new Posting(async () => open(await begin(), body), resolve, reject)
        posting.follow(start(undefined, { context: { posting } }, prepared), body)
      }),
    ready: () => connections.polled(),
    distrustConnections: () => connections.distrust(),
    close: () => connections.close(),
  }
}

/** A call on its way from attempt to attempt, which got hands on. Resolves when none follows. */
class Posting {
  readonly #begin: () => Promise<Attempt>
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  #attempt: Attempt | undefined

  constructor(begin: () => Promise<Attempt>, resolve: () => void, reject: (error: unknown) => void) {
    this.#begin = begin
    this.#resolve = resolve
    this.#reject = reject
  }

  follow(request: Request, body: string): void {
    request
      .once('request', sent => (sent as unknown as ClientRequest).end(body))
      .once('response', response => this.#takeAnswer(this.#attempt as Attempt, response))
      .once('retry', (_count, _error, startNext: () => Request) => this.follow(startNext(), body))
      .on('error', () => {}) // `goesOnAfter` has it
  }

  /** Opens the request of the next attempt. Rejects to end the call. */
  async open(): Promise<ClientRequest> {
    this.#attempt = undefined
    this.#attempt = await this.#begin()
    return this.#attempt.request
  }

  async goesOnAfter(error?: RequestError, ended = this.#attempt): Promise<boolean> {
    if (ended === undefined) this.#reject(error?.cause)
    const again = (await ended?.end(error).catch(this.#reject)) === true
    if (!again) this.#resolve()
    return again
  }

  async #takeAnswer(answered: Attempt, response: Response): Promise<void> {
    await answered.read(response)
    const again = await this.goesOnAfter(undefined, answered)
    if (again) answered.request.emit('error', new Error('again')) // makes got try again
  }
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
    return new Attempt(opened, { started, agent, connections, timeoutMs })
  }
}
