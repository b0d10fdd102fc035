import type { Mapped } from '../model/outcome.ts'
import type { Before, Body, Row, RowIdentity, RowPlace } from '../model/row.ts'
import type { Namesake, NewRow } from '../model/store.ts'

/** A row about which only all rows can decide: another one may have its key, or it may be known under another name. */
export interface WaitingRow {
  readonly row: Row
  readonly identity: RowIdentity
  readonly before: Before | undefined
  readonly mapped: Exclude<Mapped, { readonly waitsOn: unknown }>
}

/** The rows that wait until the sources have ended, and all that is needed to decide about them then. */
export interface WaitingRows {
  readonly count: number
  add(row: WaitingRow): void
  /** Yields all rows in their order, in parts; several times. */
  all(): AsyncIterable<readonly WaitingRow[]>
  clear(): void
  /** The body of one of the first rows, which need not wait. */
  firstBody(place: RowPlace): Body | undefined
  /** The bodies of rows by their places; without those that cannot be read or mapped again. */
  bodiesAt(places: readonly RowPlace[]): Promise<ReadonlyMap<string, Body>>
  /** The rows of the log that did not come and that these may be, by their keys. */
  namesakesOf(rows: readonly NewRow[]): Promise<ReadonlyMap<string, Namesake>>
}

export const placeName = ({ source, row }: RowPlace): string => `${row} ${source}`

/** The end of a row that has its record and reads differently now, or is bad. */
export const changedRow = (mapped: WaitingRow['mapped']) =>
  ({
    status: 'done',
    changed: true,
    ...('body' in mapped ? { body: mapped.body } : { noLongerValid: true as const }),
  }) as const
