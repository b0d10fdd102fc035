import { stopReasonOf } from '../model/stop.ts'
import type { Flight } from './flight.ts'
import type { Sending } from './sending.ts'

/** Makes it safe, before each attempt of a call, that the call may be under way; a run that cannot do so stops. */
export async function announce(flight: Flight, { announced, stop }: Sending): Promise<void> {
  flight.announcing = announced.begin(flight.call).catch(error => {
    stop.request(stopReasonOf(error))
    throw error
  })
  await flight.announcing
}

/** Takes that back while a call waits, or when it is given up, unless an attempt of it may have made a record. */
export function withdraw(flight: Flight, { announced }: Sending): void {
  if (flight.announcing === undefined || flight.mayHaveMade) return
  flight.announcing = undefined
  announced.withdraw(flight.call)
}
