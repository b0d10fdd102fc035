// Step "File": the first lines as they were read, and how they are read.
import { isAscii } from 'node:buffer'
import { fileContext, findFile, firstOf, readBytes } from '../../input/bytes.ts'
import { checkSources, rowsOfAll } from '../../input/open.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import { iconv } from '../../model/package.ts'
import type { Row } from '../../model/row.ts'
import { textOf } from '../../model/values.ts'
import { type FileFacts, hasTable } from '../draft/drafts.ts'
import { isTotal } from '../sanity-checks/totals.ts'
import type { Guide } from './guide.ts'
import { cellText } from './samples.ts'

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

export async function sourceView(file: string, { known, mappings }: Guide) {
  const { version, mapping } = await known.compiled(file)
  const facts = await known.facts(file)
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
  const settings = { ...facts.source.settings, header: { type: 'columns', columns: [] } } as const
  const context = fileContext(new AbortController().signal)
  const sources = await checkSources([path], { ...settings, ragged: 'pad' }, context)
  const first: Row[] = []
  for await (const batch of rowsOfAll(sources)) {
    first.push(...batch.slice(0, mostLines - first.length))
    if (first.length >= mostLines) break
  }
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

/** The sheets with their rows, null for those that were not counted: others were only if no sheet was chosen yet. */
function sheetsOf({ source: { sheet }, rows }: FileFacts, first: FileFacts) {
  const { name: firstName = '', others: counted = [] } = first.source.sheet ?? {}
  const rowsOf = ({ rows, isAll }: FileFacts['rows']) => (isAll ? rows : null)
  const counts = new Map<string, number | null | undefined>(counted.map(({ name, rows }) => [name, rows]))
  counts.set(firstName, rowsOf(first.rows))
  const own = { name: sheet?.name ?? '', rows: rowsOf(rows), isHidden: false, isChosen: true }
  const others = sheet?.others ?? []
  return [
    own,
    ...others.map(({ name, isHidden }) => ({
      ...{ name, isHidden, isChosen: false },
      rows: counts.get(name) ?? null,
    })),
  ]
}
