import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Request, RequestError, Response } from 'got'
import type { Fault, RowError } from '../model/outcome.ts'
import { type Problem, problem } from '../model/problem.ts'
import { masked } from '../model/secrets.ts'
import { classify, findRule, type ResponseRule } from './classify.ts'
import { type Connection, ProxyRefusal } from './connections.ts'
import type { Deadline } from './deadline.ts'
import type { Permit } from './limiter.ts'
import type { CreateAnswer } from './response.ts'

/** How an attempt goes out. */
export interface AttemptStart {
  readonly permit: Permit
  readonly token: string
  readonly connection: Connection
  /** Asked when the connection that was opened for it is ready: to open one may take longer than the call may wait. */
  readonly isAllowed: () => boolean
}

/** An answer larger than this is not read to its end. */
const largestAnswer = 16_000_000

export class Attempt {
  readonly permit: Permit
  readonly token: string
  readonly connection: Connection
  readonly isAllowed: () => boolean
  /** Whether a byte of the request may have left. */
  sent = false
  /** Its request has failed: what comes of the answer afterwards does not count. */
  isFailed = false
  /** Takes back the end of its time. */
  cancelTimeout: () => void = () => {}
  readonly #answer: Buffer[] = []
  #bytes = 0

  constructor({ permit, token, connection, isAllowed }: AttemptStart) {
    this.permit = permit
    this.token = token
    this.connection = connection
    this.isAllowed = isAllowed
  }

