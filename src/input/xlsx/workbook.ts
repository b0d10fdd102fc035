import { type NotRows, SourceError } from '../../model/errors.ts'
import { openZip, type ZipFile } from '../packed/zip.ts'
import type { SourceSettings } from '../source.ts'
import { readStyles } from './number-style.ts'
import { Parts } from './parts.ts'
import { SharedStrings } from './shared-strings.ts'
import { sheetRecords } from './sheet.ts'
import { type Part, readWhole } from './xml.ts'

interface Sheet {
  readonly name: string
  /** Undefined for what has no rows, such as a chart. */
  readonly part: Part | undefined
}

/** Opens one sheet of a workbook: by its name or number, else the first one; `sheets` are all that have rows. Throws a SourceError. */
export async function openWorkbook(
  path: string,
  { sheet: wanted }: Pick<SourceSettings, 'sheet'>,
  { onRead, signal }: { readonly onRead?: (bytes: Buffer) => void; readonly signal?: AbortSignal },
) {
  const zip = await openZip(path, onRead, signal)
  try {
    const workbook = await readWorkbook(path, zip)
    const { name, part } = findSheet(path, workbook.sheets, wanted)
    const strings = new SharedStrings(workbook.strings)
    const styles = await readStyles(workbook.styles)
    const records = sheetRecords(part, { strings, styles, is1904: workbook.is1904 })
    const close = async () => {
      await records.return(undefined)
      await strings.close()
      await zip.close()
    }
    const sheets = workbook.sheets.filter(sheet => sheet.part).map(sheet => sheet.name)
    return { sheets, sheet: name, records, close }
  } catch (error) {
    await zip.close()
    throw error
  }
}

/** Days count from 1904 where it began on an old Macintosh, else from 1900. */
async function readWorkbook(path: string, zip: ZipFile) {
  const parts = new Parts(path, zip)
  const [main] = (await parts.relationshipsOf()).filter(({ type }) => type === 'officeDocument')
  const part = parts.at(main?.path)
  if (main === undefined || part === undefined || !/\.xml$/i.test(part.name)) throw notWorkbook(path, zip)
  const related = await parts.relationshipsOf(main.path)
  const pathOf = (type: string, id?: string) =>
    related.find(each => each.type === type && (id === undefined || each.id === id))?.path
  const sheets: Sheet[] = []
  let is1904 = false
  await readWhole(part, {
    open(element, { name, date1904, ...others }) {
      if (element === 'workbookPr' && /^(1|true)$/.test(date1904 ?? '')) is1904 = true
      if (element !== 'sheet') return
      const [, id = ''] = Object.entries(others).find(([key]) => key.endsWith(':id')) ?? []
      sheets.push({ name: name ?? '', part: parts.at(pathOf('worksheet', id)) })
    },
  })
  return { sheets, is1904, strings: parts.at(pathOf('sharedStrings')), styles: parts.at(pathOf('styles')) }
}

const marks: readonly (readonly [entry: RegExp, looksLike: NotRows])[] = [
  [/^xl\/workbook\.bin$/i, 'xlsb'],
  [/^content\.xml$/i, 'ods'],
  [/^(word|ppt)\/|^index\/document\.iwa$/i, 'office'],
]

function notWorkbook(source: string, { entries }: ZipFile): SourceError {
  const found = marks.find(([mark]) => entries.some(({ name }) => mark.test(name)))
  return new SourceError('unsupported_source', { source, looksLike: found?.[1] ?? 'zip' })
}

/** Names are found whatever their case. */
function findSheet(source: string, sheets: readonly Sheet[], wanted: string | number | undefined) {
  const name = String(wanted).toLowerCase()
  const named = sheets.find(sheet => sheet.name.toLowerCase() === name)
  const numbered = sheets[Number(wanted) - 1]
  const withRows = sheets.filter(({ part }) => part !== undefined)
  const given = typeof wanted === 'number' ? (numbered ?? named) : (named ?? numbered)
  const found = wanted === undefined ? withRows[0] : given
  if (found?.part) return { ...found, part: found.part }
  const names = withRows.map(sheet => sheet.name)
  throw new SourceError('sheet_not_found', { source, sheet: wanted, sheets: names })
}
