import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'

/** The connections of one kind, as got takes them. */
export interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

/** The connection that an attempt went out on. */
export interface Connection {
  readonly agents: Agents
  socket?: Socket
  /** An earlier call has used it. */
  isReused: boolean
}

/** Idle connections are dropped before servers usually close them (after 1 s and more). */
const idleMs = 500
/** A service that leaves a connection open for so long after its answer keeps connections. */
const proofMs = 100
/** A service that breaks so many reused connections one after the other closes them without saying so. */
const mostBrokenInARow = 2

/**
 * Gives each attempt its connection. A call that meets a connection which the service is just closing is in doubt for
 * nothing, so connections are used again only once the service has been seen to keep one, and no longer when it
 * turns out to break them: until then and from then on each attempt has one of its own.
 */
export class Connections {
  readonly #kept = agentsThat(true)
  readonly #single = agentsThat(false)
  #knowledge: 'none' | 'asked' | 'keeps' | 'closes' = 'none'
  #brokenInARow = 0

  /** The connection for the next attempt; the first one is left open, to see what the service does with it. */
  forAttempt(): Connection {
    const asks = this.#knowledge === 'none'
    if (asks) this.#knowledge = 'asked'
    return { agents: asks || this.#knowledge === 'keeps' ? this.#kept : this.#single, isReused: false }
  }

  /** Hears that an answer came over a connection. */
  answered({ agents, socket, isReused }: Connection): void {
    if (isReused) this.#brokenInARow = 0
    if (this.#knowledge !== 'asked' || agents !== this.#kept || socket === undefined) return
    setTimeout(() => {
      this.#knowledge = socket.destroyed || socket.readableEnded ? 'closes' : 'keeps'
    }, proofMs).unref()
  }

  /** Hears that an attempt got no answer; `isBroken` says that its connection broke. */
  failed({ agents, isReused }: Connection, isBroken: boolean): void {
    if (this.#knowledge === 'asked' && agents === this.#kept) this.#knowledge = 'none'
    if (!isReused || !isBroken) return
    this.#brokenInARow += 1
    if (this.#brokenInARow >= mostBrokenInARow) this.#knowledge = 'closes'
  }

  /** Closes what is kept open. */
  close(): void {
    for (const agent of [this.#kept.http, this.#kept.https]) agent.destroy()
  }
}

function agentsThat(keepAlive: boolean): Agents {
  const options = { keepAlive, ...(keepAlive && { timeout: idleMs }) }
  return { http: new HttpAgent(options), https: new HttpsAgent(options) }
}
