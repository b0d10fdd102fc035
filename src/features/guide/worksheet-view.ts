// The worksheets that a mapping reads: tables that a person fills in, in the folder beside it.
import { existsSync } from 'node:fs'
import { resolveLink } from '../../store/files/result-log.ts'
import { missingTexts } from '../worksheets/missing-texts.ts'
import { answerText } from '../worksheets/sheet-file.ts'
import { openSheet, textIn } from '../worksheets/table.ts'
import type { Guide } from './guide.ts'
import { CallError } from './server.ts'
import { worksheetFolder } from './sources.ts'
import type { Of } from './views.ts'

async function sheetsOf(file: string, { known, mappings }: Guide) {
  const { mapping } = await known.compiled(file)
  return [...(mapping ? missingTexts(mapping) : [])].flatMap(([name, { file, header }]) => {
    const path = mappings.inFolder(worksheetFolder, name)
    return file === `${worksheetFolder}/${name}` && existsSync(path) ? { name, path, header } : []
  })
}

export async function worksheetViews(file: string, guide: Guide) {
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

/** A cell of a worksheet; its row is named by the first one. */
export interface CellOf extends Of {
  readonly worksheet: string
  readonly row: string
  readonly value: string
}

/** Fills in a cell. Throws a CallError, of `conflict` if the table was saved elsewhere meanwhile. */
export async function fillIn({ file, worksheet: name, row, value }: CellOf, guide: Guide) {
  const sheet = (await sheetsOf(file, guide)).find(each => each.name === name)
  if (sheet === undefined) throw new CallError('outside', `${file} has no worksheet ${name}`)
  const path = await resolveLink(sheet.path)
  const isDone = await answerText(path, sheet.header, row, value).catch(error => {
    throw error.code === 'EBUSY' ? new CallError('conflict', `${name} was saved elsewhere meanwhile`) : error
  })
  if (!isDone) throw new CallError('bad_call', `${name} has no row "${row}"`)
  return {}
}
