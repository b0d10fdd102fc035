import { parse } from 'yaml'
import { type Draft, draftOf } from '../../src/mapping/guess/draft.ts'
import type { SourceFacts } from '../../src/mapping/guess/facts.ts'
import { Survey } from '../../src/mapping/guess/survey.ts'
import type { Row } from '../../src/model/row.ts'
import type { RecordType } from '../../src/records/kinds.ts'

export const csvFacts: SourceFacts = {
  name: 'rows.csv',
  format: 'csv',
  delimiter: ',',
  encoding: 'utf-8',
  usual: { format: true, delimiter: true, encoding: true },
  header: { is: 'first_line' },
  notes: [],
}

/** A row of cells under a header, as a CSV source gives it. */
function rowUnder(header: readonly string[], cells: readonly string[], row: number): Row {
  const at = (name: string) =>
    header.flatMap((column, index) => (column === name ? [cells[index] ?? ''] : []))
  return {
    source: 'rows.csv',
    row,
    line: row + 1,
    value: column => {
      const values = at(column)
      return values.length > 1 ? values : values[0]
    },
    cells: () => cells.map((cell, index) => [header[index] ?? '', cell] as const),
  }
}

/** The draft for a table whose first line is its header; cells are separated by commas, and trimmed. */
export function draftFor(table: string, record?: RecordType, facts: Partial<SourceFacts> = {}): Draft {
  const [header = [], ...rows] = table
    .trim()
    .split('\n')
    .map(line => line.split(',').map(cell => cell.trim()))
  return draftOfCells(header, rows, record, facts)
}

/** The draft for cells under a header. */
export function draftOfCells(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  record?: RecordType,
  facts: Partial<SourceFacts> = {},
): Draft {
  const survey = new Survey(header)
  for (const [at, cells] of rows.entries()) survey.add(rowUnder(header, cells, at + 1))
  const found = {
    source: { ...csvFacts, ...facts },
    rows: survey.facts(true),
    columns: survey.columns,
    wishes: { record },
    headerLine: 1,
  }
  return draftOf(found, undefined)
}

/** A draft as a mapping is read. */
// biome-ignore lint/suspicious/noExplicitAny: looked into freely, what it holds is what the test asserts
export const content = (draft: Draft): any => parse(draft.text)

/** The comments of a draft, as one text. */
export const comments = ({ text }: Draft): string =>
  text
    .split('\n')
    .filter(line => line.trim().startsWith('#'))
    .map(line => line.trim().replace(/^[# ]+/, ''))
    .join('\n')
