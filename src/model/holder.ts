/** Who holds a result log. */
export interface Holder {
  /** Names the holder among all others. */
  readonly id: string
  readonly pid: number
  readonly host: string
  /** When it began, in ISO 8601. */
  readonly since: string
}

/** Names a holder to a person; one that has just begun has not said who it is. */
export const holderName = (holder: Holder | undefined): string =>
  holder === undefined
    ? 'a run that has just begun'
    : `pid ${holder.pid} on ${holder.host}, since ${holder.since}`
