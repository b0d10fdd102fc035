// Tables that a person fills in, and that any spreadsheet saves: with another delimiter or encoding, other columns, blank lines.
import { existsSync, statSync } from 'node:fs'
import { fileContext } from '../../input/bytes.ts'
import { checkSources, rowsOfAll } from '../../input/open.ts'
import { LookupTable } from '../../mapping/lookups/table.ts'
import type { TableSpec } from '../../mapping/schema.ts'
import type { Row } from '../../model/row.ts'
import { present, textOf } from '../../model/values.ts'
import { oneLine } from '../../output/text.ts'
import type { OpenTable } from '../../run/prepared-import.ts'
import { sniff } from '../draft/sniff/sniff.ts'

/** What a spreadsheet takes for a formula, a date, or a number that it would shorten; guarded already or not. */
const misread = /^'*([=+\-@\t\r＝＋－＠]|0\d|\d{12}|\d+[-/.:eE]\d)/

/** Puts an apostrophe before a text that a spreadsheet would take for something else. */
export const withGuard = (text: string): string => (misread.test(text) ? `'${text}` : text)

/** The text of a cell, without its guard. */
export function textIn(row: Row, column: string): string {
  const text = textOf(present(row.value(column)) ?? '')
  if (typeof text !== 'string') return ''
  return text.startsWith("'") && misread.test(text) ? text.slice(1) : text
}

/** The column that marks a table to fill in: the number of rows with a text. */
export const countColumn = 'rows'

/** Opens a table, and tells which of its texts have no answer yet. One that this dry run is to make is empty. */
export const openingFilledIn =
  (open: OpenTable): OpenTable =>
  async (path, lookup, spec, prepared) => {
    const { mapping, options, settings, ports } = prepared
    const isToBeMade = settings.worksheets !== undefined && options.service === undefined && !existsSync(path)
    const none = { columns: [spec.key, spec.value, countColumn], rows: async (): Promise<Row[]> => [] }
    const sheet = isToBeMade ? none : await openSheet(path, spec.source).catch(() => undefined)
    const isMap = mapping.lookups.mapFiles.has(lookup)
    const isSheet = spec.file !== undefined && sheet?.columns.includes(isMap ? spec.key : countColumn)
    const rows = isSheet ? await sheet?.rows().catch(() => undefined) : undefined
    if (sheet === undefined || rows === undefined) return open(path, lookup, spec, prepared) // says what is wrong
    mapping.checkTable(lookup, spec, sheet.columns, path)
    const { table, empty } = answersIn(path, spec, rows)
    const left = [...new Set(empty)].filter(text => table.find(text).type === 'missing')
    const areWords = isMap && mapping.lookups.mapFiles.get(lookup) === undefined // not names of people and records
    const words = areWords ? left.map(text => oneLine(text, 40)) : []
    if (left.length > 0) ports.emit({ type: 'unanswered', path, count: left.length, words })
    const placeOf = (text: string) => ({ place: table.lineOf(text) ?? path, column: spec.value })
    return Object.assign(table, { placeOf })
  }

/** The answers in the rows of a table, and the texts that have none. */
export function answersIn(path: string, { key, value }: TableSpec, rows: readonly Row[]) {
  const table = new LookupTable(path)
  const empty: string[] = []
  for (const row of rows) {
    const [text, answer] = [textIn(row, key), textIn(row, value)]
    if (text !== '' && answer !== '') table.add(text, answer, row.line)
    else if (text !== '') empty.push(text)
  }
  return { table, empty }
}

/** Opens a table as it was saved, up to its header. Throws a SourceError, or the error of the system: EFBIG for a large one. */
export async function openSheet(path: string, asSaid?: TableSpec['source']) {
  const file = statSync(path)
  const isSmall = file.size < 2_000_000 // nobody goes through more, and each row is in memory
  if (!file.isFile() || !isSmall) throw Object.assign(new Error(), { code: isSmall ? 'EISDIR' : 'EFBIG' })
  const context = fileContext(new AbortController().signal)
  const { delimiter, encoding } = (await sniff(path, asSaid ?? {}, context)).settings
  const usual = { header: { type: 'first_line' }, sheet: undefined, rows: undefined } as const
  const source = { ...usual, ...asSaid, delimiter, encoding, ragged: 'pad' } as const
  const sources = await checkSources([path], source, context)
  const columns = sources.flatMap(({ columns = [] }) => columns)
  async function rows(): Promise<Row[]> {
    const all: Row[] = []
    for await (const batch of rowsOfAll(sources)) all.push(...batch)
    return all
  }
  return { source, columns, rows }
}
