import type { RunEvent } from '../model/events.ts'
import type { Logger } from '../report/logger.ts'
import {
  abandoned,
  lookupAssumed,
  proxied,
  readingAhead,
  waiting,
  watchingLock,
} from '../report/words/run-words.ts'
import { describeProblem } from '../report/words.ts'

const waitWorthTellingMs = 5_000

/** Logs what happens in a run and is worth a line. */
export function logEvent(logger: Logger, event: RunEvent): void {
  if (event.type === 'lock_watched') logger.info(watchingLock(event.holder))
  if (event.type === 'reading_ahead') logger.info(readingAhead)
  if (event.type === 'lookup_assumed') logger.warn(lookupAssumed(event.path))
  if (event.type === 'proxied') logger.info(proxied(event.proxy))
  if (event.type === 'orphaned_calls') logger.warn(abandoned(event.calls))
  if (event.type === 'hold' && event.forMs >= waitWorthTellingMs)
    logger.info({ delay_ms: event.forMs }, waiting(event.forMs, event.asked))
  if (event.type === 'retry') {
    const { fault, delayMs } = event
    const message = describeProblem(event.problem)
    const fields = { fault, delay_ms: delayMs }
    if (delayMs >= waitWorthTellingMs && fault !== 'throttled')
      // what the whole run waits for is told once
      logger.info(fields, `${message}; the next attempt is in ${Math.ceil(delayMs / 1000)} s`)
    else logger.debug(fields, `${message}; trying again`)
  }
  if (event.type === 'merged') {
    const { recordId, first, second } = event
    logger.debug({ recordId, first, second }, 'two rows got one record')
  }
}
