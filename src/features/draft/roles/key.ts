import type { Column, Columns } from '../columns/column.ts'
import type { RowFacts } from '../columns/survey.ts'
import { anyOf, oneOf, vocabulary, wordList } from '../columns/words.ts'
import { isNearlyAll } from '../fields/rules.ts'
import { asQuestion, comment, compact, flow, quote, word } from '../yaml.ts'

/** The kind of all rows. */
export type RowKind = 'person' | 'organization' | 'task'

const ids = oneOf(vocabulary.ids)
const numbers = oneOf(vocabulary.numbers)
const perhapsIds = oneOf(vocabulary.perhapsIds)
const notProducts = new Set(wordList(vocabulary.notProducts))
const counters = oneOf(`#?|${vocabulary.counters}`)
const notKeys = anyOf(vocabulary.notKeys)
const links = anyOf('url|link|profile|permalink')

const foreignIds = Object.fromEntries(
  Object.entries(vocabulary.foreignIds).map(([kind, words]) => [kind, anyOf(words)]),
) as Record<RowKind, RegExp>
const lesserIds = anyOf(vocabulary.lesserIds)
const roomsAndPhones = new RegExp(
  `${anyOf(vocabulary.notNames).source}|hausn|zimmern|telefon|telnr|faxn`,
  'u',
)

/** Name without a number, and without the ending of a custom field. */
const plainWords = ({ words }: Column) => words.replace(/ (\d+|c)$/, '')

/** A path of NDJSON, not an abbreviation. */
const isNested = ({ name }: Column) => /\.\S/.test(name)

/** It names an account, an owner or a project. */
const isForeign = (column: Column, kind: RowKind) => foreignIds[kind].test(plainWords(column))

/** The header is that of an id or a code, of whatever it is. */
export const isCode = ({ words }: Column): boolean => ids.test(words) || numbers.test(words)

/** The id of what the row is, such as `airtable record id`. */
function isId(column: Column, kind: RowKind): boolean {
  const words = plainWords(column)
  const [, product = '', rest = ''] = /^([a-z]{4,}) (\S+ \S+)$/.exec(words) ?? []
  const isCalledSo = ids.test(words) || numbers.test(words) || (!notProducts.has(product) && ids.test(rest))
  return isCalledSo && !isForeign(column, kind)
}

const isUuid = (text: string) => /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(text)

/** The best first: ids, then addresses, then links. */
function candidates(all: Columns, kind: RowKind): Column[] {
  const columns = all.filter(
    ({ isList, name, words }) => !isList && name !== '' && !roomsAndPhones.test(words),
  )
  const own = columns.filter(column => !notKeys.test(column.words) && !isNested(column))
  const rank = (column: Column) =>
    (lesserIds.test(column.words) ? 1e3 : 0) - (column.shareOf(isUuid) === 1 ? 1e2 : 0) + column.words.length
  return [
    ...columns.filter(column => isId(column, kind)).sort((a, b) => rank(a) - rank(b)),
    ...columns.filter(({ name }) => name === '#'),
    ...own.filter(column => kind !== 'task' && column.share('email') > 0.5),
    ...own.filter(column => column.share('url') === 1 && links.test(column.words)),
  ]
}

/** Lines about `key:`: the column that identifies every row, or why there is none. */
export function keyLines(columns: Columns, kind: RowKind, { rows, isAll }: RowFacts): string[] {
  const found = candidates(columns, kind)
  const counter = columns.find(
    ({ countsUp, isDistinct, words }) => countsUp && isDistinct && counters.test(words),
  )
  const isUsable = (column: Column) => column !== counter && column.isDistinct && rows > 1
  const best = found.find(
    column =>
      isUsable(column) &&
      (isId(column, kind) || column.share('email') < 0.5 || isNearlyAll(column.fits.email)),
  )
  const basis = isAll ? '' : ` among the first ${rows.toLocaleString('en')} rows`
  if (best !== undefined)
    return [
      `# ${flow(best.name)} is filled and different in every row${basis}${best.share('email') > 0.5 ? ', in whatever case' : ''}, so it is the key. A nightly job wants one:`,
      '# a row that was changed stays the same row, and an export of only what is new makes no second record.',
      `key: ${word(best.name)}`,
    ]
  const perhaps = columns.find(
    column => isUsable(column) && perhapsIds.test(plainWords(column)) && !isForeign(column, kind),
  )
  const question = `is different in every row${basis}. Does a record keep it for good? Then put this in:`
  return compact(
    'Without a key, a row is known by all that it holds: a row that was changed is a new row. A nightly job wants a key.',
    ...(perhaps ? [asQuestion(`${flow(perhaps.name)} ${question}`)] : whyNone(found[0], rows)),
    `key: ${word((perhaps ?? found[0])?.name ?? 'COLUMN')}`,
    counter &&
      `${flow(counter.name)} only counts the rows; its numbers move when a row is added or sorted: no key.`,
  ).map(comment)
}

function whyNone(nearest: Column | undefined, rows: number): string[] {
  if (nearest === undefined || rows < 2) return ['It is a column that is filled and different in every row:']
  const { name, repeated, filled } = nearest
  if (repeated && filled > 3 && isCode(nearest) && nearest.samples.size <= Math.min(filled, 60) / 2)
    return [
      asQuestion(
        `Line ${repeated.line} repeats ${quote(repeated.text)} of line ${repeated.earlier} in ${flow(name)}. Are all rows of one value one record, made from the first of them? Then put this in:`,
      ),
    ]
  const empty = nearest.rows - filled
  const reason = repeated
    ? `line ${repeated.line} repeats ${quote(repeated.text)} of line ${repeated.earlier}`
    : empty > 0
      ? `${empty.toLocaleString('en')} of ${nearest.rows.toLocaleString('en')} rows have none`
      : 'not all of its values can name a row'
  return [
    `${flow(name)} would be one, but ${reason}.`,
    'With it, rows that share a value are one record, and rows without one are known by all that they hold:',
  ]
}
