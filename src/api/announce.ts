import { stopReasonOf } from '../model/stop.ts'
import type { Flight } from './flight.ts'
import type { Sending } from './sending.ts'

/** Makes it safe, before each attempt of a call, that the call may be under way; a run that cannot do so stops. */
export async function announce(flight: Flight, { announced, stop }: Sending): Promise<void> {
  flight.isAnnounced = true
  try {
    await announced.begin(flight.call)
  } catch (error) {
    stop.request(stopReasonOf(error))
    throw error
  }
}

/** Takes that back while a call waits, or when it is given up, unless an attempt of it may have made a record. */
export function withdraw(flight: Flight, { announced }: Sending): void {
  if (!flight.isAnnounced || flight.mayHaveMade) return
  flight.isAnnounced = false
  announced.withdraw(flight.call)
}
