import { noWords, yesWords } from '../../../mapping/transforms/transform.ts'
import type { Row } from '../../../model/row.ts'
import { present } from '../../../model/values.ts'
import { grouped } from '../../../output/text.ts'
import type { Column, Columns, Fit } from '../columns/column.ts'
import type { RowFacts } from '../columns/survey.ts'
import { isMarkup } from '../columns/values.ts'
import { vocabulary } from '../columns/words.ts'
import { type Choice, type Fragment, field, isQuestion, question } from '../lines.ts'
import notes from '../notes.json' with { type: 'json' }
import { fullOnes } from '../roles/match.ts'
import { compact, type FlowMap, quote } from '../yaml.ts'

/** Treatment of values that cannot be read; without one their rows are invalid. */
export type Otherwise = 'keep' | 'omit' | undefined

/** A comment on the values that are not of a kind; undefined if all are. */
export function misfitNote({ misfit, misfits, noun }: Fit, otherwise: Otherwise) {
  const first = misfit && `${grouped(misfits)}, first ${quote(misfit.text)} in line ${misfit.line}`
  return first && `Values that are not ${noun} (${first}) ${notes.otherwise[otherwise ?? 'refuse']}`
}

export const unlessAll = (column: Column, fit: Fit): Otherwise =>
  fit.misfits > 0 || column.isDistrusted || column.isList ? 'omit' : undefined

export const textRule = (column: Column, separator = ', '): FlowMap => {
  const { name, isList, item, replace = linkReplace(column) } = column
  if (item) return { from: `${name}.0.${item}` }
  return { ...(isList ? { join: [name], with: separator } : { from: name }), replace }
}

/** Notion writes the link of a record after its name. */
const link = ' \\(https?://[^()\\s]+\\)'
const linkedName = new RegExp(`^[^()\n]+${link}`)
export const withoutLink = (text: string): string => text.replace(new RegExp(link), '')
const linkReplace = (column: Column) =>
  column.shareOf(text => linkedName.test(text)) > 0.5 ? [{ pattern: link, with: '' }] : undefined

function fieldOf(fit: Fit, key: string, column: Column, rule: FlowMap): Fragment {
  const otherwise = unlessAll(column, fit)
  return field(key, { ...textRule(column), ...rule, otherwise }, misfitNote(fit, otherwise))
}

/** A web address; one that has a match of `but` is not sent. */
export function urlField(key: string, column: Column, as: 'url' | 'domain', but?: string): Fragment {
  const replace = but ? [{ pattern: but, with: '' }] : undefined
  return fieldOf(column.fits.url, key, column, { replace, as })
}

/** A number with the decimal sign of most values. */
export function numberField(key: string, column: Column | undefined): Fragment | undefined {
  if (column === undefined) return undefined
  const { number, decimalComma } = column.fits
  const hasComma = decimalComma.count > number.count
  const rule = { as: 'number', decimal: hasComma ? ',' : undefined }
  return fieldOf(hasComma ? decimalComma : number, key, column, rule)
}

/** Text becomes markup for a task; what is markup already is sent as it is. */
export function descriptionPart(column: Column | undefined, names: Columns, as?: 'html') {
  if (!column || names.includes(column)) return undefined
  const share = as ? column.shareOf(isMarkup) : 0
  const isSent = share > 0.5
  const note = notes.fields[isSent ? 'markup' : 'some_markup']
  const rule = { ...textRule(column, as ? '\n\n' : '\n'), as: isSent ? undefined : as }
  return field('description', rule, share > 0 && note)
}

export const textIn = (row: Row, { name }: Column): string => String(present(row.value(name)) ?? '').trim()
const isEmptyRow = (row: Row, columns: Columns) => columns.every(column => textIn(row, column) === '')

/** A row has none of the columns filled, or may have. */
export function someEmpty(columns: Columns, { kept, rows, short }: RowFacts): boolean {
  if (rows === 0 || short.length > 0) return true
  if (columns.some(column => column.rows > 0 && column.filled >= column.rows && !column.isList)) return false
  return kept.length < rows || kept.some(row => isEmptyRow(row, columns))
}

const mostRivals = 2

