// The worksheets that a mapping reads: tables that a person fills in, in the folder beside it.
import { existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { ulid } from 'ulid'
import { replaceFile } from '../../platform/replace-file.ts'
import { utf8Mark } from '../../store/files/rejects-file.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { missingTexts } from '../worksheets/missing-texts.ts'
import { openSheet, textIn, withGuard } from '../worksheets/table.ts'
import type { WorksheetView } from './api.ts'
import type { Guide } from './guide.ts'
import { stampOf } from './mappings.ts'
import { CallError } from './server.ts'
import { worksheetFolder } from './sources.ts'

/** The tables in the folder of worksheets that the mapping of a source reads, by their names. */
async function sheetsOf(file: string, { known, mappings }: Guide) {
  const { mapping } = await known.compiled(file)
  const all = mapping ? [...missingTexts(mapping)] : []
  return all.flatMap(([name, sheet]) => {
    const path = mappings.inFolder(worksheetFolder, name)
    const isRead = sheet.file === `${worksheetFolder}/${name}` && existsSync(path)
    return isRead ? [{ name, path, header: sheet.header }] : []
  })
}

export async function worksheetViews(file: string, guide: Guide): Promise<WorksheetView[]> {
  const sheets = await sheetsOf(file, guide)
  return Promise.all(
    sheets.map(async ({ name, path, header: [key = '', answer = ''] }) => {
      const { columns, rows } = await openSheet(path)
      const header = [key, answer, ...columns.filter(column => column !== key && column !== answer)]
      const cells = (await rows()).map(row => header.map(column => textIn(row, column)))
      const texts = cells.filter(([text]) => text !== '')
      return { name, header, rows: texts, missing: texts.filter(([, use]) => use === '').length }
    }),
  )
}

/** Writes the answer for a text into its row. Throws a CallError if it was changed elsewhere meanwhile. */
export async function fillIn(
  file: string,
  worksheet: string,
  text: string,
  value: string,
  guide: Guide,
): Promise<void> {
  const sheet = (await sheetsOf(file, guide)).find(({ name }) => name === basename(worksheet))
  if (sheet === undefined) throw new CallError('bad_call', `no worksheet ${worksheet}`)
  const path = await resolveLink(sheet.path)
  const stamp = await stampOf(path)
  const {
    columns,
    rows,
    source: { delimiter = ',' },
  } = await openSheet(path)
  const [key = '', answer = ''] = sheet.header
  const all = (await rows()).map(row => ({
    text: textIn(row, key),
    cells: columns.map(column => textIn(row, column)),
  }))
  if (!all.some(row => row.text === text)) throw new CallError('bad_call', `${worksheet} has no row ${text}`)
  const at = columns.indexOf(answer)
  const lines = all.map(row =>
    (row.text === text ? row.cells.with(at, value.trim()) : row.cells).map(withGuard),
  )
  const table = stringify([[...columns], ...lines], { delimiter, quoted_match: /[,;\t]/ })
  if ((await stampOf(path)) !== stamp) throw new CallError('conflict', `${worksheet} was changed elsewhere`)
  const mode = statSync(path).mode & 0o777
  await (await replaceFile(path, [utf8Mark, table], { id: ulid(), mode })).close()
}
