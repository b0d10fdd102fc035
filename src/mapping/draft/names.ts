import type { Row } from '../../model/row.ts'
import { present } from '../../model/values.ts'
import type { Column } from './column.ts'
import type { RowFacts } from './facts.ts'
import { type BodyFacts, plainest } from './match.ts'
import { textRule } from './rules.ts'
import type { ContactRole } from './words.ts'
import { type Flow, field, type Part, quote } from './yaml.ts'

const isEmptyIn = (row: Row, columns: readonly Column[]) =>
  columns.every(({ name }) => present(row.value(name)) === undefined)

/** Whether some row that was read has none of the columns filled, or may have. */
export function someEmpty(columns: readonly Column[], { kept, rows, short }: RowFacts): boolean {
  if (rows === 0 || short.count > 0) return true
  if (columns.some(column => column.rows > 0 && column.filled >= column.rows && !column.isList)) return false
  return kept.length < rows || kept.some(row => isEmptyIn(row, columns))
}

const questions = {
  contact: ['No column says that it names anybody.', 'what a contact is called by?'],
  task: ['No column says that it names a task.', 'what is to be done?'],
} as const

/** The question for a record whose name was taken from a column that is not called a name. */
export const nameQuestion = (record: 'contact' | 'task', [taken]: readonly Column[]): string[] => {
  const [why, what] = questions[record]
  return taken === undefined ? [] : [`${why} Is ${quote(taken.name)} ${what}`]
}

const fitsTemplate = ({ name, isList }: Column) => !isList && !/[{}]/.test(name) && !name.startsWith('.')

/** The name of a record, out of one column or several; where they are all empty, the first of `others` that is filled. */
export function namePart(
  parts: readonly Column[],
  others: readonly (Column | undefined)[],
  rows: RowFacts,
  question: readonly string[],
): Part {
  const isEmptySomewhere = someEmpty(parts, rows)
  const usable = others.filter(column => column !== undefined && column.filled > 0 && !parts.includes(column))
  const fallback = isEmptySomewhere
    ? usable.flatMap(column => (column && !column.isList ? [column.name] : []))
    : []
  const needed: { default?: Flow } =
    fallback.length > 0 ? { default: { from: fallback.length === 1 ? fallback[0] : fallback } } : {}
  const comments =
    fallback.length > 0
      ? [...question, 'Rows without a name are called by the first of the others that is filled.']
      : question
  const [only] = parts
  if (only !== undefined && parts.length === 1) {
    const required = isEmptySomewhere ? {} : { required: true }
    return field('name', { ...textRule(only), ...needed, ...required }, ...comments)
  }
  const names = parts.map(({ name }) => name)
  if (parts.every(fitsTemplate) && fallback.length === 0)
    return field('name', names.map(name => `{{${name}}}`).join(' '), ...comments)
  return field('name', { join: names, with: ' ', ...needed }, ...comments)
}

/** The columns of a person's names. */
export interface PersonNames {
  readonly first: Column | undefined
  readonly last: Column | undefined
  readonly whole: Column | undefined
}

/** With a first name `Name` is the last name, and with a last name the first, unless it holds the other as well. */
export function personNames({ matches, rows }: BodyFacts<ContactRole>): PersonNames {
  const first = plainest(matches, 'first')
  const last = plainest(matches, 'last')
  const whole = plainest(matches, 'name')
  const part = first ?? last
  if (whole === undefined || part === undefined || (first && last)) return { first, last, whole }
  const holdsPart = rows.kept.flatMap(row => {
    const [all, one] = [present(row.value(whole.name)), present(row.value(part.name))]
    return typeof all === 'string' && typeof one === 'string' ? [all.includes(one)] : []
  })
  if (holdsPart.filter(Boolean).length > holdsPart.length / 2)
    return { first: undefined, last: undefined, whole }
  return { first: first ?? whole, last: last ?? whole, whole: undefined }
}
