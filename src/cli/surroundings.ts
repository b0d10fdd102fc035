import type { Readable, Writable } from 'node:stream'

/** What a run needs of the process around it. */
export interface Surroundings {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stdoutIsTerminal: boolean
  readonly stderr: Writable
  readonly stderrIsTerminal: boolean
  /** ROWLIFT_TOKEN. */
  readonly token: string | undefined
  readonly version: string
  readonly pid: number
  readonly host: string
  readonly now: () => Date
  /** From 0 to 1. */
  readonly random: () => number
}
