import type { Duplicate, Mapped } from '../model/outcome.ts'
import { problem } from '../model/problem.ts'
import type { Before, Body, Row, RowIdentity, RowPlace } from '../model/row.ts'
import type { Namesake, NewRow, Past } from '../model/store.ts'
import { atPath, fieldDifferences } from '../model/values.ts'

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

const mostShown = 3

/** A row with the key of another, which has this body. It is a conflict if the bodies differ; without that body they may. */
export function duplicateOf(
  { identity, before, mapped }: WaitingRow,
  sameAs: RowPlace,
  body: Body | undefined,
  past: Past,
): Duplicate {
  const isLogged = past.takeLoggedDuplicate(identity.key, identity.hash)
  const duplicate = { identity, before, status: 'duplicate', sameAs, isLogged } as const
  const isValid = 'body' in mapped
  const differs = isValid
    ? fieldDifferences(body, mapped.body).flatMap(({ path }) => path || [])
    : mapped.errors.flatMap(({ path }) => path || [])
  if (body !== undefined && differs.length === 0) return duplicate
  /** The values of the other row and of this one, for people: `name: "Ada" → "Bob"`. */
  const shown = (path: string) =>
    `${path}: ${[body, isValid && mapped.body].map(each => JSON.stringify(atPath(each, path)) ?? 'none').join(' → ')}`
  const value = body && isValid ? differs.slice(0, mostShown).map(shown).join(', ') : undefined
  const params = { ...sameAs, differs: differs.length > 0 ? differs : undefined }
  return { ...duplicate, differs, errors: [{ path: '', value, ...problem('conflict', params) }] }
}
