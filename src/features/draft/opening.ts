import { commandLine, counted, sourceWord } from '../../output/text.ts'
import { type FileFacts, hasTable, type RowFacts, type SourceFacts } from './columns/survey.ts'

import type { ListFacts, SheetFacts } from './sniff/sniffed.ts'
import { comment, compact, type Fragment, field, group, question, quote, suggestion, word } from './yaml.ts'

/** Comments on how the file is read, and on what is odd in it. */
export function openingLines({ source, rows, columns, headerLine }: FileFacts): string[] {
  const hasHeader = hasTable(source)
  const { name, sheet } = source
  const contents = compact(
    readingOf(source),
    hasHeader && (headerLine === undefined ? 'no header' : `header on line ${headerLine}`),
    counted(columns.length, hasHeader ? 'column' : 'key'),
    `${rows.isAll ? '' : 'more than '}${counted(rows.rows, 'row')}`,
  )
  return compact(
    `A draft for ${quote(name === '-' ? 'standard input' : name)}: ${contents.join(', ')}.`,
    !rows.isAll && 'Only the first rows were read; the notes below are about them.',
    ...(sheet ? sheetNotes(name, sheet) : []),
    ...oddityNotes(source),
    columns.length === 1 &&
      / {2,}\S/.test(columns[0]?.name ?? '') &&
      'THIS DRAFT IS OF NO USE YET: the columns are set in blanks, so the file has a single one. Make a CSV file of it by the recipe "Columns of fixed width" (docs/usage/inputs.md), then draft again.',
    ...rowNotes(rows),
  ).map(comment)
}

