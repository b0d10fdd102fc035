import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { Call } from '../model/row.ts'
import type { Failure } from './classify.ts'
import type { Connection } from './connections.ts'
import type { Permit } from './limiter.ts'

/** A call over its attempts: what is known of it so far. */
export class CallState {
  readonly call: Call
  readonly startedMs: number
  attempts = 0
  /** How many of them the service asked to make later. */
  throttled = 0
  /** The attempt under way, or the last one; undefined while the call waits for its next one to start. */
  attempt: AttemptState | undefined
  /** Why the last attempt failed. */
  failure: Failure | undefined
  /** The intent log holds the call, or is about to. */
  hasIntent = false
  /** An attempt was ambiguous: the service may have made the record. */
  possiblyCreated = false
  #hasRenewedToken = false

  constructor(call: Call, startedMs: number) {
    this.call = call
    this.startedMs = startedMs
  }

  /** Starts the next attempt. */
  beginAttempt(permit: Permit, token: string, connection: Connection): void {
    this.attempts += 1
    this.attempt = new AttemptState(permit, token, connection)
  }

  /** Takes the failure of the attempt under way. */
  noteFailure(failure: Failure): void {
    this.failure = failure
    if (failure.fault === 'ambiguous') this.possiblyCreated = true
    if (failure.fault === 'throttled') this.throttled += 1
  }

  /** Once an attempt was ambiguous, in this run or before, only a record_id or a person settles the row. */
  get isInDoubt(): boolean {
    return this.possiblyCreated || this.call.before === 'in_doubt'
  }

  /** True once: a refused token is read again once for each call. */
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
}

/** One HTTP try of a call. */
export class AttemptState {
  readonly permit: Permit
  readonly token: string
  readonly connection: Connection
  /** Whether a byte of the request may have left. */
  sent = false
  /** What was read of the answer. */
  text = ''

  constructor(permit: Permit, token: string, connection: Connection) {
    this.permit = permit
    this.token = token
    this.connection = connection
  }

  /** Takes a part of the answer; returns how many characters there are now. */
  read(text: string): number {
    this.text += text
    return this.text.length
  }

  /**
   * Watches when the connection is ready: until then it is certain that nothing of the request was sent. An answer that
   * switches to another protocol (101) would otherwise never end.
   */
  watch(request: ClientRequest): void {
    const onSocket = (socket: Socket) => {
      this.connection.socket = socket
      this.connection.isReused = request.reusedSocket
      const readyEvent = readyEventOf(socket)
      if (readyEvent === undefined) this.sent = true
      else
        socket.once(readyEvent, () => {
          this.sent = true
        })
    }
    request.once('upgrade', (_response, socket: Socket) => {
      socket.destroy()
      request.emit(
        'error',
        Object.assign(new Error('the service switches protocols'), { code: 'ERR_UPGRADE' }),
      )
    })
    if (request.socket) onSocket(request.socket)
    else request.once('socket', onSocket)
  }
}

/** The event after which a request can go out; undefined where it can at once. A tunnel is connected before its TLS is. */
function readyEventOf(socket: Socket & { readonly secureConnecting?: boolean }): string | undefined {
  if (socket.secureConnecting === true) return 'secureConnect'
  return socket.connecting ? 'connect' : undefined
}
