import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { RequestError } from 'got'
import { sleep } from '../model/clock.ts'
import { afterAttempt } from './after-attempt.ts'
import { announce } from './announce.ts'
import { type AttemptEnd, endOf } from './attempt.ts'
import { type Carried, optionsOf } from './client.ts'
import type { Flight } from './flight.ts'
import type { Sending } from './sending.ts'

/** Makes all the attempts that a call takes, and gives the end of the last one; rejects when the run stops before one. */
export type Post = (flight: Flight) => Promise<Exclude<AttemptEnd, { is: 'again' }>>

/** Makes what posts calls; `hadSuccess` says whether a call of this run succeeded before. */
export function createPost(sending: Sending, hadSuccess: () => boolean): Post {
  const { client, url, record } = sending
  const mayTryAgain = async (error: RequestError) => {
    const { flight } = error.options.context as { flight: Flight }
    const delayMs = await afterAttempt(error, flight, sending, hadSuccess()).finally(flight.turn?.over)
    return delayMs !== undefined && hasWaited(delayMs, sending)
  }
  const call = client.caller(url, mayTryAgain)
  return async flight => {
    const body = JSON.stringify(flight.call.body)
    let attempt = call(body, await takeTurn(flight, sending))
    for (;;) {
      attempt.options.context.flight = flight
      const end = await endOf(attempt, flight, record)
      if (end.is !== 'again') return end
      attempt = end.begin(optionsOf(await takeTurn(flight, sending)))
    }
  }
}

/** Waits until an attempt may start, and makes safe that it may be under way; gives what it goes out with. */
async function takeTurn(flight: Flight, sending: Sending): Promise<Carried> {
  const { pace, stop, token, client } = sending
  const turn = await pace.turn()
  try {
    await announce(flight, sending)
    await afterPolling()
    stop.signal.throwIfAborted()
    const connection = client.connections.forAttempt()
    flight.beginAttempt(turn, token.value, connection)
    return { token: flight.token, agents: connection.agents }
  } catch (error) {
    turn.over()
    throw error
  }
}

/** Waits between two attempts; false as soon as the run stops. */
async function hasWaited(delayMs: number, { clock, stop }: Sending): Promise<boolean> {
  if (delayMs === 0) return true
  return sleep(clock, delayMs, stop.signal).then(
    () => true,
    () => false,
  )
}

let polling: Promise<void> | undefined

/** Lets the event loop hear of connections that the server has closed, before one of them is taken again. */
function afterPolling(): Promise<void> {
  polling ??= polled()
  return polling
}

async function polled(): Promise<void> {
  await endOfTurn() // of this turn, whose sockets were polled already
  polling = undefined
  await endOfTurn()
}
