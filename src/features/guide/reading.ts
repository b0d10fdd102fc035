// Step "File": the first lines as they were read, and changes of how they are read and which are left out.

import { isAscii } from 'node:buffer'
import { isMap, isSeq } from 'yaml'
import { fileContext, findFile, firstOf, readBytes } from '../../input/bytes.ts'
import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import { iconv } from '../../model/package.ts'
import type { Row } from '../../model/row.ts'
import { textOf } from '../../model/values.ts'
import { type FileFacts, hasTable } from '../draft/drafts.ts'
import { nodeAt, withItem, withoutItem, withValue } from '../draft/edits/yaml-edits.ts'
import type { Flow } from '../draft/yaml.ts'
import { isTotal } from '../sanity-checks/totals.ts'
import { rowsOf } from './corrections.ts'
import type { Guide } from './guide.ts'
import { cellText } from './samples.ts'
import { CallError, type Of, type Seen } from './server.ts'
import { readingOf } from './sources.ts'

/** An edit how a file is read; `take_back` imports a line that was left out. */
export type ReadChange =
  | { readonly type: 'header' | 'take_back'; readonly line: number }
  | { readonly type: 'encoding' | 'sheet' | 'rows'; readonly name: string }
  | { readonly type: 'header'; readonly columns: readonly string[] }

/** If the mapping does not fit what is read now, it is drafted anew; `undo` has the old one. */
export async function changeReading(
  { file, version, change }: Seen & { readonly change: ReadChange },
  guide: Guide,
) {
  const { known, mappings } = guide
  const { facts } = await known.read(file)
  const { lines } = await sourceView({ file }, guide)
  return mappings.edit(file, version, async text => {
    if (change.type === 'take_back') return withLine(text, change.line, facts)
    const value = 'name' in change ? change.name : headerRule(change, lines)
    const now = withReading(text, change.type, value)
    const mapping = compileMapping(mappings.nameOf(file), now, '')
    const read = await known.factsBy(file, readingOf(now, mapping))
    const names = read.columns.map(({ name }) => name)
    if (!hasTable(read.source) || mapping.columns.missingFrom(names).length === 0) return now
    const { draft } = known.draftFor(read)
    await known.fillIn(draft)
    return withReading(draft.text, change.type, value) // a draft leaves out what is usual
  })
}

function withReading(text: string, key: string, value: Flow): string {
  if (nodeAt(text, ['source'])) return withValue(text, ['source', key], value)
  return withItem(text.replace(/^body:/m, 'source:\n\nbody:'), ['source'], key, value)
}

/** A header is found by its first cell if no line above has that, else its names stand in the mapping. */
function headerRule(change: ReadChange, lines: readonly GridLine[]): Flow {
  if ('columns' in change) return { columns: change.columns }
  const at = lines.findIndex(({ line }) => 'line' in change && line === change.line)
  const { cells = [] } = lines[at] ?? {}
  if (at <= 0) return true
  const first = cells[0]?.trim() ?? ''
  const isTwice = lines.slice(0, at).some(each => each.cells[0]?.trim() === first)
  if (first !== '' && !isTwice) return { starts_with: first }
  return { columns: cells.map((cell, index) => cell.trim() || `Column ${index + 1}`) }
}

/** Changes the conditions so that they take a line. Throws a CallError if it is not left out. */
function withLine(text: string, line: number, { rows }: FileFacts): string {
  const row = rows.kept.find(each => each.line === line)
  const where = nodeAt(text, ['where'])
  if (row === undefined || !isMap(where)) throw new CallError('bad_call', `line ${line} is not left out`)
  let now = text
  for (const [column, condition] of Object.entries(where.toJSON() as Record<string, Flow>)) {
    const alone = JSON.stringify({ record: 'contact', where: { [column]: condition }, body: { name: 'x' } })
    if (!compileMapping('where', alone, '').selects(row))
      now = withText(now, column, cellText(row, column).trim())
  }
  const left = nodeAt(now, ['where'])
  return isMap(left) && left.items.length > 0 ? now : withoutItem(now, ['where'])
}

/** Lets a condition on a column take one more text. */
function withText(text: string, column: string, cell: string): string {
  const path = ['where', column]
  const condition = nodeAt(text, path)
  if (isSeq(condition)) return withItem(text, path, '-', cell)
  if (!isMap(condition)) return withValue(text, path, [String(condition?.toJSON()), cell])
  const { in: taken, not } = condition.toJSON() as { in?: Flow; not?: Flow }
  if (taken !== undefined) return withValue(text, [...path, 'in'], [...([taken].flat() as Flow[]), cell])
  const others = ([not ?? []].flat() as Flow[]).filter(each => String(each).trim() !== cell)
  return others.length === 0 ? withoutItem(text, path) : withValue(text, [...path, 'not'], others)
}

const [mostLines, mostLeftOut] = [60, 100]
const encodings =
  'utf-8 windows-1252 windows-1250 iso-8859-15 macintosh cp850 windows-1251 shift_jis gb18030'.split(' ')

