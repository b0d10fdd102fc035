// Step "File": the first lines as they were read, and how they are read.
import { isAscii } from 'node:buffer'
import { isMap, isSeq } from 'yaml'
import { fileContext, findFile, firstOf, readBytes } from '../../input/bytes.ts'
import { checkSources, rowsOfAll } from '../../input/open.ts'
import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import { iconv } from '../../model/package.ts'
import type { Row } from '../../model/row.ts'
import { textOf } from '../../model/values.ts'
import { type FileFacts, hasTable } from '../draft/columns/survey.ts'
import type { Flow } from '../draft/yaml.ts'
import { isTotal } from '../sanity-checks/totals.ts'
import type { EncodingChoice, GridLine, ReadChange, SheetChoice, SourceView } from './api.ts'
import type { Guide } from './guide.ts'
import { CallError } from './server.ts'
import { readingOf } from './sources.ts'
import { nodeAt, withItem, withoutItem, withValue } from './yaml-edits.ts'

type Reason = GridLine['reason']

const mostLines = 60
const mostLeftOut = 100
const encodings = [
  'utf-8',
  'windows-1252',
  'windows-1250',
  'iso-8859-15',
  'macintosh',
  'cp850',
  'windows-1251',
  'shift_jis',
  'gb18030',
]

const textsOf = (row: Row) =>
  [...row.cells()].map(([, value]) => {
    const text = textOf(value ?? '')
    return typeof text === 'string' ? text : JSON.stringify(value)
  })

export async function sourceView(file: string, { known, mappings }: Guide): Promise<SourceView> {
  const { version, mapping } = await known.compiled(file)
  const facts = await known.facts(file)
  const { settings } = facts.source
  const path = mappings.sourcePath(file)
  return {
    ...{ version, format: settings.format ?? 'csv' },
    lines: hasTable(facts.source) ? await tableLines(path, facts, mapping) : objectLines(facts, mapping),
    header: facts.headerLine ?? null,
    encoding: settings.format === 'xlsx' ? null : await encodingOf(path, settings.encoding ?? 'utf-8'),
    sheets: facts.source.sheet ? sheetsOf(facts, await known.factsBy(file, {})) : [],
  }
}

/** The first lines of a table, and behind them those that are left out further down. */
async function tableLines(path: string, facts: FileFacts, mapping?: Mapping): Promise<GridLine[]> {
  const settings = {
    ...facts.source.settings,
    header: { type: 'columns', columns: [] },
    ragged: 'pad',
  } as const
  const sources = await checkSources([path], settings, fileContext(new AbortController().signal))
  const first: Row[] = []
  for await (const batch of rowsOfAll(sources)) {
    first.push(...batch.slice(0, mostLines - first.length))
    if (first.length >= mostLines) break
  }
  const byLine = new Map(facts.rows.kept.map(row => [row.line, row]))
  const lines = first.map(row => {
    const cells = textsOf(row)
    if (row.line === facts.headerLine) return { line: row.line, cells, kind: 'header', reason: '' } as const
    if (row.line < (facts.headerLine ?? 0))
      return {
        line: row.line,
        cells,
        kind: 'passed_over',
        reason: reasonOf(row, cells, facts, 'title'),
      } as const
    return lineOf(byLine.get(row.line) ?? row, cells, facts, mapping)
  })
  const last = lines.at(-1)?.line ?? 0
  const below = facts.rows.kept.filter(row => row.line > last && mapping && !mapping.selects(row))
  return [...lines, ...below.slice(0, mostLeftOut).map(row => lineOf(row, textsOf(row), facts, mapping))]
}

function objectLines(facts: FileFacts, mapping?: Mapping): GridLine[] {
  return facts.rows.kept.slice(0, mostLines).map(row => {
    const cells = facts.columns.map(({ name }) => {
      const text = textOf(row.value(name) ?? '')
      return typeof text === 'string' ? text : JSON.stringify(row.value(name))
    })
    return lineOf(row, cells, facts, mapping)
  })
}

function lineOf(row: Row, cells: readonly string[], facts: FileFacts, mapping?: Mapping): GridLine {
  const isLeftOut = mapping !== undefined && !mapping.selects(row)
  if (!isLeftOut) return { line: row.line, cells, kind: 'row', reason: '' }
  return { line: row.line, cells, kind: 'left_out', reason: reasonOf(row, cells, facts, 'condition') }
}

/** Why a line is no row: the page has the words for it. */
function reasonOf(row: Row, cells: readonly string[], { rows }: FileFacts, other: Reason): Reason {
  if (row.isHidden) return 'hidden'
  if (rows.headers.includes(row.line)) return 'header'
  if (rows.blank.includes(row.line) || cells.every(cell => cell.trim() === '')) return 'blank'
  if (isTotal(cells.map(cell => cell.trim()))) return 'total'
  if (rows.titles.some(({ line }) => line === row.line)) return 'section'
  return rows.odd.includes(row.line) ? 'note' : other
}

