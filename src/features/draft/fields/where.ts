import type { Row } from '../../../model/row.ts'
import { counted } from '../../../output/text.ts'
import { reservedKey } from '../../../settings/located-yaml.ts'
import type { Column, Columns } from '../columns/column.ts'
import forms from '../columns/forms.json' with { type: 'json' }
import type { RowFacts } from '../columns/survey.ts'
import { hasLetter, isCompanyName } from '../columns/values.ts'
import { anyOf, oneOf, someWords, wholeWords, wordsOf } from '../columns/words.ts'
import { field, type Line, question } from '../lines.ts'
import type { TaskRoles } from '../roles/match.ts'
import { compact, type FlowMap, quote } from '../yaml.ts'
import { textIn, yesNoWords } from './rules.ts'
import { completedColumn } from './task.ts'

/** The texts of a column that are left out, and why; undefined for any text. */
interface Condition {
  readonly column: Column
  readonly not: readonly string[] | undefined
  readonly why: string
}

/** A condition that only a person can decide on. */
interface OpenCondition extends Condition {
  readonly id: string
  readonly label: string
  /** When the condition is right. */
  readonly ifSo: string
}

/**
 * Lines of `where:`, which leaves out what is no record; questions about what may be none. `names` are the columns that name a record,
 * `roles` those of tasks.
 */
export function whereLines(columns: Columns, names: Columns, rows: RowFacts, roles?: TaskRoles): Line[] {
  const certain = compact(withoutDeleted(columns, rows), withoutLines(columns, names, rows))
  const standing = certain.length > 0 && field('where', whereOf(certain), ...certain.map(({ why }) => why))
  const kept = rows.kept.filter(row => !certain.some(each => leaves(each, row)))
  // a name may begin with such a word, and a low priority is "baja"
  const others = [...names, ...(roles?.all('priority') ?? [])]
  const free = columns.filter(column => !others.includes(column))
  const done =
    (roles && withoutDone(roles, kept)) ?? withoutInactive(free, kept, roles ? 'tasks' : 'contacts')
  const odd = withoutTitles(columns, names, rows) ?? withoutKinds(names, kept, roles)
  const open = compact(odd ?? (roles ? undefined : withoutPlaceholders(names, kept)), done)
  const [first, another] = open
  if (first === undefined) return standing ? ['', ...standing.lines] : []
  const offer = (id: string, label: string, ...conditions: readonly Condition[]) => {
    const part = field('where', whereOf([...certain, ...conditions]))
    return { id, label, part, isTitled: another !== undefined }
  }
  const offers = open.map(each => offer(each.id, each.label, each))
  if (another) offers.push(offer('both', 'Neither', ...open))
  const place = certain.length > 0 ? 'put this in its place' : 'put this in'
  const ending = another ? 'Take one of these' : `${first.ifSo}, ${place}`
  const text = `${open.map(({ why }) => why).join(' ')} ${ending}:`
  const all = { id: 'all', label: 'Import them', part: standing || { lines: [] } }
  return ['', ...question(text, offers, all).lines]
}

const leaves = ({ column, not }: Omit<Condition, 'why'>, row: Row) =>
  not ? not.includes(textIn(row, column)) : textIn(row, column) !== ''

/** Texts of one column are in one condition; undefined leaves only empty cells. */
function whereOf(conditions: readonly Condition[]): FlowMap {
  const where: Record<string, FlowMap> = {}
  for (const { column, not } of conditions) {
    const texts = conditions.flatMap(each => (each.column === column ? (each.not ?? []) : []))
    const isFilled = texts.join('') === ''
    where[column.name] = not === undefined ? { empty: true } : isFilled ? { empty: false } : { not: texts }
  }
  return where
}

