import type { Mapping } from '../../mapping/mapping.ts'
import { join } from '../../mapping/scope.ts'
import type { Body, Row } from '../../model/row.ts'
import type { RowLabel } from '../../result/short-texts.ts'

/** Texts by the paths of fields, or by columns. */
export type Texts = readonly (readonly [name: string, text: string])[]

/** A row that has its record and reads differently now, as it is kept until the sources have ended. */
export interface ChangedRow extends RowLabel {
  readonly status: 'changed' | 'no longer valid'
  /** The reason why it is no longer valid. */
  readonly note: string
  /** The fields that would be sent now. */
  readonly fields: Texts
  /** Its cells in the columns that the mapping reads; none if nothing is compared. */
  readonly cells: Texts
}

/** The values in a value that are no objects and no lists, as texts by their paths, such as `emails.0.email`. */
function leavesOf(value: unknown, path: string): Texts {
  if (typeof value !== 'object' || value === null) return [[path, String(value ?? '')]]
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, join(path, name)))
}

export const fieldsOf = (body: Body): Texts => leavesOf(JSON.parse(JSON.stringify(body)), '')

/** Makes a reader of the cells that the mapping reads; those of a repeated column are one text. */
export function cellReader({ columns, withoutColumns }: Mapping): (row: Row) => Texts {
  const known = new Map<string, boolean>()
  const isRead = (column: string) => {
    const is = known.get(column) ?? (!withoutColumns.has(column) && columns.fieldsOf(column).length > 0)
    known.set(column, is)
    return is
  }
  return row => {
    const cells = new Map<string, string>()
    for (const [column, value] of row.cells())
      for (const [name, text] of leavesOf(value, column)) {
        const before = cells.get(name)
        if (isRead(name)) cells.set(name, before === undefined ? text : `${before}, ${text}`)
      }
    return [...cells]
  }
}
