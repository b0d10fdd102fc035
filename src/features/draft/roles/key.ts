import { grouped } from '../../../output/text.ts'
import { type Column, type Columns, isNearlyAll } from '../columns/column.ts'
import type { RowFacts } from '../columns/survey.ts'
import { anyOf, oneOf } from '../columns/words.ts'
import { textIn } from '../fields/rules.ts'
import { comment, compact, field, flow, type Line, quote, suggestion, word } from '../yaml.ts'

export type RowKind = 'person' | 'organization' | 'task'

/** Ids of accounts, owners or projects. */
const { foreignToPerson: person, foreignToOrganization: organization, foreignToTask: task } = anyOf
const foreignIds = { person, organization, task }
const isForeign = (column: Column, kind: RowKind) => foreignIds[kind].test(plainWords(column))

/** The words without a number, and without the ending of a custom field. */
const plainWords = ({ words }: Column) => words.replace(/ (\d+|c)$/, '')

/** The words are those of an id or a code, of whatever it is. */
export const isCode = (words: string): boolean => oneOf.ids.test(words) || oneOf.numbers.test(words)

/** The column holds the id of what the row is, such as `airtable record id`. */
function isId(column: Column, kind: RowKind): boolean {
  const words = plainWords(column)
  const [, product = '', rest = ''] = /^([a-z]{4,}) (\S+ \S+)$/.exec(words) ?? []
  const isOfProduct = !oneOf.notProducts.test(product) && oneOf.ids.test(rest)
  return (isCode(words) || isOfProduct) && !isForeign(column, kind)
}

const isUuid = (text: string) => /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(text)

/** The best first: ids, then addresses, then links. */
function candidates(all: Columns, kind: RowKind): Column[] {
  const named = all.filter(({ isList, name }) => !isList && name !== '')
  const columns = named.filter(({ words }) => !anyOf.notNames.test(words))
  // A dot is in a path of NDJSON; after an abbreviation comes a blank.
  const own = columns.filter(({ name, words }) => !anyOf.notKeys.test(words) && !/\.\S/.test(name))
  const isLink = ({ words }: Column) => /\b(url|link|profile|permalink)\b/.test(words)
  const rank = (column: Column) =>
    (anyOf.lesserIds.test(column.words) ? 1e3 : 0) -
    (column.shareOf(isUuid) === 1 ? 1e2 : 0) +
    column.words.length
  return [
    ...columns.filter(column => isId(column, kind)).sort((a, b) => rank(a) - rank(b)),
    ...columns.filter(({ name }) => name === '#'),
    ...own.filter(column => kind !== 'task' && column.share('email') > 0.5),
    ...own.filter(column => column.share('url') === 1 && isLink(column)),
  ]
}

/** Lines about `key:`: the column that identifies every row, or why there is none. */
export function keyLines(columns: Columns, kind: RowKind, facts: RowFacts, names: Columns): readonly Line[] {
  const { rows, isAll } = facts
  const all = candidates(columns, kind)
  const counter = columns.find(
    ({ countsUp, isDistinct, words }) => countsUp && isDistinct && oneOf.counters.test(words),
  )
  const usable = (column: Column) => column !== counter && column.isDistinct && rows > 1
  const isTrusted = (column: Column) =>
    isId(column, kind) || column.share('email') < 0.5 || isNearlyAll(column.fits.email)
  const best = all.find(column => usable(column) && isTrusted(column))
  const basis = isAll ? '' : ` among the first ${grouped(rows)} rows`
  if (best !== undefined)
    return [
      `# ${flow(best.name)} is filled and different in every row${basis}${best.share('email') > 0.5 ? ', in whatever case' : ''}, so it is the key. A nightly job wants one:`,
      '# a row that was changed stays the same row, and an export of only what is new makes no second record.',
      `key: ${word(best.name)}`,
    ]
  const isPerhaps = (column: Column) => oneOf.perhapsIds.test(plainWords(column)) && !isForeign(column, kind)
  const perhaps = columns.find(
    column => usable(column) && isPerhaps(column) && column.share('international') === 0,
  )
  const [nearest] = all
  const isShared = perhaps === undefined && nearest !== undefined && isOfSeveral(nearest, names, facts)
  const question = `is different in every row${basis}. Does a record keep it for good? Then put this in:`
  const why = perhaps ? [`? ${flow(perhaps.name)} ${question}`] : whyNone(nearest, rows, isShared)
  const [note, counting] = [
    'Without a key, a row is known by all that it holds: a row that was changed is a new row. A nightly job wants a key.',
    counter &&
      `${flow(counter.name)} only counts the rows; its numbers move when a row is added or sorted: no key.`,
  ]
  const key = field('key', (perhaps ?? nearest)?.name ?? 'COLUMN')
  const lines = isShared ? why.map(comment) : suggestion(key, ...why).lines
  return [comment(note), ...lines, ...compact(counting).map(comment)]
}

/** Rows that share a value are called otherwise, so they are not one record. */
function isOfSeveral(column: Column, names: Columns, { kept }: RowFacts): boolean {
  const called = new Map<string, string>()
  return kept.some(row => {
    const value = textIn(row, column)
    const name = names.map(each => textIn(row, each).toLowerCase()).join(' ')
    if (value === '' || name.trim() === '') return false
    const first = called.get(value) ?? name
    called.set(value, first)
    return first !== name
  })
}

function whyNone(nearest: Column | undefined, rows: number, isShared: boolean): string[] {
  if (nearest === undefined || rows < 2) return ['It is a column that is filled and different in every row:']
  const { name, words, repeated, filled, samples } = nearest
  const repeats = repeated && `repeats ${quote(repeated.text)} of line ${repeated.earlier}`
  if (repeated && isShared)
    return [
      `${flow(name)} would be one, but line ${repeated.line} ${repeats}, and rows that share it have other names.`,
    ]
  if (repeated && filled > 3 && isCode(words) && samples.size <= Math.min(filled, 60) / 2)
    return [
      `? Line ${repeated.line} ${repeats} in ${flow(name)}. Are all rows of one value one record, made from the first of them? Then put this in:`,
    ]
  const empty = nearest.rows - filled
  const lacks = `${grouped(empty)} of ${grouped(nearest.rows)} rows have none`
  const reason = repeated && `line ${repeated.line} ${repeats}`
  return [
    `${flow(name)} would be one, but ${reason ?? (empty > 0 ? lacks : 'not all of its values can name a row')}.`,
    'With it, rows that share a value are one record, and rows without one are known by all that they hold:',
  ]
}
