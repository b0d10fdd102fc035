// The file of a worksheet. What it lacks is added at its end; the lines that are there are never changed.
import { readFileSync, statSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import { ulid } from 'ulid'
import { findMark } from '../../input/decode.ts'
import { nearest } from '../../model/did-you-mean.ts'
import { UsageError } from '../../model/errors.ts'
import { iconv } from '../../model/package.ts'
import { folded } from '../../model/values.ts'
import { ownerOnly, replaceFile } from '../../platform/replace-file.ts'
import { utf8Mark } from '../../store/files/rejects-file.ts'
import type { Worksheet } from './missing-texts.ts'
import { countColumn, openSheet, textIn, withGuard } from './table.ts'

/**
 * Adds texts to a table, or makes it; returns how many were added. `namesOf` is called for the names that are there, if some are missing.
 * Throws a UsageError, a SourceError or the error of the system: EBUSY if somebody saved the table meanwhile. Then it is as it was.
 */
export async function addTexts(path: string, sheet: Worksheet, namesOf: () => Promise<string[]>) {
  const version = versionOf(path)
  const there = version === undefined ? undefined : await tableThere(path, sheet)
  const { header, delimiter = sheet.delimiter } = there ?? { header: sheet.header }
  const [key = ''] = sheet.header
  const lacking = [...sheet.texts].flatMap(([name, each]) => (there?.known.has(name) ? [] : each))
  if (lacking.length === 0 && (there !== undefined || sheet.file === undefined)) return 0
  const names = lacking.length > 0 ? await namesOf() : []
  const lines = lacking.map(({ text, rows, first }, at) => {
    const near = at < 500 ? nearest(text, names) : undefined // a comparison takes some milliseconds
    const cells = new Map(Object.entries({ [key]: text, [countColumn]: `${rows}`, first, nearest: near }))
    return header.map(column => withGuard(cells.get(column) ?? ''))
  })
  const all = there === undefined ? [[...header], ...lines] : lines
  const added = stringify(all, { delimiter, quoted_match: /[,;\t]/ }) // another spreadsheet may split there
  await replaceSheet(path, [utf8Mark, there?.text ?? '', added], version)
  return lacking.length
}

/** Writes the answer for a text into its rows; returns false if the table lacks it. Throws what `addTexts` throws. */
export async function answerText(
  path: string,
  [key = '', answer = '']: Worksheet['header'],
  text: string,
  value: string,
) {
  const version = versionOf(path)
  const { columns, rows, source } = await openSheet(path)
  const table = (await rows()).map(row => columns.map(column => textIn(row, column)))
  const own = table.filter(cells => cells[columns.indexOf(key)] === text)
  for (const cells of own) cells[columns.indexOf(answer)] = value.trim()
  if (own.length === 0) return false
  const lines = [[...columns], ...table.map(cells => cells.map(withGuard))]
  const written = stringify(lines, { delimiter: source.delimiter ?? ',', quoted_match: /[,;\t]/ })
  await replaceSheet(path, [utf8Mark, written], version)
  return true
}

async function replaceSheet(path: string, texts: readonly string[], version: string | undefined) {
  const check = () => {
    if (versionOf(path) !== version) throw Object.assign(new Error(), { code: 'EBUSY' })
  }
  const mode = version === undefined ? ownerOnly : statSync(path).mode & 0o777
  await (await replaceFile(path, texts, { id: ulid(), mode, check })).close()
}

function versionOf(path: string): string | undefined {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file && `${file.ino} ${file.size} ${file.mtimeNs}`
}

async function tableThere(path: string, sheet: Worksheet) {
  const { columns: header, rows, source } = await openSheet(path)
  const [key = '', answer = ''] = sheet.header
  const role = `file without the columns ${key} and ${answer}`
  if (!header.includes(key) || !header.includes(answer))
    throw new UsageError('same_file', { path, role, written: 'worksheet' })
  const bytes = readFileSync(path)
  const text = iconv().decode(bytes, findMark(bytes)?.encoding ?? source.encoding ?? 'utf-8')
  const known = new Set((await rows()).map(row => folded(textIn(row, key))))
  return { header, text: text.replace(/[^\r\n]$/, '$&\n'), delimiter: source.delimiter, known }
}
