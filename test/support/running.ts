import type { ChildProcess } from 'node:child_process'

/** How a process ended, and what it said. */
export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves once it has said these words on stderr; rejects when it ends without them. */
  said(words: string): Promise<void>
}

export interface RunOptions {
  readonly cwd: string
  readonly stdin?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
}