  /** What came of the answer so far. */
  get text(): string {
    const [first] = this.#answer
    return first === undefined ? '' : String(this.#answer.length === 1 ? first : Buffer.concat(this.#answer))
  }

  /** Takes what came next; false where that is too much. */
  take(chunk: Buffer): boolean {
    this.#bytes += chunk.length
    if (this.#bytes > largestAnswer) return false
    this.#answer.push(chunk)
    return true
  }
}

/** An attempt that created its record, or found it. */
export interface Success {
  readonly type: 'created'
  readonly answer: CreateAnswer
  readonly httpStatus: number
  /** The `Date` header of the answer. */
  readonly date: string | undefined
}

type AttemptEnd =
  | Success
  /** got has begun the next attempt. */
  | { readonly type: 'retry'; readonly next: Request }
  /** The state of the call has the failure. If not, the run stopped while the call waited, or `error` is a defect. */
  | { readonly type: 'failed'; readonly error: Error | undefined }

/** An answer that came whole and is no success: another status, or no readable record_id. */
class BadAnswer extends Error {
  /** What is wrong with it where its status says success. */
  declare readonly cause?: Problem
}

const isSuccess = (httpStatus: number) => httpStatus >= 200 && httpStatus < 300

/** `read` judges an answer whose status says success. A bad answer becomes an error of the request, so that got asks whether to retry after every failure. */
export function followAttempt(
  got: Request,
  state: { readonly call: { readonly body: string }; readonly attempt: Attempt | undefined },
  read: (text: string) => CreateAnswer | Problem,
): Promise<AttemptEnd> {
  return new Promise(resolve => {
    let lastError: Error | undefined
    got
      .once('request', request => (request as unknown as ClientRequest).end(state.call.body))
      .once('response', (response: Response) => {
        const { attempt } = state
        if (attempt === undefined) return
        readResponse(response, attempt)
        response.once('end', () => {
          attempt.cancelTimeout()
          if (attempt.isFailed) return
          const { statusCode: httpStatus, headers } = response
          const answer = isSuccess(httpStatus) ? read(attempt.text) : undefined
          if (answer !== undefined && 'recordId' in answer)
            resolve({ type: 'created', answer, httpStatus, date: headers.date })
          else attempt.connection.request?.emit('error', new BadAnswer('', { cause: answer }))
        })
      })
      .once('retry', (_count, _error, startNext: () => Request) =>
        resolve({ type: 'retry', next: startNext() }),
      )
      .on('error', error => {
        lastError = error // not the end: from Node 24.20 on one comes while got still waits to retry a refused connection
      })
      .once('close', () => resolve({ type: 'failed', error: lastError }))
  })
}

/** Past got's own stream, which would only hand it on. */
function readResponse(response: Response, attempt: Attempt): void {
  response.on('readable', () => {
    for (let chunk = response.read(); chunk !== null; chunk = response.read()) {
      if (attempt.isFailed || attempt.take(chunk)) continue
      const error = errorOf('ERR_ANSWER_TOO_LARGE')
      attempt.connection.request?.destroy(error)
      if (response.complete) response.destroy(error) // all of it came, and it is still being decompressed
    }
  })
}

const errorOf = (code: string) => Object.assign(new Error(code), { code })

/** Until the connection is ready nothing of the request was sent, and it may still be called off. */
export function watchAttempt(request: ClientRequest, attempt: Attempt, deadline: Deadline): void {
  attempt.connection.request = request
  attempt.cancelTimeout = deadline.start(request)
  request
    .on('error', () => {
      attempt.isFailed = true // got judges the first error alone, and one that nobody listens to would end the process
      attempt.cancelTimeout()
    })
    .once('upgrade', refuseUpgrade)
  if (request.reusedSocket) attempt.sent = true
  else request.once('socket', socket => watchSocket(socket, request, attempt, deadline))
}

function watchSocket(socket: Socket, request: ClientRequest, attempt: Attempt, deadline: Deadline): void {
  if (socket.destroyed && socket.bytesWritten === 0) return // the system gave none
  const onReady = () => {
    if (attempt.isAllowed()) attempt.sent = true
    else request.destroy(errorOf('ERR_DENIED'))
  }
  if (socket.connecting) deadline.startConnecting(request, socket)
  const readyEvent = readyEventOf(socket)
  if (readyEvent === undefined) onReady()
  else socket.once(readyEvent, onReady)
}

/** An answer that switches protocols (101) would never end. */
function refuseUpgrade(this: ClientRequest, _response: IncomingMessage, socket: Socket): void {
  socket.destroy()
  this.emit('error', errorOf('ERR_UPGRADE'))
}

/** The event after which a request can go out; undefined where it can at once. A tunnel is connected before its TLS is. */
export function readyEventOf(socket: Socket & { readonly secureConnecting?: boolean }): string | undefined {
  if (socket.secureConnecting === true) return 'secureConnect'
  return socket.connecting ? 'connect' : undefined
}

export interface Failure {
  readonly fault: Fault
  readonly error: RowError
  readonly httpStatus: number | undefined
  /** The rule that decided the fault. */
  readonly rule: ResponseRule | undefined
}

export function readFailure(
  error: RequestError,
  attempt: Attempt,
  rules: readonly ResponseRule[],
  hadSuccess: boolean,
): Failure {
  const httpStatus = error.response?.statusCode
  const rule = findRule(rules, httpStatus, isOpen(error) ? attempt.text : undefined)
  const fault = classify({ sent: attempt.sent, httpStatus }, hadSuccess, rule)
  const plain = explain(error, attempt)
  const explained = rule
    ? { ...plain, ...problem('response_rule', { problem: plain, means: rule.means }) }
    : plain
  return { fault, httpStatus, rule, error: explained }
}
const longestQuote = 500

function explain({ response, code, cause }: RequestError, { sent, text }: Attempt): RowError {
  if (cause instanceof ProxyRefusal) return { ...problem('proxy_refused', { status: cause.httpStatus }) }
  if (response === undefined) return problem(sent ? 'no_answer' : 'never_reached', { reason: code })
  const status = response.statusCode
  const start = masked(text.slice(0, 100 * longestQuote)) // a token may end behind the quote
  const quote = start === '' ? {} : { body: start.slice(0, longestQuote) }
  if (!isSuccess(status)) return { ...problem('http_error', { status }), ...quote }
  const found = cause instanceof BadAnswer ? cause.cause : undefined
  return { ...(found ?? problem('incomplete_answer', { reason: code })), ...quote }
}

/** Whether rules may read the answer: it came whole, and it says nothing of a record. */
const isOpen = ({ cause }: RequestError) =>
  cause instanceof BadAnswer && [undefined, 'no_record_id'].includes(cause.cause?.code)
