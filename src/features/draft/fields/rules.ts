import { noWords, yesWords } from '../../../mapping/transforms/transform.ts'
import type { Row } from '../../../model/row.ts'
import { present } from '../../../model/values.ts'
import { grouped } from '../../../output/text.ts'
import { type Column, type Columns, type Fit, isNothing } from '../columns/column.ts'
import { isJob } from '../columns/evidence.ts'
import type { RowFacts } from '../columns/survey.ts'
import { isMarkup } from '../columns/values.ts'
import { oneOf, vocabulary } from '../columns/words.ts'
import { type Choice, type Fragment, field, isQuestion, type Optional, question, together } from '../lines.ts'
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

/** A web address, the first of a cell; one that has a match of `but` is not sent. */
export function urlField(key: string, column: Column, as: 'url' | 'domain', but?: string): Fragment {
  const patterns = compact(column.urlSigns.size > 0 && '^[;|,\\s]+|(?<=[^;|,\\s])[;|,\\s].*$', but)
  const replace = patterns.length > 0 ? patterns.map(pattern => ({ pattern, with: '' })) : undefined
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

/** An amount without its currency, with the decimal sign of most values. */
export function amountField(key: string, column: Column): Fragment {
  const decimal = column.shareOf(text => /,\d{1,2}\D*$/.test(text)) > 0.3 ? ',' : undefined
  const hasSigns = column.shareOf(text => /[^\d.,'’\s-]/.test(text)) > 0
  const replace = hasSigns
    ? [{ pattern: '[^\\d.,-]|[.,](?=[-–—])|[-–—]$', with: '' }]
    : textRule(column).replace
  const note = hasSigns && 'Only the number is sent, for the service has no currency.'
  return field(key, { ...textRule(column), replace, as: 'number', decimal, otherwise: 'omit' }, note)
}

/** Texts, one below the other. They become markup for a task; what is markup already is sent as it is. */
export function descriptionPart(columns: Columns, as?: 'html') {
  if (columns.length === 0) return undefined
  const share = as ? Math.max(...columns.map(column => column.shareOf(isMarkup))) : 0
  const isSent = share > 0.5
  const note = notes.fields[isSent ? 'markup' : 'some_markup']
  const rule = { ...joinRule(columns, as ? '\n\n' : '\n'), as: isSent ? undefined : as }
  return field('description', rule, share > 0 && note)
}

/** The text of a cell; empty for a word for nothing. */
export function textIn(row: Row, { name }: Column): string {
  const text = String(present(row.value(name)) ?? '').trim()
  return isNothing.test(text) ? '' : text
}

/** A row has none of the columns filled. */
export const isEmptyRow = (row: Row, columns: Columns) => columns.every(column => textIn(row, column) === '')

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

const nameOf = (columns: Columns) => columns.map(({ name }) => name).join(' ')
/** An answer is written as ID=CHOICE. */
const idOf = (columns: Columns) => nameOf(columns).replaceAll('=', ' ').trim()

export const choiceOf = (column: Column, partOf: (column: Column) => Fragment): Choice => ({
  id: idOf([column]),
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

/** A question whether one of some columns is what a field lacks; undefined without any. */
export function perhaps(what: string, columns: Columns, partOf: (of: Column) => Fragment) {
  const offers = columns.slice(0, mostRivals + 1).map(column => choiceOf(column, partOf))
  const names = offers.map(({ id }) => quote(id)).join(' or ')
  return offers.length > 0 ? question(`Is ${names} ${what}? If not, it is left out.`, offers) : undefined
}

const mostUnknown = 3

/** Questions what the columns are of which nothing tells; `offers` are the fields that they may be. */
export function unknownParts(columns: Columns, offers: readonly Optional<Offer>[]): Fragment[] {
  const open = compact(...offers)
  const unknown = open.length > 0 ? columns.filter(isUnknown).slice(0, mostUnknown) : []
  return unknown.flatMap(column => {
    const isPlace = column.shareOf(text => /^[^\p{Ll}]\P{N}{1,40}$/u.test(text)) > 0.8
    const offered = open.filter(([id]) => id !== 'address' || isPlace)
    const choices = offered.map(([id, label, partOf]) => ({
      id,
      label,
      isTitled: true,
      part: partOf(column),
    }))
    if (choices.length === 0) return []
    const such = quote(column.example?.text ?? '')
    const text = `What is ${quote(column.name)}, such as ${such}? Until you choose, it is left out.`
    const { lines, ...lookups } = question(text, choices)
    return { ...lookups, lines: lines.map(line => ({ ...line, id: `columns.${idOf([column])}` })) }
  })
}

type Offer = readonly [id: string, label: string, partOf: (of: Column) => Fragment]

/** Texts in most rows, of which nothing says what they are. */
const isUnknown = (column: Column): boolean =>
  column.filled > column.rows / 2 &&
  column.isVaried &&
  column.samples.size > 2 &&
  !column.isList &&
  column.shareOf(isJob) > 0.9 &&
  column.shareOf(text => /\d|^\p{Lu}\w+\/\p{Lu}/u.test(text)) < 0.3 &&
  column.share('url', 'emails', 'phones', 'date') < 0.2 &&
  !oneOf.neverNames.test(column.words) &&
  !oneOf.perhapsIds.test(column.words) &&
  !oneOf.organizations.test(column.words) &&
  yesNoWords(column) === undefined

/** A question whether a row is called by other columns. */
export interface NameQuestion {
  readonly text: string
  readonly others: readonly Columns[]
}

/** The name, from one column or several; if they are empty, the first of `others` that is filled. `more` are fields that depend on it. */
export function namePart(
  parts: Columns,
  others: Columns,
  rows: RowFacts,
  asked?: NameQuestion,
  more: (names: Columns) => Fragment | undefined = () => undefined,
): Fragment {
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
  const own = field('name', rule, isEmptySomewhere && `Rows without a name ${ending}${count || ''}`)
  if (asked === undefined) return together(own, more(parts))
  const offer = (columns: Columns, own: Fragment) => ({
    id: idOf(columns) || 'first',
    label: `It is ${quote(nameOf(columns))}`,
    part: together(own, more(columns)),
  })
  const ruleOf = (columns: Columns) => field('name', { ...joinRule(columns, ' '), required: true })
  const offers = asked.others.map(columns => offer(columns, ruleOf(columns)))
  return question(asked.text, offers, offer(parts, own))
}

export function joinRule(columns: Columns, separator: string): FlowMap {
  const [only] = columns
  const names = columns.map(({ name }) => name)
  return only && columns.length === 1 ? textRule(only, separator) : { join: names, with: separator }
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
