import type { Before, Body, Ending, Origin, Row, RowError, Waits } from '../model/row.ts'
import type { DeferredRows } from './deferred-rows.ts'
import type { Ledger } from './ledger.ts'

/** The mapping, as far as the import needs it. */
interface RowMapping {
  readonly identify: (row: Row) => Origin
  readonly selects: (row: Row) => boolean
  readonly map: (
    row: Row,
  ) =>
    | { readonly body: Body }
    | { readonly errors: readonly RowError[] }
    | { readonly waits: readonly Waits[] }
}

/** The rows that may name each other (DESIGN 2.3). */
interface Relations {
  /** The number that stands for the rows of a key. */
  numberOf(key: string): number
  /** Takes a row that may be named. */
  takeRow(row: Row, origin: Origin): void
  /** Takes a row that `where` leaves out. */
  passOver(row: Row): void
  /** Takes a row's end. */
  settle(origin: Origin, end: Ending): void
  /** The row of this number does not come any more. */
  giveUp(number: number): void
  /** Every row was taken. */
  complete(): void
}

/** What earlier runs made of a key, and whether its row read then as it reads now. */
export interface Known {
  readonly is: 'settled' | Before
  readonly sameHash: boolean
}

/** What earlier runs tell of this import's rows. */
export interface Past {
  of(key: string, hash: string): Known | undefined
  /** What became of the rejected row that a row is, or comes back as, where another one has replaced it. */
  replacementOf(origin: Origin): 'settled' | 'in_doubt' | undefined
  tellsDuplicate(key: string, hash: string): boolean
}

/** What is looked at to decide what becomes of a row. */
export interface Deciding {
  readonly mapping: RowMapping
  readonly past: Past
  readonly ledger: Ledger
  /** Undefined where no row can name another. */
  readonly relations: Relations | undefined
  readonly waiting: DeferredRows
  /** What to do with rows that an earlier run left in doubt (DESIGN 5). */
  readonly inDoubt: 'hold' | 'resend'
}
