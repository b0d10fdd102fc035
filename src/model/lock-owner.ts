/** The owner of a lock, as its file names it. */
export interface LockOwner {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly since: string
  /** Undefined if the system does not have it, and in earlier versions. */
  readonly process?: ProcessIdentity | undefined
}

export interface ProcessIdentity {
  readonly boot: string
  /** A container has pids of its own. */
  readonly pid_namespace: string
  /** Clock ticks since the boot. */
  readonly started: string
}
