import { Readable } from 'node:stream'
import { parse } from 'yaml'
import { surveyOf } from '../../src/features/draft/columns/survey.ts'
import { type Draft, draftOf } from '../../src/features/draft/draft.ts'
import { factsOf, type InitOptions, type SourceFacts } from '../../src/features/draft/drafts.ts'
import type { Row } from '../../src/model/row.ts'
import type { RecordType } from '../../src/records/kinds.ts'
import { fileWith } from './read-input.ts'

const csvFacts: SourceFacts = {
  name: 'rows.csv',
  settings: { format: 'csv', delimiter: ',', header: { type: 'first_line' }, ragged: 'invalid' },
  encoding: { name: 'utf-8', by: 'valid' },
  header: undefined,
  ...{ oddity: undefined, lists: [], sheet: undefined },
  usual: { format: true, delimiter: true, encoding: true },
}

/** A row of cells under a header, as a CSV source returns it. */
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
  const survey = surveyOf(header)
  for (const [at, cells] of rows.entries()) survey.add(rowUnder(header, cells, at + 1))
  const found = {
    source: { ...csvFacts, ...facts },
    ...survey.end(true),
    record,
    headerLine: 1,
  }
  return draftOf(found)
}

/** The draft for a file with that content, what a mapping reads of it, and its comments on one line. */
export async function draftOfFile(name: string, text: string | Buffer) {
  const draft = draftOf(await factsOf(await fileWith(name, text), {} as InitOptions, Readable.from([])))
  return { ...draft, mapping: content(draft), notes: comments(draft).replaceAll('\n', ' ') }
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

/** The suggestions in comments: their first and last line, and their key. */
export function suggestions(lines: readonly string[]): { from: number; to: number; key: string }[] {
  const end = lines.findIndex(line => line.startsWith('# Columns of this file'))
  return lines.flatMap((line, from) => {
    const [, indent, key] = /^(\s*)# ([a-z_]+):( .*)?$/.exec(line) ?? []
    if (key === undefined || (from >= end && end !== -1 && key !== 'tests')) return []
    let to = from + 1
    while (lines[to]?.startsWith(`${indent}#  `)) to += 1
    return [{ from, to, key: `${indent}${key}` }]
  })
}

/** A draft with suggestions put in, each key once: that of `first` rather than others of its key, and what stands inside of one. */
export function putIn(text: string, first = 0): string {
  const lines = text.split('\n')
  const taken = new Set(lines.flatMap(line => /^\s*[a-z_]+(?=:)/.exec(line)?.[0] ?? []))
  const all = suggestions(lines)
  const chosen = [...all.slice(first), ...all].filter(({ key }) => !taken.has(key) && taken.add(key))
  for (const { from, to } of chosen)
    for (let at = from; at < to; at += 1) lines[at] = lines[at]?.replace('# ', '') ?? ''
  return chosen.length === 0 ? text : putIn(lines.join('\n'))
}
