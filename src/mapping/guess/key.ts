import type { RecordType } from '../../records/kinds.ts'
import type { Column } from './column.ts'
import type { RowFacts } from './facts.ts'
import { flow, quote, word } from './yaml-words.ts'

const idWord =
  /(^| )(id|ids|key|uuid|guid|uid|ref|reference|code|number|nr|no|nummer|numero|sku|ticket|номер|код|编号|番号|leid|euid|record)$|(nummer|номер|番号|编号)$|^(id|task id|record id|issue key)( |$)/
const ofAnother =
  /\b(owner|parent|company|organi[sz]ation|assignee|assigned|user|creator|created|reporter|author|project|list|section|board|team|manager|master|column|phone|tel|fax|mobile|zip|postal|house|order|vat|tax|group|space|folder|sprint|milestone|country|version)\b/
const counters =
  /^(|no|nr|num|row|row number|row no|line|line number|index|idx|lfd nr|lfd|pos|position|rank|sl no|s no|sr no|serial no|serial number|номер|пп)$/

interface Candidate {
  readonly column: Column
  readonly rank: number
}

/** Lines about `key:`: the column that names every row, or why none does. */
export function keyLines(
  columns: readonly Column[],
  record: RecordType,
  { rows, isAll }: RowFacts,
): string[] {
  const ranked = columns.flatMap(column => rankOf(column, record)).sort((a, b) => a.rank - b.rank)
  const counter = columns.find(column => column.countsUp && column.isDistinct && isCounter(column))
  const usable = ranked.filter(({ column }) => column !== counter && column.isDistinct && rows > 1)
  const [best] = usable
  const basis = isAll ? '' : ` among the first ${rows.toLocaleString('en')} rows`
  if (best !== undefined)
    return [
      `# ${flow(best.column.name)} is filled and different in every row${basis}, so it names rows from run to run. A nightly job wants that:`,
      '# a row that was changed stays the same row, and an export of only what is new makes no second record.',
      `key: ${word(best.column.name)}`,
    ]
  return [...why(ranked, rows), ...aboutCounter(counter)]
}

function rankOf(column: Column, record: RecordType): Candidate[] {
  const { words, fits, filled, isList, hasObjects, name } = column
  if (isList || hasObjects || name === '') return []
  const isOther = ofAnother.test(words) || name.includes('.')
  if (name === '#') return [{ column, rank: 0.9 }]
  if (!isOther && (idWord.test(words) || idWord.test(words.replace(/ \d+$/, ''))))
    return [{ column, rank: words.length / 100 }]
  if (record === 'contact' && filled > 0 && fits.email.count === filled && !isOther)
    return [{ column, rank: 2 }]
  if (
    filled > 0 &&
    fits.url.count === filled &&
    /(^| )(url|link|profile|permalink)( |$)/.test(words) &&
    !isOther
  )
    return [{ column, rank: 3 }]
  return []
}

const isCounter = ({ words, name }: Column) => name === '#' || counters.test(words)

function why(ranked: readonly Candidate[], rows: number): string[] {
  const [nearest] = ranked
  const nothing = 'Without a key, rows are named by all that they hold: a row that was changed is a new row.'
  if (nearest === undefined || rows < 2)
    return [
      `# ${nothing} A nightly job wants a column that names every row:`,
      `# key: ${nearest === undefined ? 'COLUMN' : word(nearest.column.name)}`,
    ]
  const { column } = nearest
  const reason =
    column.repeated !== undefined
      ? `line ${column.repeated.line} repeats ${quote(column.repeated.text)} of line ${column.repeated.earlier}`
      : `${(column.rows - column.filled).toLocaleString('en')} of ${column.rows.toLocaleString('en')} rows have none`
  return [
    `# ${nothing} A nightly job wants a key; ${flow(column.name)} would be one, but ${reason}.`,
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
