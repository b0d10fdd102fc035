// Looks at the first rows of an import, before its first call, and tells what a careful person would ask about. It refuses nothing.

import { decode } from '../../input/decode.ts'
import type { CheckedSource } from '../../input/open.ts'
import { isPacked } from '../../input/source.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import type { Rule } from '../../mapping/rule.ts'
import type { Row } from '../../model/row.ts'
import { present } from '../../model/values.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import type { Opening } from '../../store/files/lines.ts'
import { inWholeNumbers, readingOf, shapeOfThousands } from './shapes.ts'
import { isLegend, isTotal, tableBelow } from './totals.ts'

export const withSanityChecks = (prepared: PreparedImport): PreparedImport => ({
  ...prepared,
  async inspect(rows, before) {
    for (const source of prepared.sources) {
      const own = rows.filter(row => row.source === source.path)
      const lines = own.flatMap(({ isHidden, line }) => (isHidden ? line : []))
      if (lines.length > 0) prepared.ports.emit({ type: 'hidden_rows', source: source.path, lines })
      await tellTotals(source, own, prepared)
    }
    const selected = rows.filter(row => isSelected(row, prepared))
    tellWordsForNothing(selected, prepared)
    const shapes = compareShapes(selected, before, prepared)
    return Object.keys(shapes).length > 0 ? { shapes } : {}
  },
})

const isSelected = (row: Row, { mapping }: PreparedImport) =>
  row.fault === undefined && !row.isHeader && mapping.selects(row)

const mostTotals = 3

/** Looks at the end of a table on disk, too. */
async function tellTotals(source: CheckedSource, rows: readonly Row[], prepared: PreparedImport) {
  const { path, columns = [] } = source
  if (columns.length < 2) return
  const found = (from: readonly Row[]) => {
    const texts = from.map(row => [...row.cells()].map(([, cell]) => String(cell).trim()))
    const below = tableBelow(
      from.map(({ line }) => line),
      texts,
    )
    return from.flatMap((row, at) => {
      const { [at]: cells = [] } = texts
      const isOdd = isTotal(cells) || at === below || (at >= from.length - mostLast && isLegend(cells))
      const isRead = isOdd && (row.fault !== undefined || isSelected(row, prepared))
      return isRead ? { line: row.line, text: cells.find(Boolean) ?? '' } : []
    })
  }
  const first = found(rows)
  const last = first.length > 0 ? [] : found(await lastRows(source))
  const all = [...first, ...last.map(({ text }) => ({ line: undefined, text }))]
  for (const each of all.slice(0, mostTotals))
    prepared.ports.emit({ type: 'total_found', source: path, ...each })
}

const endBytes = 16_000
const mostLast = 5

/** The last rows of a file of text, without their lines; none if its end cannot be read alone. */
async function lastRows({ path, size = 0, file }: CheckedSource): Promise<Row[]> {
  if (file?.rowsFrom === undefined || isPacked(path)) return []
  const last: Row[] = []
  try {
    const chunks: Buffer[] = []
    for await (const chunk of file.bytesFrom(Math.max(0, size - endBytes))) chunks.push(chunk)
    const end = Buffer.concat(chunks)
    const lines = decode([end.subarray(end.indexOf('\n') + 1)], { encoding: file.encoding }, path)
    for await (const batch of file.rowsFrom(lines, { firstRow: 1, firstLine: 1 })) last.push(...batch)
  } catch {
    // it began within a cell, or in an encoding of several bytes
  }
  return last
}

/** Words that programs write for nothing. A person may have the name Nan, but not twice in a thousand rows. */
const wordsForNothing = new Set('nan NaN NAN None null NULL N/A n/a <NA> NaT undefined'.split(' '))
const fewest = 2

function tellWordsForNothing(rows: readonly Row[], { mapping, ports }: PreparedImport): void {
  const names = new Set(rows.flatMap(row => [...row.cells()].map(([name]) => name)))
  for (const column of names) {
    if (mapping.columns.fieldsOf(column).length === 0) continue
    const found = textsOf(column, rows, mapping).filter(
      text => wordsForNothing.has(text) && !isExpected(text, column, mapping),
    )
    if (found.length >= fewest)
      ports.emit({ type: 'words_for_nothing', column, words: [...new Set(found)], rows: found.length })
  }
}

/** A rule maps or replaces the word. */
const isExpected = (text: string, column: string, mapping: Mapping) =>
  mapping.columns.rules.some(
    rule =>
      columnsOf(rule, mapping).includes(column) &&
      (Object.hasOwn(rule.map ?? {}, text) ||
        rule.replace?.some(({ pattern }) => new RegExp(pattern, 'u').test(text))),
  )

/** Tells what the mapping may misread, and what the last run had otherwise; returns the shapes of all columns that are known. */
function compareShapes(
  rows: readonly Row[],
  before: Opening | undefined,
  { mapping, ports }: PreparedImport,
) {
  const shapes: Record<string, string> = { ...before?.shapes }
  for (const rule of mapping.columns.rules)
    for (const column of columnsOf(rule, mapping)) {
      const { shapeOf = () => undefined, read = [] } = readingOf(rule) ?? {}
      const { [column]: last } = shapes
      const texts = textsOf(column, rows, mapping)
      const found = texts.flatMap(text => shapeOf(text) ?? [])
      const isWhole = [last, ...found].includes(inWholeNumbers)
      const proved = found.filter(shape => shape !== inWholeNumbers)
      const isLikely = isWhole && proved.length === 0
      const shown = isLikely ? texts.flatMap(shapeOfThousands) : proved
      const [shape, ...others] = new Set(shown)
      if (isLikely) shapes[column] = last ?? inWholeNumbers
      else if (shape !== undefined && others.length === 0) shapes[column] = shape
      if (shape === undefined || others.length > 0) continue
      if (last !== undefined && last !== inWholeNumbers && last !== shape)
        ports.emit({ type: 'shape_changed', column, shape, last })
      else if (read.length > 0 && !read.includes(shape) && rule.replace === undefined)
        ports.emit({ type: 'shape_misread', column, shape, read: read.join(' or '), values: shown.length })
    }
  return shapes
}

/** The columns that a rule reads as a whole, as the header calls them. */
function columnsOf({ from = [], join = [] }: Rule, { columns }: Mapping): string[] {
  const actual = new Map(columns.renamed().map(({ name, actual }) => [name, actual]))
  return [from, join].flat().map(name => actual.get(name) ?? name)
}

/** The texts of a column, without those that count as empty cells. */
const textsOf = (column: string, rows: readonly Row[], { columns }: Mapping): string[] =>
  rows.flatMap(row =>
    [present(columns.blank(row.value(column)))].flat().filter(value => typeof value === 'string'),
  )
