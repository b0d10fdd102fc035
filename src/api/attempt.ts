import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestError, Response } from 'got'
import type { Connections } from './connections.ts'
import type { StartedAttempt } from './http-client.ts'

interface AttemptContext {
  readonly started: StartedAttempt
  readonly agent: Agent
  readonly connections: Connections
  readonly timeoutMs: number
}

/** An answer larger than this is not read to its end. */
const largestAnswer = 16_000_000
const longestConnectMs = 30_000

/** A request of Node from its opening to the end of its answer. */
export class Attempt {
  readonly request: ClientRequest
  readonly #context: AttemptContext
  readonly #cancelTimeout: () => void
  /** A byte of the request may have left. */
  #isSent = false
  #isFailed = false
  #response: Response | undefined
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #next: Promise<boolean> | undefined

  /** Until the connection is ready nothing of the request was sent, and it may still be called off. */
  constructor(request: ClientRequest, context: AttemptContext) {
    this.request = request
    this.#context = context
    this.#cancelTimeout = this.#endAfter(context.timeoutMs)
    request
      .on('error', () => {
        this.#isFailed = true // got takes the first error alone, and one that nobody listens to would end the process
        this.#cancelTimeout()
      })
      .once('upgrade', refuseUpgrade)
    if (request.reusedSocket) this.#isSent = true
    else request.once('socket', socket => this.#watch(socket))
  }

  /** An answer that came while the process was busy is read first. */
  #endAfter(ms: number): () => void {
    let immediate: NodeJS.Immediate | undefined
    const timer = setTimeout(() => {
      immediate = setImmediate(() => this.request.destroy(errorOf('ETIMEDOUT')))
    }, ms)
    return () => {
      clearTimeout(timer)
      clearImmediate(immediate)
    }
  }

  #watch(socket: Socket): void {
    if (socket.destroyed && socket.bytesWritten === 0) return // the system gave none
    if (socket.connecting) {
      const cancel = this.#endAfter(Math.min(this.#context.timeoutMs, longestConnectMs))
      socket.once('connect', cancel).once('close', cancel)
    }
    const onReady = () => {
      if (this.#context.started.isAllowed()) this.#isSent = true
      else this.request.destroy(errorOf('ERR_DENIED'))
    }
    const readyEvent = readyEventOf(socket)
    if (readyEvent === undefined) onReady()
    else socket.once(readyEvent, onReady)
  }

  /** Resolves once all of the answer came, unless the attempt failed. Reads past got's own stream, which would only hand it on. */
  read(response: Response): Promise<void> {
    this.#response = response
    response.on('readable', () => {
      for (let chunk = response.read(); chunk !== null; chunk = response.read()) {
        this.#chunks.push(chunk)
        this.#bytes += chunk.length
        if (this.#isFailed || this.#bytes <= largestAnswer) continue
        const error = errorOf('ERR_ANSWER_TOO_LARGE')
        this.request.destroy(error)
        if (response.complete) response.destroy(error) // all of it came, and it is still being decompressed
      }
    })
    return new Promise(resolve => {
      response.once('end', () => {
        this.#cancelTimeout()
        if (this.#isFailed) return
        this.request.destroy() // whatever of it was not sent by now
        resolve()
      })
    })
  }

  /** Ends the attempt, once, with its whole answer or an error; resolves with whether to make the next one now. */
  end(error?: RequestError): Promise<boolean> {
    this.#next ??= this.#end(error)
    return this.#next
  }

  #end(error: RequestError | undefined): Promise<boolean> {
    const { started, connections, agent } = this.#context
    const response = this.#response
    if (response?.complete) connections.noteAnswer(agent, this.request)
    else {
      const isBroken = error?.code === 'ECONNRESET' || error?.code === 'EPIPE'
      connections.noteFailure(agent, this.request, response === undefined && isBroken)
    }
    return started.end({
      sent: this.#isSent,
      answer: response && {
        status: response.statusCode,
        headers: response.headers,
        text: String(Buffer.concat(this.#chunks)),
        isWhole: error === undefined,
      },
      reason: error?.code ?? '',
      proxyStatus: (error?.cause as { proxyStatus?: number } | undefined)?.proxyStatus,
    })
  }
}

const errorOf = (code: string) => Object.assign(new Error(code), { code })

/** An answer that switches protocols (101) would never end. */
function refuseUpgrade(this: ClientRequest, _response: IncomingMessage, socket: Socket): void {
  socket.destroy()
  this.emit('error', errorOf('ERR_UPGRADE'))
}

/** The event after which a request can go out; undefined if it can at once. A tunnel is connected before its TLS is. */
export function readyEventOf(socket: Socket & { readonly secureConnecting?: boolean }): string | undefined {
  if (socket.secureConnecting === true) return 'secureConnect'
  return socket.connecting ? 'connect' : undefined
}
