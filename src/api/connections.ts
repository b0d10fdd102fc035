import type { Socket } from 'node:net'
import type { Clock } from '../model/clock.ts'
import { type Agents, createAgents } from './agents.ts'

/** The connection that an attempt went out on. */
export interface Connection {
  readonly agents: Agents
  socket?: Socket
  /** An earlier call has used it. */
  isReused: boolean
}

/** A service that leaves a connection open for so long after its answer keeps connections. */
const proofMs = 200
/** Idle connections are dropped well within the time for which the service was seen to keep one. */
const idleMs = proofMs / 2
/** A service that breaks so many reused connections one after the other closes them without saying so. */
const mostBrokenInARow = 2

/**
 * Gives each attempt its connection. A call that meets a connection which the service is just closing is in doubt for
 * nothing, so connections are used again only once the service has been seen to keep one, and no longer when it
 * turns out to break them: until then and from then on each attempt has one of its own.
 */
export class Connections {
  readonly #clock: Clock
  readonly #probe: Agents
  readonly #kept: Agents
  readonly #single: Agents
  #knowledge: 'none' | 'asked' | 'keeps' | 'closes' = 'none'
  #brokenInARow = 0

  /** Connections to the service, or to the proxy through which it is reached. */
  constructor(proxy: URL | undefined, clock: Clock) {
    this.#clock = clock
    this.#probe = createAgents({ keepAlive: true }, proxy)
    this.#kept = createAgents({ keepAlive: true, timeout: idleMs, scheduling: 'fifo' }, proxy)
    this.#single = createAgents({ keepAlive: false }, proxy)
  }

  /** The connection for the next attempt; the first one is left open, to see what the service does with it. */
  forAttempt(): Connection {
    return { agents: this.#agents(), isReused: false }
  }

  #agents(): Agents {
    if (this.#knowledge === 'keeps') return this.#kept
    if (this.#knowledge !== 'none') return this.#single
    this.#knowledge = 'asked'
    return this.#probe
  }

  /** Hears that an answer came over a connection. */
  answered({ agents, socket, isReused }: Connection): void {
    if (isReused) this.#brokenInARow = 0
    if (agents !== this.#probe || socket === undefined) return
    const look = () => {
      this.#knowledge = socket.destroyed || socket.readableEnded ? 'closes' : 'keeps'
      socket.destroy()
    }
    this.#clock.after(proofMs, look, 'background')
  }

  /** Hears that an attempt got no answer; `isBroken` says that its connection broke. */
  failed({ agents, isReused }: Connection, isBroken: boolean): void {
    if (agents === this.#probe) this.#knowledge = 'none'
    if (!isReused || !isBroken) return
    this.#brokenInARow += 1
    if (this.#brokenInARow >= mostBrokenInARow) this.#knowledge = 'closes'
  }

  /** Closes what is kept open. */
  close(): void {
    for (const { http, https } of [this.#probe, this.#kept])
      for (const agent of [http, https]) agent.destroy()
  }
}
