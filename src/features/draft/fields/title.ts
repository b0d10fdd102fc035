// What a task is called by, and the texts that may describe it.
import type { Row } from '../../../model/row.ts'
import type { Column, Columns } from '../columns/column.ts'
import type { RowFacts } from '../columns/survey.ts'
import { hasLetter, isDuration, isPersonName } from '../columns/values.ts'
import { oneOf } from '../columns/words.ts'
import type { TaskRoles } from '../roles/match.ts'
import { areLong, areTitles } from '../roles/record.ts'
import { compact, quote } from '../yaml.ts'
import { isEmptyRow, textIn, yesNoWords } from './rules.ts'

/** The column of titles: by its name, unless few rows have one and another is full; a description if no other text differs as much. */
export function titleOf(roles: TaskRoles): Column | undefined {
  const named = roles.all('name').find(column => column.shareOf(isSlug) < 0.5) ?? roles.get('name')
  const description = roles.filled('description')
  const areNumbers = description && !isSparse(description) && (named?.shareOf(isNumbered) ?? 0) > 0.8
  // a list of projects names each once
  const projects = roles.all('project').filter(column => variety(column) === 1)
  const texts = likeliest([...projects, ...freeTexts(roles)])
  const isOdd = named && (isSparse(named) || isShared(named))
  if (named?.example !== undefined && !areNumbers) return isOdd ? (texts.find(areTitles) ?? named) : named
  const [best = named] = areNumbers ? [description] : likeliest(compact(texts[0], description))
  const full = roles.columns.filter(({ filled }) => filled > 0)
  return best ?? full.find(column => column.shareOf(hasLetter) > 0.5) ?? full[0]
}

/** Several rows have the same, as of a subject, or it is who does the task. */
const isShared = (column: Column) =>
  column.filled > 3 && variety(column) < (column.shareOf(isPersonName) > 0.5 ? 0.8 : 0.9)
/** Recognizes codes such as "paint_the_wall". */
const isSlug = (text: string) => /^[a-z\d]+([_-][a-z\d]+)+$/.test(text)
const isNumbered = (text: string) => /^([\p{L}#]{0,5}[-_]?\d+|(?=\S*\d)[A-Z]+[-_/.][A-Z\d_/.-]+)$/u.test(text)

/** Has more letters than other signs, unlike a code or a time. */
const isWorded = (text: string) =>
  !isDuration(text) && (text.match(/[\p{L}\p{M}]/gu)?.length ?? 0) * 2 > text.length
export const isOfTexts = (column: Column) =>
  column.share('date', 'email', 'url') < 0.5 && column.shareOf(isWorded) >= 0.5

/** Columns without a role that hold no numbers, dates or addresses. */
function freeTexts(roles: TaskRoles): Column[] {
  return roles.columns
    .filter(column => column.filled > 0 && roles.candidatesOf(column).length === 0)
    .filter(column => isOfTexts(column) && !oneOf.trackers.test(column.words))
}

/** Columns whose header says that they describe something, or nothing at all; or of many long texts. */
export function describing(roles: TaskRoles): Column[] {
  const isUnnamed = (column: Column) => /^column \d+$/.test(column.words) && variety(column) > 0.3
  const free = freeTexts(roles).filter(column => isUnnamed(column) || column.shareOf(isLong) > 0.3)
  return [...roles.weak('description'), ...free]
}
const isLong = (text: string) => text.length > 30

/** Is filled in most rows that lack a name, and in few others, as the next level of an outline. */
export function isInstead(column: Column, names: Columns, { kept }: RowFacts): boolean {
  const share = (rows: readonly Row[]) => rows.filter(row => textIn(row, column) !== '').length / rows.length
  const lacks = (row: Row) => isEmptyRow(row, names)
  return share(kept.filter(lacks)) > 0.5 && share(kept.filter(row => !lacks(row))) < 0.5
}

/** The share of values that differ, of the first ones. */
const variety = ({ samples, filled }: Column) => samples.size / Math.max(1, Math.min(filled, 60))
/** The first whose texts differ in most rows, by quarters, and are long. */
const likeliest = (columns: Columns) => columns.toSorted((a, b) => rank(b) - rank(a))
const rank = (column: Column) =>
  Math.round(variety(column) * 4) + Number(areLong(column)) - (isSparse(column) ? 9 : 0)

/** Few rows have a value, as of a milestone. */
const isSparse = ({ filled, rows }: Column) => rows > 3 && filled < rows / 2

const mostTitles = 3

/** A question unless the title is called so, or is a short description without another text. */
export function titleQuestion(title: Column | undefined, roles: TaskRoles) {
  const { columns, candidatesOf } = roles
  const all = roles.all('name')
  const isShort =
    all.length === 0 && roles.all('description').some(each => each === title && each.longest < 120)
  const isNamed = title !== undefined && all.includes(title)
  if (isNamed ? !isSparse(title) || title.filled === 0 : isShort) return undefined
  const called = title ?? columns[0]
  const name = quote(called?.name ?? '')
  const why = isNamed ? `Most rows have no ${name}.` : 'No column says that it names a task.'
  const named = [...all, ...roles.all('description')].filter(each => each !== title && each.filled > 0)
  const likely = likeliest(columns)
    .filter(column => column.filled > 0 && !column.isList && ![called, ...named].includes(column))
    .filter(column => isOfTexts(column) && column.isVaried && !yesNoWords(column))
    .filter(column => candidatesOf(column).length === 0 && variety(column) > 0.3)
  const others = [...named, ...likely].slice(0, mostTitles).map(column => [column])
  return { text: `${why} Is ${name} what is to be done?`, others }
}
