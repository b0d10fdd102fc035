import type { Row } from '../../model/row.ts'
import { present } from '../../model/values.ts'
import type { Column } from './column.ts'
import { textRule } from './rules.ts'
import type { RowFacts } from './survey.ts'
import { field, type Optional, type Part } from './yaml.ts'

const isEmptyIn = (row: Row, columns: readonly Column[]) =>
  columns.every(({ name }) => present(row.value(name)) === undefined)

/** Whether some row that was read has none of the columns filled, or may have. */
export function someEmpty(columns: readonly Column[], { kept, rows, short }: RowFacts): boolean {
  if (rows === 0 || short.length > 0) return true
  if (columns.some(column => column.rows > 0 && column.filled >= column.rows && !column.isList)) return false
  return kept.length < rows || kept.some(row => isEmptyIn(row, columns))
}

const fitsTemplate = ({ name, isList }: Column) => !isList && !/[{}]/.test(name) && !name.startsWith('.')

/** The name of a record, out of one column or several; where they are all empty, the first of `others` that is filled. */
export function namePart(
  parts: readonly Column[],
  others: readonly (Column | undefined)[],
  rows: RowFacts,
  question: Optional<string>,
): Part {
  const isEmptySomewhere = someEmpty(parts, rows)
  const fallback = others.flatMap(column =>
    isEmptySomewhere && column?.filled && !column.isList && !parts.includes(column) ? [column.name] : [],
  )
  const from = fallback.length === 1 ? fallback[0] : fallback
  const [instead, note] =
    fallback.length > 0
      ? [{ from }, 'Rows without a name are called by the first of the others that is filled.']
      : []
  const [only] = parts
  const names = parts.map(({ name }) => name)
  if (only !== undefined && parts.length === 1) {
    const required = isEmptySomewhere ? undefined : true
    return field('name', { ...textRule(only), default: instead, required }, question, note)
  }
  if (parts.every(fitsTemplate) && instead === undefined)
    return field('name', names.map(name => `{{${name}}}`).join(' '), question)
  return field('name', { join: names, with: ' ', default: instead }, question, note)
}