/** Rows that the export marks as deleted, by a word, a flag or a date. */
function withoutDeleted(columns: Columns, { kept }: RowFacts): Condition | undefined {
  const marked = markedRows(columns, kept, ({ column, values }) => {
    const isFlag = anyOf.removals.test(column.words.replaceAll(/\bdel\b/g, ''))
    if (isFlag && column.share('date') > 0.8) return undefined
    const isAction = anyOf.actionColumns.test(column.words)
    const actions = values.filter(text => isAction && oneOf.removals.test(wordsOf(text)))
    return [...((isFlag && yesNoWords(column)?.yes) || []), ...actions]
  })
  return (
    marked && { ...marked, why: `Rows whose ${marked.such} are left out, for they are marked as deleted.` }
  )
}

const mostTexts = 5

/**
 * Texts that a column has in these lines and in no other. Best is a name that they lack, which a row must have anyway; then words of their
 * own. A later row may lack another column, or have the same number.
 */
function telling(columns: Columns, names: Columns, lines: readonly Row[], others: readonly Row[]) {
  const rankOf = (column: Column, texts: readonly string[]) =>
    texts.join('') === '' ? (names.includes(column) ? 0 : 3) : texts.includes('') ? 2 : 1
  const found = columns.flatMap(column => {
    const not = [...new Set(lines.map(row => textIn(row, column)))]
    const isOwn = not.every(text => text === '' || hasLetter(text)) && not.length <= mostTexts
    const isUsed =
      column.isList || column.name === reservedKey || others.some(row => not.includes(textIn(row, column)))
    return isOwn && !isUsed ? [{ column, not, rank: rankOf(column, not) }] : []
  })
  return found.sort((a, b) => a.rank - b.rank)[0]
}

/** Repeated headers, totals, legends and separators. */
function withoutLines(columns: Columns, names: Columns, { kept, noRows }: RowFacts): Condition | undefined {
  if (noRows.length === 0 || noRows.length === kept.length) return undefined
  const others = kept.filter(row => !noRows.includes(row))
  const best = telling(columns, names, noRows, others)
  const why = `This leaves out the lines above that are no rows, and none of ${counted(others.length, 'other row')}.`
  return best && { ...best, why }
}

/** Lines that may be titles of what is below them, or remarks. */
function withoutTitles(columns: Columns, names: Columns, rows: RowFacts): OpenCondition | undefined {
  const { kept, noRows, titles } = rows
  const [first] = titles
  const others = kept.filter(row => !noRows.includes(row) && !titles.includes(row))
  const best = telling(columns, names, titles, others)
  if (first === undefined || best === undefined) return undefined
  const what = counted(titles.length, 'line fills', 'lines fill')
  const [text = ''] = columns.map(column => textIn(first, column)).filter(Boolean)
  const why = `${what} the first cell alone, such as ${quote(text)} in line ${first.line}. Is that a title or a remark, and no row?`
  return { ...best, id: 'no-titles', label: 'Leave them out', ifSo: 'If so', why }
}

/** Rows without a title that another column calls by words of their own, such as the notes and events of a log. */
function withoutKinds([name]: Columns, kept: readonly Row[], roles?: TaskRoles): OpenCondition | undefined {
  const full = (roles?.columns ?? []).filter(column => column.filled === column.rows && column.isVaried)
  const lacking = name ? kept.filter(row => textIn(row, name) === '') : []
  const others = kept.filter(row => !lacking.includes(row))
  const best = telling(full, [], lacking, others)
  if (name === undefined || best === undefined || lacking.length < 2) return undefined
  const which = `${quote(best.column.name)} of these is ${best.not.map(quote).join(', ')}`
  const why = `${counted(lacking.length, 'row has', 'rows have')} no ${quote(name.name)}; ${which}. Are they tasks, too?`
  return { ...best, id: 'no-kinds', label: 'Leave them out', ifSo: 'If not', why }
}

const [fewest, mostPlaceholders] = [3, 4]

