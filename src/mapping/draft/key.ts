import type { RecordType } from '../../records/kinds.ts'
import type { Column } from './column.ts'
import type { RowFacts } from './facts.ts'
import { isIdWord, mayBeIdWord } from './id-words.ts'
import { isNearlyAll } from './rules.ts'
import { flow, quote, word } from './yaml-words.ts'

const ofAnother =
  /\b(owner|parent|company|organi[sz]ation|assignee|assigned|user|creator|created|reporter|author|project|list|section|board|team|manager|master|column|phone|tel|fax|mobile|zip|postal|house|order|vat|tax|group|space|folder|sprint|milestone|country|version)\b/
const counters =
  /^(|no|nr|num|row|row number|row no|line|line number|index|idx|lfd nr|lfd|pos|position|rank|sl no|s no|sr no|serial no|serial number|номер|пп)$/

/** A path of NDJSON, not an abbreviation. */
const isNested = (name: string) => /\.\S/.test(name)

const addresses = 2

interface Candidate {
  readonly column: Column
  readonly rank: number
}

/** Lines about `key:`: the column that names every row, or why none does; `used` are those of phones and addresses. */
export function keyLines(
  all: readonly Column[],
  record: RecordType,
  { rows, isAll }: RowFacts,
  used: ReadonlySet<Column>,
): string[] {
  const columns = all.filter(column => !used.has(column))
  const ranked = columns.flatMap(column => rankOf(column, record)).sort((a, b) => a.rank - b.rank)
  const counter = columns.find(column => column.countsUp && column.isDistinct && isCounter(column))
  const usable = ranked.filter(({ column, rank }) => column !== counter && isWhole(column, rank) && rows > 1)
  const [best] = usable
  const basis = isAll ? '' : ` among the first ${rows.toLocaleString('en')} rows`
  if (best !== undefined)
    return [
      `# ${flow(best.column.name)} is filled and different in every row${basis}, so it names rows from run to run. A nightly job wants that:`,
      '# a row that was changed stays the same row, and an export of only what is new makes no second record.',
      `key: ${word(best.column.name)}`,
    ]
  const asked = columns.find(
    column => column !== counter && column.isDistinct && rows > 1 && mayBeIdWord(column.words),
  )
  return [...(asked ? question(asked, basis) : why(ranked, rows)), ...aboutCounter(counter)]
}

function rankOf(column: Column, record: RecordType): Candidate[] {
  const { words, fits, filled, isList, hasObjects, name } = column
  if (isList || hasObjects || name === '') return []
  const isOther = ofAnother.test(words) || isNested(name)
  if (name === '#') return [{ column, rank: 0.9 }]
  if (isIdWord(words) && !isNested(name)) return [{ column, rank: words.length / 100 }]
  if (record === 'contact' && fits.email.count > filled / 2 && !isOther) return [{ column, rank: addresses }]
  if (
    filled > 0 &&
    fits.url.count === filled &&
    /(^| )(url|link|profile|permalink)( |$)/.test(words) &&
    !isOther
  )
    return [{ column, rank: 3 }]
  return []
}

/** An address that is none names nobody. */
const isWhole = (column: Column, rank: number) =>
  column.isDistinct && (rank !== addresses || isNearlyAll(column.fits.email))

const isCounter = ({ words, name }: Column) => name === '#' || counters.test(words)

const unnamed = 'Without a key, rows are named by all that they hold: a row that was changed is a new row.'

const question = ({ name }: Column, basis: string): string[] => [
  `# ${unnamed} A nightly job wants a key.`,
  `# ${flow(name)} is different in every row${basis}. Does a record keep it for good? Then put this in:`,
  `# key: ${word(name)}`,
]

function why(ranked: readonly Candidate[], rows: number): string[] {
  const [nearest] = ranked
  if (nearest === undefined || rows < 2)
    return [
      `# ${unnamed} A nightly job wants a column that names every row:`,
      `# key: ${nearest === undefined ? 'COLUMN' : word(nearest.column.name)}`,
    ]
  const { column } = nearest
  const reason =
    column.repeated !== undefined
      ? `line ${column.repeated.line} repeats ${quote(column.repeated.text)} of line ${column.repeated.earlier}`
      : column.filled < column.rows
        ? `${(column.rows - column.filled).toLocaleString('en')} of ${column.rows.toLocaleString('en')} rows have none`
        : 'not all of its values can name a row'
  return [
    `# ${unnamed} A nightly job wants a key; ${flow(column.name)} would be one, but ${reason}.`,
    '# With it, rows that share a value are one record, and rows without one are named by all that they hold:',
    `# key: ${word(column.name)}`,
  ]
}

const aboutCounter = (counter: Column | undefined): string[] =>
  counter === undefined
    ? []
    : [
        `# ${flow(counter.name)} only counts the rows, and its numbers move when a row is added or sorted: no key.`,
      ]
