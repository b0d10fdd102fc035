import type { RecordType } from '../../records/kinds.ts'
import type { Column, Columns } from './column.ts'
import { isNearlyAll } from './rules.ts'
import type { RowFacts } from './survey.ts'
import { anyOf, oneOf, vocabulary, wordList } from './words.ts'
import { comment, compact, flow, quote, word } from './yaml.ts'

const ids = oneOf(vocabulary.ids)
const numbers = oneOf(vocabulary.numbers)
const perhapsIds = oneOf(vocabulary.perhapsIds)
const notProducts = new Set(wordList(vocabulary.notProducts))
const counters = oneOf(`|${vocabulary.counters}`)
const notKeys = anyOf(vocabulary.notKeys)
const links = anyOf('url|link|profile|permalink')

const withoutNumber = (words: string) => words.replace(/ \d+$/, '')

/** A path of NDJSON, not an abbreviation. */
const isNested = ({ name }: Column) => /\.\S/.test(name)

/** Such as `airtable record id`. */
function isId(column: Column): boolean {
  const words = withoutNumber(column.words)
  const [, product = '', rest = ''] = /^([a-z]{4,}) (\S+ \S+)$/.exec(words) ?? []
  const isCalledSo = ids.test(words) || numbers.test(words) || (!notProducts.has(product) && ids.test(rest))
  return isCalledSo && !isNested(column)
}

/** The best first: ids, then addresses, then links. */
function candidates(all: Columns, record: RecordType): Column[] {
  const columns = all.filter(({ isList, hasObjects, name }) => !isList && !hasObjects && name !== '')
  const own = columns.filter(column => !notKeys.test(column.words) && !isNested(column))
  return [
    ...columns.filter(isId).sort((a, b) => a.words.length - b.words.length),
    ...columns.filter(({ name }) => name === '#'),
    ...own.filter(column => record === 'contact' && column.share('email') > 0.5),
    ...own.filter(column => column.share('url') === 1 && links.test(column.words)),
  ]
}

/** Lines about `key:`: the column that identifies every row, or why there is none. */
export function keyLines(columns: Columns, record: RecordType, { rows, isAll }: RowFacts): string[] {
  const found = candidates(columns, record)
  const counter = columns.find(
    ({ countsUp, isDistinct, words, name }) =>
      countsUp && isDistinct && (name === '#' || counters.test(words)),
  )
  const isUsable = (column: Column) => column !== counter && column.isDistinct && rows > 1
  const best = found.find(
    column =>
      isUsable(column) && (isId(column) || column.share('email') < 0.5 || isNearlyAll(column.fits.email)),
  )
  const basis = isAll ? '' : ` among the first ${rows.toLocaleString('en')} rows`
  if (best !== undefined)
    return [
      `# ${flow(best.name)} is filled and different in every row${basis}, so it is the key. A nightly job wants one:`,
      '# a row that was changed stays the same row, and an export of only what is new makes no second record.',
      `key: ${word(best.name)}`,
    ]
  const asked = columns.find(column => isUsable(column) && perhapsIds.test(withoutNumber(column.words)))
  const question = `is different in every row${basis}. Does a record keep it for good? Then put this in:`
  return compact(
    'Without a key, a row is known by all that it holds: a row that was changed is a new row. A nightly job wants a key.',
    ...(asked ? [`${flow(asked.name)} ${question}`] : whyNone(found[0], rows)),
    `key: ${word((asked ?? found[0])?.name ?? 'COLUMN')}`,
    counter &&
      `${flow(counter.name)} only counts the rows; its numbers move when a row is added or sorted: no key.`,
  ).map(comment)
}

function whyNone(nearest: Column | undefined, rows: number): string[] {
  if (nearest === undefined || rows < 2) return ['It is a column that is filled and different in every row:']
  const { name, repeated, filled } = nearest
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
