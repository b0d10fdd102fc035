/** Who holds a result log, as it stands in the lock. */
export interface Holder {
  /** Names the holder among all others. */
  readonly id: string
  readonly pid: number
  readonly host: string
  /** When it began, in ISO 8601. */
  readonly since: string
  /** Undefined where the system does not tell, and for holders of earlier versions. */
  readonly process?: ProcessIdentity | undefined
}

/** What tells a process, by its pid, from all others that have or had the same one. */
export interface ProcessIdentity {
  /** The id of the machine's boot. */
  readonly boot: string
  /** Where its pid counts: a container has pids of its own. */
  readonly pid_namespace: string
  /** When it began, in ticks of the machine's clock since its boot. */
  readonly started: string
}

/** Names a holder to a person; one that has just begun has not said who it is. */
export const holderName = (holder: Holder | undefined): string =>
  holder === undefined
    ? 'a run that has just begun'
    : `pid ${holder.pid} on ${holder.host}, since ${holder.since}`
