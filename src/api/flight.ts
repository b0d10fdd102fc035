import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { Call, Fault, RowError } from '../model/row.ts'
import type { Answer } from './answer.ts'
import type { AnswerRule } from './answer-rules.ts'
import type { Connection } from './connections.ts'
import type { Turn } from './pace.ts'

/** What the last attempt of a call came to. */
export interface Failure {
  readonly fault: Fault
  readonly error: RowError
  readonly httpStatus: number | undefined
  /** The rule that says what the fault is. */
  readonly rule: AnswerRule | undefined
}

/** A call under way: what its attempts so far came to. */
export class Flight {
  readonly call: Call
  readonly startedMs: number
  attempts = 0
  /** How many of them the service asked to make later. */
  throttled = 0
  /** Whether the attempt under way may have sent a byte. */
  sent = false
  /** The connection of that attempt, or of the last one. */
  connection: Connection | undefined
  /** Whether it is on disk, or is being written, that the call may be under way. */
  isAnnounced = false
  /** Whether an attempt was ambiguous. */
  mayHaveMade = false
  /** The turn that the attempt under way has, or the last one had. */
  turn: Turn | undefined
  /** The token that the attempt under way carries. */
  token = ''
  /** What was read of its answer. */
  text = ''
  #hasRenewedToken = false
  failure: Failure | undefined
  answer: Answer | undefined

  constructor(call: Call, startedMs: number) {
    this.call = call
    this.startedMs = startedMs
  }

  /** Once an attempt was ambiguous, in this run or before, only a record_id or a person settles the row (DESIGN 5). */
  get isInDoubt(): boolean {
    return this.mayHaveMade || this.call.before === 'in_doubt'
  }

  /** A refused token is read again once for each call. */
  mayRenewToken(): boolean {
    const may = !this.#hasRenewedToken
    this.#hasRenewedToken = true
    return may
  }

  /** What the call took so far. */
  effort(nowMs: number) {
    return {
      attempts: this.attempts,
      ...(this.throttled > 0 && { throttled: this.throttled }),
      durationMs: nowMs - this.startedMs,
    }
  }

  beginAttempt(turn: Turn, token: string, connection: Connection): void {
    this.attempts += 1
    this.sent = false
    this.turn = turn
    this.text = ''
    this.connection = connection
    this.token = token
  }

  /**
   * Watches when the connection is ready: until then it is certain that nothing of the request was sent. An answer that
   * turns to another protocol (101) would otherwise never end.
   */
  watch(request: ClientRequest): void {
    const onSocket = (socket: Socket) => {
      if (this.connection !== undefined) {
        this.connection.socket = socket
        this.connection.isReused = request.reusedSocket
      }
      const readyEvent = connectsBy(socket)
      if (readyEvent === undefined) this.sent = true
      else
        socket.once(readyEvent, () => {
          this.sent = true
        })
    }
    request.once('upgrade', (_answer, socket: Socket) => {
      socket.destroy()
      request.emit(
        'error',
        Object.assign(new Error('the service wants another protocol'), { code: 'ERR_UPGRADE' }),
      )
    })
    if (request.socket) onSocket(request.socket)
    else request.once('socket', onSocket)
  }
}

/** The event after which a request can go out; undefined where it can at once. A tunnel is connected before its TLS is. */
function connectsBy(socket: Socket & { readonly secureConnecting?: boolean }): string | undefined {
  if (socket.secureConnecting === true) return 'secureConnect'
  return socket.connecting ? 'connect' : undefined
}
