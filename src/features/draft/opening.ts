import { commandLine, counted, sourceWord } from '../../output/text.ts'
import type { Answer } from './answers.ts'
import type { RowFacts } from './columns/survey.ts'
import { type FileFacts, hasTable, type SourceFacts } from './drafts.ts'
import { type Fragment, field, group, question, suggestion } from './lines.ts'
import notes from './notes.json' with { type: 'json' }
import { comment, compact, type FlowMap, quote, told, word } from './yaml.ts'

/** Comments on how the file is read, and on what is odd in it. */
export function openingLines({ source, rows, columns, headerLine }: FileFacts): string[] {
  const hasHeader = hasTable(source)
  const { name, sheet, oddity, encoding, header } = source
  const contents = compact(
    readingOf(source),
    hasHeader && (headerLine === undefined ? 'no header' : `header on line ${headerLine}`),
    counted(columns.length, hasHeader ? 'column' : 'key'),
    `${rows.isAll ? '' : 'more than '}${counted(rows.rows, 'row')}`,
  )
  const oddities = compact(
    oddity,
    encoding.damagedLine !== undefined && 'damaged',
    encoding.by === 'guess' && 'guess',
    source.settings.format === 'icalendar' && source.settings.rows === 'events' && 'events',
    header?.unnameable,
    columns.length === 1 && / {2,}\S/.test(columns[0]?.name ?? '') && 'blanks',
    rows.rows === 0 && 'no_rows',
  )
  return compact(
    `A draft for ${quote(name === '-' ? 'standard input' : name)}: ${contents.join(', ')}.`,
    !rows.isAll && 'Only the first rows were read; the notes below are about them.',
    ...(sheet ? sheetNotes(name, sheet) : []),
    ...oddities.map(each => notes.source[each].replace('{line}', String(encoding.damagedLine))),
    ...rowNotes(rows),
  ).map(comment)
}

type SheetFacts = NonNullable<SourceFacts['sheet']>
type ListFacts = SourceFacts['lists'][number]

