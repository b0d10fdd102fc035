import { isReservedColumn } from '../../model/reserved-columns.ts'
import type { Row } from '../../model/row.ts'
import type { NamedColumns } from '../columns.ts'

let last: { readonly row: Row; readonly columns: NamedColumns; readonly input: unknown } | undefined

/**
 * A row as the input of an expression: its cells, trimmed, by their columns, a repeated column as a list; an NDJSON row as it
 * is. What a file of rejected rows says about it is no part of that. What the header calls otherwise than the mapping stands
 * under both names. The last one is kept, for a mapping may have several expressions.
 */
export function rowInput(row: Row, columns: NamedColumns): unknown {
  if (last?.row === row && last.columns === columns) return last.input
  const input: Record<string, unknown> = Object.create(null)
  for (const [column] of row.cells())
    if (!row.repaired || !isReservedColumn(column))
      input[column] ??= columns.emptied(trimmed(row.value(column)))
  for (const [name, actual] of columns.renamed()) input[name] = input[actual]
  last = { row, columns, input }
  return input
}

function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim()
  return Array.isArray(value) ? value.map(trimmed) : value
}
