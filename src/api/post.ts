import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { OptionsInit, Request, RequestError } from 'got'
import { afterAttempt } from './after-attempt.ts'
import { announce } from './announce.ts'
import { type AttemptEnd, endOf } from './attempt.ts'
import type { Flight } from './flight.ts'
import type { Sending } from './sending.ts'

/** Makes all the attempts that a call takes, and gives the end of the last one; rejects when the run stops before one. */
export type Post = (flight: Flight) => Promise<Exclude<AttemptEnd, { is: 'again' }>>

/** Makes what posts calls; `hadSuccess` says whether a call of this run succeeded before. */
export function createPost(sending: Sending, hadSuccess: () => boolean): Post {
  const { client, url, stop, record } = sending
  const first = client.caller(url, async error => {
    const delayMs = await afterAttempt(error, flightOf(error), sending, hadSuccess())
    if (delayMs > 0) giveUpOnStop(error.request as unknown as Request, stop.signal)
    return delayMs
  })
  return async flight => {
    const body = JSON.stringify(flight.call.body)
    const context = { flight }
    for (let begin = first; ; ) {
      const carried = await takeTurn(flight, sending)
      const end = await endOf(begin({ body, context, ...carried }), flight, record)
      if (end.is !== 'again') return end
      begin = end.begin
    }
  }
}

const flightOf = (error: RequestError) => (error.options.context as { flight: Flight }).flight

/** Waits until an attempt may start, and makes safe that it may be under way; gives what it goes out with. */
async function takeTurn(flight: Flight, sending: Sending): Promise<Pick<OptionsInit, 'headers' | 'agent'>> {
  const { pace, stop, token, client } = sending
  const turn = await pace.turn()
  try {
    await announce(flight, sending)
    await afterPolling()
    stop.signal.throwIfAborted()
    const connection = client.connections.forAttempt()
    flight.beginAttempt(turn, token.value, connection)
    return { headers: { authorization: `Bearer ${flight.token}` }, agent: connection.agents }
  } catch (error) {
    turn.over()
    throw error
  }
}

/** Lets the event loop hear of connections that the server has closed, before one of them is taken again. */
async function afterPolling(): Promise<void> {
  await endOfTurn() // of this turn, whose sockets were polled already
  await endOfTurn()
}

/** Does not let a run that stops wait until an attempt is made again. */
function giveUpOnStop(attempt: Request, signal: AbortSignal): void {
  const giveUp = () => void attempt.destroy()
  signal.addEventListener('abort', giveUp)
  attempt.once('close', () => signal.removeEventListener('abort', giveUp))
}