/** Names of nobody, such as "unknown", and those that several rows share, while hardly any others do. */
function withoutPlaceholders([name, ...more]: Columns, kept: readonly Row[]): OpenCondition | undefined {
  if (name === undefined || more.length > 0) return undefined
  const texts = kept.map(row => textIn(row, name)).filter(Boolean)
  const different = [...new Set(texts)]
  const isShared = (text: string) =>
    !isCompanyName(text) && texts.filter(each => each === text).length >= fewest
  const shared = different.filter(isShared)
  const isOdd = shared.length < different.length * 0.1
  const not = different.filter(
    text => oneOf.placeholders.test(wordsOf(text)) || (isOdd && shared.includes(text)),
  )
  if (not.length === 0 || not.length > mostPlaceholders || not.length === different.length) return undefined
  const count = texts.filter(text => not.includes(text)).length
  const why = `${counted(count, 'row is', 'rows are')} called ${not.map(quote).join(' or ')}. Is that the name of nobody?`
  return { column: name, not, id: 'no-placeholders', label: 'Leave them out', ifSo: 'If so', why }
}

/** Tasks that are done, if others are not, and no field says when. */
function withoutDone(roles: TaskRoles, kept: readonly Row[]): OpenCondition | undefined {
  if (completedColumn(roles)?.filled) return undefined
  const own = roles.all('completed', 'status')
  // a person's table says what each status becomes
  const isTold = own.some(column => column.values.size > 1 && !yesNoWords(column))
  const all = [...own, ...(isTold ? [] : roles.free())].filter(({ worksheets }) => worksheets === undefined)
  return asked('done', 'tasks', all, kept, ({ column, values }) => {
    const flags = yesNoWords(column)?.yes
    if (flags) return own.includes(column) || oneOf.done.test(column.words) ? flags : []
    const isWord = (text: string) => own.includes(column) || hasLetter(text)
    return values.filter(text => isWord(text) && oneOf.done.test(wordsOf(text).replace(/^\d+ /, '')))
  })
}

const [active, inactive] = [forms.active, forms.inactive].map(wholeWords) as [RegExp, RegExp]
/** What is archived has a field of its own. */
const ofInactive = someWords(forms.inactive.replace('archived|', ''))

/** Records that are no longer active, if others are: by a word, a flag, or the date on which they left. */
const withoutInactive = (columns: Columns, kept: readonly Row[], what: string) =>
  asked('inactive', what, columns, kept, ({ column, values }) => {
    if (active.test(column.words)) return yesNoWords(column)?.no ?? []
    // unlike remarks
    const isFull = column.filled > column.rows / 2 && !column.shareOf(text => /(\s\S+){3}/.test(text))
    if (!ofInactive.test(column.words)) return values.filter(text => isFull && inactive.test(wordsOf(text)))
    return column.share('date') > 0.8 ? undefined : (yesNoWords(column)?.yes ?? [])
  })

/** A question whether rows with a mark are records, too. */
function asked(
  is: string,
  what: string,
  ...[columns, kept, textsIn]: Parameters<typeof markedRows>
): OpenCondition | undefined {
  const marked = markedRows(columns, kept, textsIn)
  if (marked === undefined) return undefined
  const { count, such } = marked
  const why = `In ${count} of ${counted(kept.length, 'row')} ${such}. Are these ${what} to be made, too?`
  return { ...marked, id: `not-${is}`, label: `None that are ${is}`, ifSo: 'If not', why }
}

type TextsIn = (of: { readonly column: Column; readonly values: readonly string[] }) => Condition['not']

/** The first column in which some rows, and not all, have a mark: one of these texts, or any. */
function markedRows(columns: Columns, kept: readonly Row[], textsIn: TextsIn) {
  for (const column of columns.filter(each => !each.isList)) {
    const not = textsIn({ column, values: column.hasMoreValues ? [] : [...column.values] })
    const count = kept.filter(row => leaves({ column, not }, row)).length
    const such = `${quote(column.name)} is ${not?.map(quote).join(' or ') ?? 'filled'}`
    if (count > 0 && count < kept.length) return { column, not, count, such }
  }
  return undefined
}
