// The HTTP client by got, which repeats calls, and reads and unpacks answers. Its hooks open our requests and decide on retries.
import type { ClientRequest } from 'node:http'
import {
  type BeforeRequestHook,
  got,
  Options,
  type OptionsInit,
  type Request,
  type RequestError,
  type Response,
} from 'got'
import { type Attempt, attemptOpener, identity } from './attempt.ts'
import { connectionsTo } from './connections.ts'
import type { ClientSettings, StartedAttempt } from './http-client.ts'

/** got takes prepared options as its third argument, which its types leave out. */
const start = got as unknown as (url: undefined, options: OptionsInit, prepared: Options) => Request

/** got waits with a timer of its own, so it waits as briefly as it can. */
const shortestDelayMs = 1

const nothing = () => {}
/** What a request of got is freed of after its answer: from Node 24 on a stream lives until the next long run of the garbage collector. */
const released = {
  ...{ response: undefined, _request: undefined, _nativeResponse: undefined, _requestOptions: undefined },
  ...{ _cancelTimeouts: nothing, _unproxyEvents: nothing },
}

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
      post(begin, started => open(started, body), body, prepared),
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

/** Resolves when no attempt follows. A call that waits for its turn has no request of got yet. */
async function post(
  begin: () => Promise<StartedAttempt>,
  open: (started: StartedAttempt) => Attempt,
  body: string,
  prepared: Options,
): Promise<void> {
  let started: StartedAttempt | undefined = await begin()
  return new Promise((resolve, reject) => {
    let attempt: Attempt | undefined
    const posting: Posting = {
      async open() {
        attempt = undefined
        attempt = open(started ?? (await begin()))
        started = undefined
        return attempt.request
      },
      async goesOnAfter(error, ended = attempt) {
        if (ended === undefined) reject(error?.cause)
        const again = (await ended?.end(error).catch(reject)) === true
        if (!again) resolve()
        return again
      },
    }
    const takeAnswer = async (answered: Attempt, response: Response, request: Request) => {
      await answered.read(response)
      const again = await posting.goesOnAfter(undefined, answered)
      if (again) return answered.request.emit('error', new Error('again')) // makes got try again
      Object.assign(request, { ...released, options: prepared })
      return request.removeAllListeners().on('error', nothing)
    }
    const follow = (request: Request): unknown =>
      request
        .once('request', sent => (sent as unknown as ClientRequest).end(body))
        .once('response', response => takeAnswer(attempt as Attempt, response, request))
        .once('retry', (_count, _error, startNext: () => Request) => follow(startNext()))
        .on('error', nothing) // `goesOnAfter` has it
    follow(start(undefined, { context: { posting } }, prepared))
  })
}
