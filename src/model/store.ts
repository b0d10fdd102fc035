// The ports of a store, for the engine and the way to the service. There are two stores: files, and a ledger in a database that
// several workers share.
import type { Outcome } from './outcome.ts'
import type { Before, Body, Call, RowIdentity, RowPlace } from './row.ts'

/** State of a key after earlier runs, and whether its row read then as it reads now. */
export interface PastState {
  readonly status: 'settled' | Before
  readonly sameHash: boolean
  /** 32 bits of the hash of what was sent; 0 if that is not known. */
  readonly body?: number | undefined
}

/** A row that no earlier run knows by its name, and what would be sent. */
export interface NewRow {
  readonly identity: RowIdentity
  readonly body: Body | undefined
}

/** A row of an earlier run that did not come, and that another row may be. */
export interface Namesake extends RowPlace {
  readonly key: string
  readonly at: string
  readonly status: PastState['status']
  readonly recordId?: string | undefined
  /** It read the same in all cells. */
  readonly isSame: boolean
  /** Its key came with other contents: the names of the rows moved. */
  readonly isMoved: boolean
  /** The text of `replaces` for a row that takes its place. */
  readonly replaces: string
}

export interface Past {
  /** Loads the state of the rows of a batch, before the other methods are called with them. */
  load?(identities: readonly RowIdentity[]): Promise<void>
  get(key: string, hash: string, alike?: readonly string[]): PastState | undefined
  /** State of the rejected row that a row is, or comes back as, if another row has replaced it. */
  replacementOf(identity: RowIdentity): 'settled' | 'in_doubt' | undefined
  /** A row from a rejects file has its record, or may have it. */
  readonly hasReplaced?: boolean
  /** Lines are missing: a row that is not known may have its record. */
  readonly lacksLines?: boolean
  /** Checks whether the log has the row that was refused, of which a row of a rejects file was made. */
  hasRefused?(identity: RowIdentity): boolean
  /** Checks whether the log has this duplicate; of several equal ones each counts once. */
  takeLoggedDuplicate(key: string, hash: string): boolean
  readonly spellings: {
    /** Checks whether a row that is not known may be one of an earlier run under another name; `byKey`: equal contents say nothing. */
    mayHave(identity: RowIdentity, body?: Body, byKey?: boolean): boolean
  }
  /** Checks whether the last line of a row that reads the same refuses it for the same reason. */
  hasRefusal(outcome: Outcome): boolean
}

/** The keys of a log, which keep the rows of a run that own them. */
export interface KnownKeys extends Pick<Past, 'get'> {
  /** Gives a key to the row with this number, if it has its record and reads as it did then. Returns false for another row. */
  setKeyOwner(key: string, hash: string, number: number): boolean
  keyOwnerOf(key: string): number | undefined
}

/** The rows that own the keys of a run. */
export interface Keys {
  ownerOf(identity: RowIdentity): RowPlace | undefined
  register(row: Pick<Outcome, 'identity' | 'before'>): void
  /** Checks whether the row that owns the key reads the same. */
  readsAlike?(identity: RowIdentity): boolean
  /** Notes that a row came that owns no key; `isChanged`: it reads differently than when its record was made. */
  pass?(identity: RowIdentity, isChanged?: boolean): void
}

/** A call must not be sent: another row has its key (`sameAs`), or another worker has its rows. */
export interface Denial {
  readonly sameAs?: RowPlace
}

/** The calls that may be under way, whatever becomes of this process. */
export interface Intents {
  /** Keeps, before each attempt, that the call may be under way; resolves at the end of a turn of the event loop. */
  add(call: Call): Promise<Denial | undefined>
  /** Checks right before a call goes out. Files never deny. */
  check?(call: Call): Denial | undefined
  /** Removes a call that waits or is over, and certainly reached nothing. */
  remove(key: string): void
}
