import { problems } from '../model/problems.ts'
import type { Call, Created, Delivered } from '../model/row.ts'
import { withdraw } from './announce.ts'
import { isFresh } from './answer.ts'
import { Flight } from './flight.ts'
import { createPost } from './post.ts'
import type { Sending } from './sending.ts'

/** Sends one call, with all the attempts it takes, and gives its end; never throws for what the service does. */
export type Send = (call: Call) => Promise<Delivered>

/** Makes the delivery step of a run (DESIGN 5). */
export function createSend(sending: Sending): Send {
  const { stop, client, pace } = sending
  let hadSuccess = false
  const post = createPost(sending, () => hadSuccess)

  return async call => {
    const flight = new Flight(call, sending.clock.now().getTime())
    if (stop.reason !== undefined) return { status: 'unsent' }
    const end = await post(flight).catch((error: Error) => ({ is: 'over', error }) as const)
    if (end.is === 'created') {
      hadSuccess = true
      pace.taken()
      flight.turn?.over()
      if (flight.connection) client.connections.answered(flight.connection)
      return created(flight, sending, end.date, end.httpStatus)
    }
    if (flight.failure === undefined && stop.reason === undefined) throw end.error
    return notCreated(flight, sending)
  }
}

function created(
  flight: Flight,
  { useCreated, clock, tell }: Sending,
  date: string | undefined,
  httpStatus: number,
): Created {
  const { answer } = flight
  if (answer === undefined) throw new Error('a call succeeded without an answer')
  if (answer.differences.length > 0) tell({ is: 'answer_differs', differences: answer.differences })
  const effort = flight.effort(clock.now().getTime())
  const isOld = useCreated === true && !isFresh(answer.createdAt, date, effort.durationMs)
  return {
    status: isOld ? 'existing' : 'created',
    recordId: answer.recordId,
    httpStatus,
    ...effort,
  }
}

function notCreated(flight: Flight, sending: Sending): Delivered {
  const { failure } = flight
  if (failure === undefined) {
    withdraw(flight, sending)
    return { status: 'unsent' }
  }
  const effort = {
    fault: failure.fault,
    ...(failure.rule !== undefined && { byRule: true as const }),
    ...(failure.httpStatus !== undefined && { httpStatus: failure.httpStatus }),
    ...flight.effort(sending.clock.now().getTime()),
  }
  const { body } = flight.call
  if (!flight.isInDoubt) return { status: 'failed', ...effort, errors: [failure.error], body }
  const { message, ...rest } = failure.error
  const error =
    failure.fault === 'ambiguous'
      ? failure.error
      : { ...rest, message: problems.stillInDoubt(message).message }
  return { status: 'in_doubt', ...effort, errors: [error], body }
}