function sheetNotes(file: string, { others, hidden }: SheetFacts): string[] {
  const sheetOf = ({ name, rows, isHidden }: SheetFacts['others'][number]) => {
    const facts = compact(rows !== undefined && counted(rows, 'row'), isHidden && 'hidden')
    return `${quote(name)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
  }
  const command = commandLine(['init', sourceWord(file), '--sheet', 'NAME'])
  return compact(
    others.length > 0 && told(notes.sheets.others, { others: others.map(sheetOf).join(', '), command }),
    hidden.length > 0 && told(notes.sheets.hidden, { columns: some(hidden, 10) }),
  )
}

function readingOf({ settings: { format = 'csv', delimiter = ',' }, sheet, encoding }: SourceFacts): string {
  if (format === 'xlsx') return `the sheet ${quote(sheet?.name ?? '')}`
  const delimiterName = { '\t': 'tabs', ',': 'commas' }[delimiter] ?? quote(delimiter)
  const csv = `CSV with ${delimiterName}`
  const names: Readonly<Record<string, string>> = { csv, vcard: 'vCard', icalendar: 'iCalendar' }
  return `${names[format] ?? format.toUpperCase()} in ${encoding.name}`
}

/** The first of a list. */
const some = (items: readonly unknown[], most = 5) =>
  `${items.slice(0, most).join(', ')}${items.length > most ? ', …' : ''}`
const at = (lines: readonly number[]) => `line${lines.length === 1 ? '' : 's'} ${some(lines)}`

function rowNotes(rows: RowFacts): string[] {
  const missing = notes[isPadded(rows) ? 'padded' : 'torn']
  return Object.entries(notes.rows).flatMap(([kind, note]) => {
    const lines = rows[kind as keyof typeof notes.rows]
    const count = lines.length
    const values = { rows: counted(count, 'row'), 'rows are': counted(count, 'row is', 'rows are') }
    return count > 0 ? told(note, { ...values, at: at(lines), missing }) : []
  })
}

/** Longer rows are fine, unless others lack cells; if nearly all do, the draft asks. */
export const isPadded = ({ padded, torn, short, isCut }: RowFacts): boolean =>
  isCut || (padded > torn * 10 && short.length <= padded / 2)

/** The settings that an import would not use by default. */
export function sourceValues(source: SourceFacts, rows: RowFacts): Record<string, unknown> {
  const { settings, sheet, encoding, usual } = source
  const { format, rows: path, delimiter, header, ragged } = settings
  return {
    ...(!usual.format && { format }),
    ...(sheet?.isFirst === false && { sheet: sheet.name }),
    ...(path !== undefined && { rows: path }),
    ...(!usual.delimiter && delimiter !== undefined && { delimiter }),
    ...(!usual.encoding && { encoding: encoding.name }),
    ...(header.type === 'starts_with' && { header: { starts_with: header.cell } }),
    ...(header.type === 'columns' && { header: { columns: header.columns } }),
    ...((ragged === 'pad' || (isPadded(rows) && !rows.isCut)) && { ragged: 'pad' }),
  }
}

/** The settings in an answer by which the file is read and drafted anew; undefined for any other answer. */
export function settingsBy({ column: id, path }: Answer, { source: { lists, header } }: FileFacts) {
  if (id === 'source.rows' && lists.slice(1).some(list => list.path === path)) return { rows: path }
  const nameless = id === 'source.header' && path === 'row' && header?.nameless
  return nameless ? { header: nameless } : undefined
}

/** How the rows of a document with several lists are found; a question if one of the others may hold them. */
function listPart({ name, lists: [own, ...others] }: SourceFacts): Fragment | undefined {
  if (own === undefined) return undefined
  const parent = own.path.replace(/\.?[^.]*$/, '')
  const recipe = (kind: 'ids' | 'alike') =>
    notes.lists[kind].map(line => line.replace('{list}', parent && `.${parent} | `))
  const byIds = own.path.endsWith('*') ? recipe('ids') : []
  if (others.length === 0) return byIds.length > 0 ? field('rows', own.path, ...byIds) : undefined
  const listOf = ({ path, items, example }: ListFacts) =>
    `${quote(path)} (${compact(counted(items, 'item'), example && `such as ${quote(example)}`).join(', ')})`
  const choiceOf = ({ path: id }: ListFacts, part: Fragment = { lines: [] }) => ({ id, label: id, part })
  const text = told(notes.lists.several, { own: listOf(own), others: some(others.map(listOf), mostLists) })
  const command = `rowlift init ${word(name)} --rows ${word(others[0]?.path ?? '')}`
  const rows = field('rows', own.path)
  if (others.every(({ isOfParts }) => isOfParts))
    return field('rows', own.path, `The document has several lists. ${text}`, command)
  const choices = others.map(list => choiceOf(list))
  const ways = [command, ...(others.some(({ isAlike }) => isAlike) ? recipe('alike') : byIds)]
  return question(`Which list of the document are the rows? ${text}`, choices, choiceOf(own, rows), ways)
}

const mostLists = 20

export function sourcePart(file: FileFacts): Fragment | undefined {
  const { source, rows } = file
  const { settings, oddity, header: { unnameable, nameless } = {} } = source
  const isAsked = nameless !== undefined && oddity === undefined
  const comments: Readonly<Record<string, string>> = notes.mapping
  const commentOf = (key: string) => comments[key === 'header' && !unnameable ? settings.header.type : key]
  const values = { ...(isAsked && { header: true }), ...sourceValues(source, rows) } as FlowMap
  const fields = Object.entries(values).map(([key, value = null]) => {
    const part = field(key, value, commentOf(key))
    if (key === 'header' && isAsked) return headerPart(file, part)
    return (key === 'rows' && listPart(source)) || part
  })
  return group('source', [...fields, rows.isCut && cutPart(rows)])
}

/** Asks whether the header is a row, which reads the file anew. */
function headerPart({ source: { name }, headerLine, columns }: FileFacts, header: Fragment): Fragment {
  const text = told(notes.header, { line: headerLine, name: quote(columns[0]?.name ?? '') })
  const command = commandLine(['init', sourceWord(name), '--answer', 'source.header=row'])
  const row = { id: 'row', label: 'A row', part: { lines: [] } }
  return question(text, [row], { id: 'header', label: 'The header', part: header }, [command])
}

/** Words for nothing are no values. */
export function emptyPart({ columns }: FileFacts): Fragment | undefined {
  const words = new Set(columns.flatMap(({ nothing }) => [...nothing]))
  return words.size > 0 ? field('empty_values', [...words], notes.mapping.empty) : undefined
}

function cutPart({ rows, short: { length: short } }: RowFacts): Fragment {
  const values = { short, have: short === 1 ? 'has' : 'have', rows: counted(rows, 'row') }
  return suggestion(field('ragged', 'pad'), told(notes.cut, values))
}
