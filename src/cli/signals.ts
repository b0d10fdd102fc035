import { exitCodes } from '../app/exit-code.ts'
import type { Stop } from '../model/stop.ts'
import type { Logger } from '../report/logger.ts'
import { endedAtOnce, stopping } from '../report/words/run-words.ts'
import type { CliContext } from './context.ts'

/** The first signal or uncaught error lets calls in flight finish; a second signal exits. Returns the way to stop listening. */
export function stopOnInterrupts(
  stop: Pick<Stop, 'request'>,
  { interrupts, stderr }: CliContext,
  logger: Logger,
): () => void {
  let signals = 0
  const ends = [
    interrupts.onSignal(signal => {
      signals += 1
      if (signals === 1) {
        logger.warn(stopping(signal))
        return stop.request({ code: 'signal', params: { signal } })
      }
      stderr.write(`rowlift: ${endedAtOnce}\n`)
      interrupts.exit(exitCodes[signal])
    }),
    interrupts.onUncaught(error => stop.request({ code: 'defect', params: { error } })),
  ]
  return () => {
    for (const end of ends) end()
  }
}
