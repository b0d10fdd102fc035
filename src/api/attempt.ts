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

export type Attempt = ReturnType<typeof attemptOf>

/**
 * A request of Node from its opening to the end of its answer. Until the connection is ready nothing of it was sent, and it may still
 * be called off.
 */
export function attemptOf(request: ClientRequest, context: AttemptContext) {
  const { started, agent, connections, timeoutMs } = context
  /** A byte of the request may have left. */
  let isSent = request.reusedSocket
  let isFailed = false
  let answer: Response | undefined
  const chunks: Buffer[] = []
  let bytes = 0
  let next: Promise<boolean> | undefined
  const cancelTimeout = endAfter(timeoutMs)
  request
    .on('error', () => {
      isFailed = true // got takes the first error alone, and one that nobody listens to would end the process
      cancelTimeout()
    })
    .once('upgrade', refuseUpgrade)
  if (!request.reusedSocket) request.once('socket', watch)

  return {
    request,

    /** Resolves once all of the answer came, unless the attempt failed. Reads past got's own stream, which would only hand it on. */
    read(response: Response): Promise<void> {
      answer = response
      response.on('readable', () => {
        for (let chunk = response.read(); chunk !== null; chunk = response.read()) {
          chunks.push(chunk)
          bytes += chunk.length
          if (isFailed || bytes <= largestAnswer) continue
          const error = errorOf('ERR_ANSWER_TOO_LARGE')
          request.destroy(error)
          if (response.complete) response.destroy(error) // all of it came, and it is still being decompressed
        }
      })
      return new Promise(resolve => {
        response.once('end', () => {
          cancelTimeout()
          if (isFailed) return
          request.destroy() // whatever of it was not sent by now
          resolve()
        })
      })
    },

    /** Ends the attempt, once, with its whole answer or an error; resolves with whether to make the next one now. */
    end(error?: RequestError): Promise<boolean> {
      next ??= endWith(error)
      return next
    },
  }

  /** An answer that came while the process was busy is read first. */
  function endAfter(ms: number): () => void {
    let immediate: NodeJS.Immediate | undefined
    const timer = setTimeout(() => {
      immediate = setImmediate(() => request.destroy(errorOf('ETIMEDOUT')))
    }, ms)
    return () => {
      clearTimeout(timer)
      clearImmediate(immediate)
    }
  }

  function watch(socket: Socket): void {
    if (socket.destroyed && socket.bytesWritten === 0) return // the system gave none
    if (socket.connecting) {
      const cancel = endAfter(Math.min(timeoutMs, longestConnectMs))
      socket.once('connect', cancel).once('close', cancel)
    }
    const onReady = () => {
      if (started.isAllowed()) isSent = true
      else request.destroy(errorOf('ERR_DENIED'))
    }
    const readyEvent = readyEventOf(socket)
    if (readyEvent === undefined) onReady()
    else socket.once(readyEvent, onReady)
  }

  function endWith(error: RequestError | undefined): Promise<boolean> {
    if (answer?.complete) connections.noteAnswer(agent, request)
    else {
      const isBroken = error?.code === 'ECONNRESET' || error?.code === 'EPIPE'
      connections.noteFailure(agent, request, answer === undefined && isBroken)
    }
    return started.end({
      sent: isSent,
      answer: answer && {
        status: answer.statusCode,
        headers: answer.headers,
        text: String(Buffer.concat(chunks)),
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