export interface GridLine {
  readonly line: number
  readonly cells: readonly string[]
  readonly kind: 'row' | 'header' | 'passed_over' | 'left_out'
  /** Why it is no row; empty for a row. `condition` is another condition of the mapping. */
  readonly reason: '' | 'title' | 'section' | 'total' | 'hidden' | 'header' | 'blank' | 'note' | 'condition'
}

export async function sourceView({ file }: Of, { known, mappings }: Guide) {
  const { version, mapping, facts } = await known.read(file)
  const { format = 'csv', encoding = 'utf-8' } = facts.source.settings
  const path = mappings.sourcePath(file)
  const lines = hasTable(facts.source) ? await tableLines(path, facts, mapping) : objectLines(facts, mapping)
  return {
    ...{ version, format, lines, header: facts.headerLine ?? null },
    encoding: format === 'xlsx' ? null : await encodingOf(path, encoding),
    sheets: facts.source.sheet ? sheetsOf(facts, await known.factsBy(file)) : [],
  }
}

/** The first lines of a table, and behind them those further down that are left out. */
async function tableLines(path: string, facts: FileFacts, mapping?: Mapping): Promise<GridLine[]> {
  const { settings } = facts.source
  const first = await rowsOf(path, { ...settings, header: { type: 'columns', columns: [] } }, mostLines)
  const byLine = new Map(facts.rows.kept.map(row => [row.line, row]))
  const header = facts.headerLine ?? 0
  const lines = first.map((row): GridLine => {
    const cells = textsOf(row)
    if (row.line === header) return { line: header, cells, kind: 'header', reason: '' }
    const reason = reasonOf(row, cells, facts, 'title')
    if (row.line < header) return { line: row.line, cells, kind: 'passed_over', reason }
    return lineOf(byLine.get(row.line) ?? row, cells, facts, mapping)
  })
  const last = first.at(-1)?.line ?? 0
  const below = facts.rows.kept.filter(row => row.line > last && mapping?.selects(row) === false)
  return [...lines, ...below.slice(0, mostLeftOut).map(row => lineOf(row, textsOf(row), facts, mapping))]
}

const objectLines = (facts: FileFacts, mapping?: Mapping): GridLine[] =>
  facts.rows.kept.slice(0, mostLines).map(row => {
    const cells = facts.columns.map(({ name }) => cellText(row, name))
    return lineOf(row, cells, facts, mapping)
  })

const textsOf = (row: Row): string[] => [...row.cells()].map(([, value]) => String(textOf(value ?? '')))

function lineOf(row: Row, cells: readonly string[], facts: FileFacts, mapping?: Mapping): GridLine {
  if (mapping?.selects(row) !== false) return { line: row.line, cells, kind: 'row', reason: '' }
  return { line: row.line, cells, kind: 'left_out', reason: reasonOf(row, cells, facts, 'condition') }
}

function reasonOf(row: Row, cells: readonly string[], { rows }: FileFacts, other: GridLine['reason']) {
  const isIn = (lines: readonly number[]) => lines.includes(row.line)
  const texts = cells.map(cell => cell.trim())
  if (row.isHidden) return 'hidden'
  if (isIn(rows.headers)) return 'header'
  if (texts.join('') === '') return 'blank'
  if (isTotal(texts)) return 'total'
  return rows.titles.some(({ line }) => line === row.line) ? 'section' : isIn(rows.odd) ? 'note' : other
}

/** The encodings in which the first word with other letters than a to z reads differently; null if there is none. */
async function encodingOf(path: string, current: string) {
  const file = await findFile(path)
  const bytes = await firstOf(readBytes(file?.path ?? path, fileContext(new AbortController().signal), file))
  if (isAscii(bytes)) return null
  const latin = bytes.toString('latin1')
  const [word = ''] = /[a-z]*[\x80-\xff][a-z\x80-\xff]*/i.exec(latin) ?? []
  const samples = new Map<string, { readonly name: string; readonly sample: string }>()
  for (const name of [current, ...encodings]) {
    const sample = iconv().decode(Buffer.from(word, 'latin1'), name)
    if (!samples.has(sample)) samples.set(sample, { name, sample })
  }
  return { current, choices: [...samples.values()] }
}

/** The sheets with their rows, null for those that were not counted; the first one is the one that is read by default. */
function sheetsOf(chosen: FileFacts, { source: { sheet }, rows: { rows, isAll } }: FileFacts) {
  const first = { name: sheet?.name ?? '', rows: isAll ? rows : undefined, isHidden: false }
  return [first, ...(sheet?.others ?? [])].map(({ name, rows, isHidden }) => {
    const own = name === chosen.source.sheet?.name ? chosen.rows : undefined
    return { name, isHidden, isChosen: own !== undefined, rows: rows ?? (own?.isAll ? own.rows : null) }
  })
}
