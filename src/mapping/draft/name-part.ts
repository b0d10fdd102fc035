import type { Row } from '../../model/row.ts'
import { present } from '../../model/values.ts'
import type { Column } from './column.ts'
import type { RowFacts } from './facts.ts'
import { field, type Part } from './lines.ts'
import { textRule } from './rules.ts'
import { type Flow, quote } from './yaml-words.ts'

const isEmptyIn = (row: Row, columns: readonly Column[]) =>
  columns.every(({ name }) => present(row.value(name)) === undefined)

/** Whether some row that was read has none of the columns filled, or may have. */
export function someEmpty(columns: readonly Column[], { kept, rows, ragged }: RowFacts): boolean {
  if (rows === 0 || ragged.shortCount > 0) return true
  if (columns.some(column => column.rows > 0 && column.filled >= column.rows && !column.isList)) return false
  return kept.length < rows || kept.some(row => isEmptyIn(row, columns))
}

const oneOrMore = (names: readonly string[]): Flow => (names.length === 1 ? (names[0] ?? '') : names)

const canStandInTemplate = ({ name, isList }: Column) =>
  !isList && !/[{}]/.test(name) && !name.startsWith('.')

/** What to ask where no column is called as names are. */
export const nameQuestion = (record: 'contact' | 'task', [taken]: readonly Column[]): string[] =>
  taken === undefined
    ? []
    : [
        record === 'contact'
          ? `No column says that it names anybody. Is ${quote(taken.name)} what a contact is called by?`
          : `No column says that it names a task. Is ${quote(taken.name)} what is to be done?`,
      ]

/** The name of a record, out of one column or several; the next in line where they are all empty. */
export function namePart(
  parts: readonly Column[],
  chain: readonly Column[],
  facts: RowFacts,
  question: readonly string[] = [],
): Part {
  const [only] = parts
  const others = chain.filter(column => column.filled > 0 && !parts.includes(column))
  const isEmptySomewhere = someEmpty(parts, facts)
  const fallback =
    isEmptySomewhere && others.length > 0
      ? others.filter(({ isList }) => !isList).map(({ name }) => name)
      : []
  const needed = fallback.length > 0 ? { default: { from: oneOrMore(fallback) } } : {}
  const note = [
    ...question,
    ...('default' in needed
      ? ['Rows without a name are called by the first of the others that is filled.']
      : []),
  ]
  if (only !== undefined && parts.length === 1)
    return field(
      'name',
      { ...textRule(only), ...needed, ...(!isEmptySomewhere && { required: true }) },
      ...note,
    )
  if (parts.every(canStandInTemplate) && !('default' in needed))
    return field('name', parts.map(({ name }) => `{{${name}}}`).join(' '), ...note)
  const joined: Flow = { join: parts.map(({ name }) => name), with: ' ', ...needed }
  return field('name', joined, ...note)
}
