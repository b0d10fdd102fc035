import type { Row } from '../../model/row.ts'

let last: { readonly row: Row; readonly emptied: Emptied; readonly input: unknown } | undefined

/** Reads the words that stand for empty cells as empty. */
type Emptied = (value: unknown) => unknown

/**
 * A row as the input of an expression: its cells, trimmed, by their columns, a repeated column as a list; an NDJSON row as it
 * is. The last one is kept, for a mapping may have several expressions.
 */
export function rowInput(row: Row, emptied: Emptied): unknown {
  if (last?.row === row && last.emptied === emptied) return last.input
  const input: Record<string, unknown> = Object.create(null)
  for (const [column] of row.cells()) input[column] ??= emptied(trimmed(row.value(column)))
  last = { row, emptied, input }
  return input
}

function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim()
  return Array.isArray(value) ? value.map(trimmed) : value
}