/** The first column, and others that could be the same: they are hardly less full, and differ from it. */
export function withRivals(columns: Columns, { kept }: RowFacts): Column[] {
  const [first, ...others] = fullOnes(columns)
  if (first === undefined) return []
  const differs = (other: Column) =>
    other.filled >= first.filled * 0.9 &&
    kept.some(row => !['', textIn(row, first)].includes(textIn(row, other)))
  return [first, ...others.filter(differs).slice(0, mostRivals)]
}

export const choiceOf = (column: Column, partOf: (column: Column) => Fragment): Choice => ({
  id: column.name.replaceAll('=', ' '),
  label: `If it is ${quote(column.name)}`,
  isTitled: true,
  part: partOf(column),
})

/** The part of the first column; a question if others could be the same. */
export function onePart(asked: string, columns: Columns, partOf: (of: Column) => Fragment) {
  const [first, ...others] = columns.map(column => choiceOf(column, partOf))
  const all = compact(first, ...others)
  if (first === undefined || others.length === 0 || all.some(({ part }) => part.lines.some(isQuestion)))
    return first?.part
  const names = all.map(({ id }) => quote(id)).join(' or ')
  return question(`${asked}: ${names}? The first is taken.`, others, first)
}

/** A question whether a row is called by other columns. */
export interface NameQuestion {
  readonly text: string
  readonly others: readonly Columns[]
}

/** The name, from one column or several; if they are empty, the first of `others` that is filled. A row without any is invalid. */
export function namePart(parts: Columns, others: Columns, rows: RowFacts, asked?: NameQuestion): Fragment {
  const usable = others.filter(column => column.filled > 0 && !column.isList)
  const from = usable.filter(column => !parts.includes(column)).map(({ name }) => name)
  const isEmptySomewhere = someEmpty(parts, rows)
  const isReplaced = isEmptySomewhere && from.length > 0
  const isUnnamed = (row: Row) => row.fault === undefined && isEmptyRow(row, [...parts, ...usable])
  const unnamed = rows.kept.filter(isUnnamed).length
  const count = isReplaced && unnamed > 0 && ` Without those they are invalid: ${grouped(unnamed)} so far.`
  const ending = isReplaced ? 'are called by the first of the others that is filled.' : 'are invalid.'
  const instead = isReplaced ? { from: from.length === 1 ? from[0] : from } : undefined
  const rule = { ...joinRule(parts, ' '), default: instead, required: true }
  const part = field('name', rule, isEmptySomewhere && `Rows without a name ${ending}${count || ''}`)
  const offer = (columns: Columns, part: Fragment) => {
    const names = columns.map(({ name }) => name).join(' ')
    return { id: names.replaceAll('=', ' ').trim() || 'first', label: `It is ${quote(names)}`, part }
  }
  const ruleOf = (columns: Columns) => field('name', { ...joinRule(columns, ' '), required: true })
  const offers = asked?.others.map(columns => offer(columns, ruleOf(columns)))
  return asked && offers ? question(asked.text, offers, offer(parts, part)) : part
}

export function joinRule(columns: Columns, separator: string): FlowMap {
  const [only] = columns
  const names = columns.map(({ name }) => name)
  return only && columns.length === 1 ? textRule(only) : { join: names, with: separator }
}

const usualWords = new Set([...yesWords, ...noWords])
const yes = new Set([...yesWords, ...vocabulary.yes.split('|')])
const no = new Set([...noWords, ...vocabulary.no.split('|')])

/** Undefined if the column has other words. */
export function yesNoWords({ values, hasMoreValues }: Column) {
  if (hasMoreValues || values.size === 0 || values.size > 6) return undefined
  const wordsOf = (set: ReadonlySet<string>) => [...values].filter(value => set.has(value.toLowerCase()))
  const words = { yes: wordsOf(yes), no: wordsOf(no) }
  return words.yes.length + words.no.length === values.size ? words : undefined
}

export function yesNoField(key: string, column: Column | undefined): Fragment | undefined {
  const words = column && !column.isList ? yesNoWords(column) : undefined
  if (column === undefined || words === undefined) return undefined
  const { yes, no } = words
  const isUsual = [...yes, ...no].every(word => usualWords.has(word.toLowerCase()))
  const own = isUsual ? {} : { ...(yes.length > 0 && { true: yes }), ...(no.length > 0 && { false: no }) }
  const otherwise = column.isDistrusted ? 'omit' : undefined
  return field(key, { ...textRule(column), as: 'boolean', ...own, otherwise })
}
