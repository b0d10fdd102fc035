import type { RaggedRows, RowFacts, SourceFacts } from './facts.ts'
import { oddityLines } from './oddities.ts'
import { isPadded } from './source-part.ts'
import { quote } from './yaml-words.ts'

const number = (count: number) => count.toLocaleString('en')
const many = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? '' : 's'}`

/** The first lines of a draft: what was found. */
export function openingLines(
  source: SourceFacts,
  rows: RowFacts,
  columns: number,
  headerLine: number | undefined,
): string[] {
  const how =
    source.format === 'ndjson'
      ? 'NDJSON'
      : `CSV with ${source.delimiter === '\t' ? 'tabs' : source.delimiter === ',' ? 'commas' : quote(source.delimiter ?? ',')}`
  const header =
    source.format === 'ndjson'
      ? []
      : [headerLine === undefined ? 'no header' : `header on line ${headerLine}`]
  const total = rows.isAll ? many(rows.rows, 'row') : `more than ${many(rows.rows, 'row')}`
  const found = [
    `${how} in ${source.encoding}`,
    ...header,
    many(columns, source.format === 'ndjson' ? 'key' : 'column'),
    total,
  ]
  return [
    `# A draft for ${quote(source.name === '-' ? 'standard input' : source.name)}: ${found.join(', ')}.`,
    ...(rows.isAll
      ? []
      : ['# What is said of the rows below holds for those that were read, the first ones.']),
    ...oddityLines(source.oddities),
    ...headerAgain(rows.headers),
    ...raggedLines(rows.ragged, isPadded(rows)),
  ]
}

function headerAgain(lines: readonly number[]): string[] {
  const [first] = lines
  if (first === undefined) return []
  const few = `${lines.slice(0, 5).join(', ')}${lines.length > 5 ? ', …' : ''}`
  return [
    lines.length === 1
      ? `# Line ${first} repeats the header. No rule tells it from a row: take it out, or it is refused or becomes a record.`
      : `# Lines ${few} repeat the header. No rule tells them from rows: take them out, or they are refused or become records.`,
  ]
}

function raggedLines({ short, shortCount, long, longCount, broken }: RaggedRows, padded: boolean): string[] {
  const at = (lines: readonly number[], count: number) =>
    `line${count === 1 ? '' : 's'} ${lines.join(', ')}${count > lines.length ? ', …' : ''}`
  return [
    ...(shortCount > 0
      ? [
          `# ${many(shortCount, 'row')} (${at(short, shortCount)}) ${shortCount === 1 ? 'has' : 'have'} fewer cells than the header${padded ? '; the cells that are missing are read as empty' : ' and will be invalid, for nobody can know which cell is missing'}.`,
        ]
      : []),
    ...(longCount > 0
      ? [
          `# ${many(longCount, 'row')} (${at(long, longCount)}) ${longCount === 1 ? 'has' : 'have'} more cells than the header and will be invalid.`,
        ]
      : []),
    ...(broken > 0
      ? [`# ${many(broken, 'line')} ${broken === 1 ? 'is' : 'are'} no JSON object and will be invalid.`]
      : []),
  ]
}
