/** The owner of a lock, as its file says. */
export interface LockOwner {
  /** Unique among all owners. */
  readonly id: string
  readonly pid: number
  readonly host: string
  /** When it started, in ISO 8601. */
  readonly since: string
  /** Undefined where the system does not say, and in earlier versions. */
  readonly process?: ProcessIdentity | undefined
}

/** Distinguishes a process from all others that have or had its pid. */
export interface ProcessIdentity {
  /** The id of the machine's boot. */
  readonly boot: string
  /** A container has pids of its own. */
  readonly pid_namespace: string
  /** When it started, in clock ticks since the boot. */
  readonly started: string
}
