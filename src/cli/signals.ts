import { exitCodes } from '../app/exit-code.ts'
import type { Stop } from '../model/stop.ts'
import { endedAtOnce } from '../report/words/run-words.ts'
import type { CliContext } from './context.ts'

/**
 * Lets signals stop a run: the first lets the calls in flight end, the second ends the process at once. A defect that
 * nobody catches stops it in the same way, so that the calls in flight are accounted for. Gives the way to end that.
 */
export function stopOnInterrupts(
  stop: Pick<Stop, 'request'>,
  { interrupts, stderr }: CliContext,
): () => void {
  let signals = 0
  const ends = [
    interrupts.onSignal(signal => {
      signals += 1
      if (signals === 1) return stop.request({ code: 'signal', params: { signal } })
      stderr.write(`rowlift: ${endedAtOnce}\n`)
      interrupts.exit(exitCodes[signal])
    }),
    interrupts.onUncaught(error => stop.request({ code: 'defect', params: { error } })),
  ]
  return () => {
    for (const end of ends) end()
  }
}