/** The encodings in which a word of the file reads differently; null if its letters are the same in all. */
async function encodingOf(path: string, current: string): Promise<SourceView['encoding']> {
  const file = await findFile(path)
  const bytes = await firstOf(readBytes(file?.path ?? path, fileContext(new AbortController().signal), file))
  if (isAscii(bytes)) return null
  const at = bytes.findIndex(byte => byte > 127)
  const isOfWord = (byte: number | undefined) =>
    byte !== undefined && !(byte < 65 || (byte > 90 && byte < 97) || (byte > 122 && byte < 128))
  let [from, to] = [at, at]
  while (from > 0 && isOfWord(bytes[from - 1])) from -= 1
  while (to < bytes.length && isOfWord(bytes[to])) to += 1
  const samples = new Map<string, EncodingChoice>()
  for (const name of new Set([current, ...encodings])) {
    const sample = iconv().decode(bytes.subarray(from, to), name)
    if (!samples.has(sample)) samples.set(sample, { name, sample })
  }
  return { current, choices: [...samples.values()] }
}

function sheetsOf({ source: { sheet }, rows }: FileFacts, all: FileFacts): SheetChoice[] {
  const counted = new Map(all.source.sheet?.others.map(each => [each.name, each.rows]))
  counted.set(all.source.sheet?.name ?? '', all.rows.rows)
  const own = { name: sheet?.name ?? '', rows: rows.rows, isHidden: false, isChosen: true }
  const others = sheet?.others.map(({ name, isHidden }) => ({
    ...{ name, isHidden, rows: counted.get(name) ?? null, isChosen: false },
  }))
  return [own, ...(others ?? [])]
}

/** Changes how a file is read. If its mapping does not fit what is read now, it is drafted anew; `undo` has the old one. */
export async function changeReading(file: string, version: string, change: ReadChange, guide: Guide) {
  const { known, mappings } = guide
  const facts = await known.facts(file)
  const view = change.type === 'header' ? await sourceView(file, guide) : undefined
  return mappings.edit(file, version, async text => {
    if (change.type === 'take_back') return withLine(text, change.line, facts)
    const value: Flow = change.type === 'header' ? headerRule(change.line, view?.lines ?? []) : change.name
    const now = withReading(text, change.type, value)
    const mapping = compileMapping(mappings.nameOf(file), now, '')
    const read = await known.factsBy(file, readingOf(now, mapping))
    const missing =
      hasTable(read.source) && mapping.columns.missingFrom(read.columns.map(({ name }) => name)).length
    if (!missing) return now
    const draft = await known.draftFor(read)
    await known.fillIn(draft)
    return draft.text
  })
}

function withReading(text: string, key: string, value: Flow): string {
  if (nodeAt(text, ['source']) !== undefined) return withValue(text, ['source', key], value)
  const block = `source:\n`
  const body = text.search(/^body:/m)
  const at = body < 0 ? text.length : body
  return withItem(`${text.slice(0, at)}${block}\n${text.slice(at)}`, ['source'], key, value)
}

/** A header is found by its first cell if no line above has that, else its names stand in the mapping. */
function headerRule(line: number, lines: readonly GridLine[]): Flow {
  const at = lines.findIndex(each => each.line === line)
  const { cells = [] } = lines[at] ?? {}
  if (at < 0) throw new CallError('bad_call', `no line ${line}`)
  if (at === 0) return true
  const first = cells[0]?.trim() ?? ''
  const isTwice = lines.slice(0, at).some(each => each.cells[0]?.trim() === first)
  if (first !== '' && !isTwice) return { starts_with: first }
  return { columns: cells.map((cell, index) => cell.trim() || `Column ${index + 1}`) }
}

/** Changes the conditions so that they take a line. */
function withLine(text: string, line: number, { rows }: FileFacts): string {
  const row = rows.kept.find(each => each.line === line)
  const where = nodeAt(text, ['where'])
  if (row === undefined || !isMap(where)) throw new CallError('bad_call', `line ${line} is not left out`)
  let now = text
  for (const [column, condition] of Object.entries(where.toJSON() as Record<string, Flow>)) {
    const alone = compileMapping(
      'where',
      JSON.stringify({ record: 'contact', where: { [column]: condition }, body: { name: 'x' } }),
      '',
    )
    if (!alone.selects(row)) now = withText(now, column, String(textOf(row.value(column) ?? '')).trim())
  }
  const left = nodeAt(now, ['where'])
  return isMap(left) && left.items.length === 0 ? withoutItem(now, ['where']) : now
}

/** Lets a condition on a column take one more text. */
function withText(text: string, column: string, cell: string): string {
  const path = ['where', column]
  const condition = nodeAt(text, path)
  if (isSeq(condition)) return withItem(text, path, '-', cell)
  if (!isMap(condition)) return withValue(text, path, [String(condition?.toJSON()), cell])
  const { in: taken, not } = condition.toJSON() as { in?: Flow; not?: Flow }
  const others = [not ?? []].flat().filter(each => String(each).trim() !== cell)
  if (taken !== undefined) return withValue(text, [...path, 'in'], [...[taken].flat(), cell])
  if (not === undefined || others.length === 0) return withoutItem(text, path)
  return withValue(text, [...path, 'not'], others)
}
