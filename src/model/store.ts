// What the engine and the way to the service need of a memory of what was sent. There are two: files, and a ledger in a database
// that several workers share.
import type { Outcome } from './outcome.ts'
import type { Before, Call, RowIdentity, RowPlace } from './row.ts'

/** State of a key after earlier runs, and whether its row read then as it reads now. */
export interface PastState {
  readonly status: 'settled' | Before
  readonly sameHash: boolean
}

/** State after earlier runs. */
export interface Past {
  /** Awaited, if it is there, with the rows of a batch, before anything is asked about them. */
  load?(identities: readonly RowIdentity[]): Promise<void>
  get(key: string, hash: string): PastState | undefined
  /** State of the rejected row that a row is, or comes back as, if another row has replaced it. */
  replacementOf(identity: RowIdentity): 'settled' | 'in_doubt' | undefined
  /** Whether the log has this duplicate; of several equal ones each counts once. */
  takeLoggedDuplicate(key: string, hash: string): boolean
  /** Whether the last line of a row that reads the same refuses it for the same reason. */
  hasRefusal(outcome: Outcome): boolean
}

/** Which row owns a key in this run. */
export interface Keys {
  ownerOf(identity: RowIdentity): RowPlace | undefined
  register(row: Pick<Outcome, 'identity' | 'before'>): void
}

/** A call must not be sent: another row has its key (`sameAs`), or another worker has its rows. */
export interface Denial {
  readonly sameAs?: RowPlace
}

/** The calls that may be under way, whatever becomes of this process. */
export interface Intents {
  /**
   * Called before each attempt; resolves once it is kept that the call may be under way, at the end of a turn of the event loop.
   * Rejects when it cannot be kept.
   */
  add(call: Call): Promise<Denial | undefined>
  /** Asked right before a call goes out. Files never deny. */
  check?(call: Call): Denial | undefined
  /** The call waits or is over, and certainly reached nothing. */
  remove(key: string): void
}

/** Resolves with an outcome as it was recorded, once it is kept; undefined if there is nothing to keep. */
export type RecordOutcome = (outcome: Outcome) => Promise<Outcome> | undefined
