import type { RecordType } from '../../records/kinds.ts'
import type { Column } from './column.ts'
import type { RowFacts } from './facts.ts'
import { isNearlyAll } from './rules.ts'
import { anyOf, oneOf, vocabulary, wordList } from './words.ts'
import { flow, quote, word } from './yaml.ts'

const ids = oneOf(...vocabulary.ids)
const numbers = oneOf(...vocabulary.numbers)
const perhapsIds = oneOf(vocabulary.perhapsIds)
const notProducts = new Set(wordList(vocabulary.notProducts))
const counters = oneOf(`|${vocabulary.counters}`)
const notKeys = anyOf(vocabulary.notKeys)
const links = anyOf('url|link|profile|permalink')

const withoutNumber = (words: string) => words.replace(/ \d+$/, '')

/** Whether a column that is called so names the records themselves; `airtable record id` does as well. */
function isId(words: string): boolean {
  const [, product = '', rest = ''] = /^([a-z]{4,}) (\S+ \S+)$/.exec(words) ?? []
  return ids.test(words) || numbers.test(words) || (!notProducts.has(product) && ids.test(rest))
}

/** The sign for a counter has no words of its own. */
const isCounter = ({ words, name }: Column) => name === '#' || counters.test(words)

/** A path of NDJSON, not an abbreviation. */
const isNested = (name: string) => /\.\S/.test(name)

const addressRank = 2

/** How well a column would name the rows, the best first; undefined where it would not. */
function rankOf(column: Column, record: RecordType): number | undefined {
  const { words, fits, filled, name } = column
  if (column.isList || column.hasObjects || name === '') return undefined
  if (name === '#') return 0.9
  if (isId(withoutNumber(words)) && !isNested(name)) return words.length / 100
  if (notKeys.test(words) || isNested(name)) return undefined
  if (record === 'contact' && fits.email.count > filled / 2) return addressRank
  return filled > 0 && fits.url.count === filled && links.test(words) ? 3 : undefined
}

/** Lines about `key:`: the column that names every row, or why none does. */
export function keyLines(
  columns: readonly Column[],
  record: RecordType,
  { rows, isAll }: RowFacts,
): string[] {
  const ranked = columns
    .map(column => ({ column, rank: rankOf(column, record) ?? Number.NaN }))
    .filter(({ rank }) => !Number.isNaN(rank))
    .sort((a, b) => a.rank - b.rank)
  const counter = columns.find(column => column.countsUp && column.isDistinct && isCounter(column))
  const isUsable = (column: Column) => column !== counter && column.isDistinct && rows > 1
  const best = ranked.find(
    ({ column, rank }) => isUsable(column) && (rank !== addressRank || isNearlyAll(column.fits.email)),
  )?.column
  const basis = isAll ? '' : ` among the first ${rows.toLocaleString('en')} rows`
  if (best !== undefined)
    return [
      `# ${flow(best.name)} is filled and different in every row${basis}, so it is the key. A nightly job wants one:`,
      '# a row that was changed stays the same row, and an export of only what is new makes no second record.',
      `key: ${word(best.name)}`,
    ]
  const asked = columns.find(column => isUsable(column) && perhapsIds.test(withoutNumber(column.words)))
  return [
    '# Without a key, a row is known by all that it holds: a row that was changed is a new row. A nightly job wants a key.',
    ...(asked
      ? [
          `# ${flow(asked.name)} is different in every row${basis}. Does a record keep it for good? Then put this in:`,
          `# key: ${word(asked.name)}`,
        ]
      : whyNone(ranked[0]?.column, rows)),
    ...(counter
      ? [
          `# ${flow(counter.name)} only counts the rows; its numbers move when a row is added or sorted: no key.`,
        ]
      : []),
  ]
}

function whyNone(nearest: Column | undefined, rows: number): string[] {
  if (nearest === undefined || rows < 2)
    return [
      '# It is a column that is filled and different in every row:',
      `# key: ${nearest ? word(nearest.name) : 'COLUMN'}`,
    ]
  const { name, repeated, filled } = nearest
  const empty = nearest.rows - filled
  const reason = repeated
    ? `line ${repeated.line} repeats ${quote(repeated.text)} of line ${repeated.earlier}`
    : empty > 0
      ? `${empty.toLocaleString('en')} of ${nearest.rows.toLocaleString('en')} rows have none`
      : 'not all of its values can name a row'
  return [
    `# ${flow(name)} would be one, but ${reason}.`,
    '# With it, rows that share a value are one record, and rows without one are known by all that they hold:',
    `# key: ${word(name)}`,
  ]
}
