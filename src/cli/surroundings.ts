import type { Readable, Writable } from 'node:stream'
import type { Holder } from '../model/holder.ts'

/** What a run needs of the process around it. */
export interface Surroundings {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stdoutIsTerminal: boolean
  /** Whether colours are wanted there: it is a terminal that shows them, and nobody said otherwise. */
  readonly stdoutHasColors: boolean
  readonly stderr: Writable
  readonly stderrIsTerminal: boolean
  readonly stderrHasColors: boolean
  /** The environment's variables: options, the token, proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly pid: number
  readonly host: string
  readonly now: () => Date
  /** From 0 to 1. */
  readonly random: () => number
}

/** This process as the holder of a result log, from now on. */
export const holderOf = (run: string, { pid, host, now }: Surroundings): Holder => ({
  id: run,
  pid,
  host,
  since: now().toISOString(),
})
