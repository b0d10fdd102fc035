import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import type { RequestError, Response } from 'got'
import type { Connections } from './connections.ts'
import type { ClientSettings, StartedAttempt } from './http-client.ts'

/** An answer larger than this is not read to its end. */
const largestAnswer = 16_000_000
const longestConnectMs = 30_000

/** An answer is a few kB: to unpack one takes longer than to read it. */
export const identity = 'identity'

/** got would measure how long each part of a request takes, with eight listeners, unless somebody has. */
const measured = { start: 0, end: 0, phases: {} }

/** A request of Node from its opening to the end of its answer. */
export type Attempt = ReturnType<ReturnType<typeof attemptOpener>>

/**
 * Opens Node's own requests to one address. Their headers may be added to, as tools that trace calls do. Until its connection is ready
 * nothing of a request was sent, and it may still be called off.
 */
export function attemptOpener({ url, version, timeoutMs }: ClientSettings, connections: Connections) {
  const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url))
  const open = protocol === 'https:' ? httpsRequest : httpRequest
  return (started: StartedAttempt, body: string) => {
    const headers = {
      'user-agent': `rowlift/${version}`,
      accept: 'application/json',
      'accept-encoding': identity,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${started.token}`,
    }
    const agent = connections.choose()
    const request = open({ protocol, hostname, port, path, method: 'POST', headers, agent })
    Object.assign(request, { timings: measured })

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
      cancelTimeout() // an answer that breaks off ends neither the request with an error nor itself
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