function sheetNotes(file: string, { others, hidden }: SheetFacts): string[] {
  const told = ({ name, rows, isHidden }: SheetFacts['others'][number]) => {
    const facts = compact(rows !== undefined && counted(rows, 'row'), isHidden && 'hidden')
    return `${quote(name)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
  }
  return compact(
    others.length > 0 &&
      `Other sheets of the file: ${others.map(told).join(', ')}. "${commandLine(['init', sourceWord(file), '--sheet', 'NAME'])}" drafts for one of them.`,
    hidden.length > 0 &&
      `Columns are hidden in the sheet (${hidden.slice(0, 10).join(', ')}${hidden.length > 10 ? ', …' : ''}), and read like the others.`,
  )
}

function readingOf({ settings: { format = 'csv', delimiter = ',' }, sheet, encoding }: SourceFacts): string {
  if (format === 'xlsx') return `the sheet ${quote(sheet?.name ?? '')}`
  const delimiterName = { '\t': 'tabs', ',': 'commas' }[delimiter] ?? quote(delimiter)
  const names: Readonly<Record<string, string>> = {
    csv: `CSV with ${delimiterName}`,
    vcard: 'vCard',
    icalendar: 'iCalendar',
  }
  return `${names[format] ?? format.toUpperCase()} in ${encoding.name}`
}

function oddityNotes({ quotes, encoding, header }: SourceFacts) {
  return [
    quotes === 'around_records' &&
      'THIS DRAFT IS OF NO USE YET: each line is one quoted cell that holds a whole record, so the file has a single column. Export it once more, or take the outer quotes off and make each "" inside a single one, then draft again.',
    quotes === 'single' &&
      'The cells are in single quotes, which CSV does not know: the quotes are read as text, and a delimiter between them splits a cell. Export it with double quotes, then draft again.',
    encoding.damagedLine !== undefined &&
      `The file is UTF-8, but line ${encoding.damagedLine} holds bytes that are not. An import ends there, at the latest, and takes no row from that line on; correct the line, then import.`,
    encoding.by === 'guess' && 'The encoding is a guess; look whether names come out right.',
    header?.unnameable !== undefined &&
      'The header has no first cell of its own to be found by, so its names are under source; its line is read as a row.',
  ]
}

const at = (lines: readonly number[]) =>
  `line${lines.length === 1 ? '' : 's'} ${lines.slice(0, 5).join(', ')}${lines.length > 5 ? ', …' : ''}`

function rowNotes(rows: RowFacts) {
  const { headers, blank, hidden, odd, short, long, nul, broken } = rows
  const missing = isPadded(rows)
    ? 'the cells that are missing are read as empty'
    : 'invalid, for nobody can know which cell is missing'
  return [
    rows.rows === 0 &&
      'THE FILE HAS NO ROWS, so all below goes by the names of its columns. Draft again from a file with rows.',
    headers.length > 0 && `The header is repeated on ${at(headers)}. It is no row there.`,
    blank.length > 0 && `${counted(blank.length, 'row')} of nothing but separators (${at(blank)}).`,
    hidden.length > 0 &&
      `${counted(hidden.length, 'row is', 'rows are')} hidden in the sheet (${at(hidden)}), and read like the others. Delete them there if they are not meant.`,
    odd.length > 0 &&
      `Another header, a total, a legend or a footer seems to stand on ${at(odd)}. Unless "where" below leaves it out, it is refused or becomes a record.`,
    short.length > 0 &&
      `${counted(short.length, 'row')} with fewer cells than the header (${at(short)}): ${missing}.`,
    long.length > 0 &&
      `${counted(long.length, 'row')} with more cells than the header (${at(long)}): invalid.`,
    nul.length > 0 && `${counted(nul.length, 'row')} with NUL characters (${at(nul)}): invalid.`,
    broken > 0 && `${counted(broken, 'row')} that cannot be read: invalid.`,
  ]
}

/** Longer rows are fine, unless others lack cells; if nearly all do, the draft asks. */
export const isPadded = ({ padded, torn, short, isCut }: RowFacts): boolean =>
  isCut || (padded > torn * 10 && short.length <= padded / 2)

/** The settings that an import would not use by default. */
export function sourceValues(source: SourceFacts, rows: RowFacts): Record<string, unknown> {
  const { settings, sheet, encoding, usual } = source
  const { format, rows: path, delimiter, header } = settings
  return {
    ...(!usual.format && { format }),
    ...(sheet?.isFirst === false && { sheet: sheet.name }),
    ...(path !== undefined && { rows: path }),
    ...(!usual.delimiter && delimiter !== undefined && { delimiter }),
    ...(!usual.encoding && { encoding: encoding.name }),
    ...(header.type === 'starts_with' && { header: { starts_with: header.cell } }),
    ...(header.type === 'columns' && { header: { columns: header.columns } }),
    ...(isPadded(rows) && !rows.isCut && { ragged: 'pad' }),
  }
}

/** How the rows of a document with several lists are found; a question if one of the others may hold them. */
function listPart({ name, lists: [own, ...others] = [] }: SourceFacts): Fragment | undefined {
  if (own === undefined || others.length === 0) return undefined
  const told = ({ path, items, example }: ListFacts) =>
    `${quote(path)} (${compact(counted(items, 'item'), example && `such as ${quote(example)}`).join(', ')})`
  const which = ({ path: id }: ListFacts, ...lines: string[]) => ({ id, label: id, part: { lines } })
  const more = others.slice(0, mostLists).map(told).join(', ')
  const text = `This draft is for ${told(own)}. Others are ${more}${others.length > mostLists ? ', …' : ''}. One of them is drafted with:`
  const command = `rowlift init ${word(name)} --rows ${word(others[0]?.path ?? '')}`
  const rows = field('rows', own.path)
  if (others.every(({ isOfParts }) => isOfParts))
    return field('rows', own.path, `The document has several lists. ${text}`, command)
  const choices = others.map(list => which(list))
  const standing = { id: own.path, label: own.path, part: rows }
  return question(`Which list of the document are the rows? ${text}`, choices, standing, [command])
}

const mostLists = 20

export function sourcePart({ source, rows, headerLine }: FileFacts): Fragment | undefined {
  const { settings, quotes, header: { unsure } = {} } = source
  const comments: Readonly<Record<string, string>> = {
    header:
      settings.header.type === 'columns'
        ? 'The file names no columns; give them better names here and below.'
        : 'Lines above the header are passed over.',
    ragged: 'Some lines have empty cells past the header, or none where the header ends in empty names.',
  }
  const values = Object.entries(sourceValues(source, rows))
  const lists = listPart(source)
  const fields = values.map(([key, value]) =>
    key === 'rows' && lists ? lists : field(key, value as string, comments[key]),
  )
  if (rows.isCut) return group('source', [...fields, cutPart(rows)])
  if (unsure === undefined || headerLine === undefined || quotes !== undefined) return group('source', fields)
  const text = `Is line ${headerLine} (${quote(unsure[0] ?? '')}) the header or a row? Nothing says which, so it is read as the header. If it is a row, put this in its place:`
  const row = { id: 'row', label: 'A row', part: field('header', { columns: unsure }) }
  return group('source', [
    ...fields,
    question(text, [row], { id: 'header', label: 'The header', part: { lines: [] } }),
  ])
}

const cutPart = ({ rows, short }: RowFacts) =>
  suggestion(
    field('ragged', 'pad'),
    `? ${short.length} of ${counted(rows, 'row')} have fewer cells than the header. Did the program that wrote the file leave out empty cells at the end? The draft reads them so; put this in, or they are invalid:`,
  )
