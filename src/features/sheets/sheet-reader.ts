import { posix } from 'node:path'
import { checkUnchanged, firstOf, type ReadContext, readBytes } from '../../input/bytes.ts'
import type { Reader, SourceBytes } from '../../input/reader.ts'
import { formatIn, unsupported } from '../../input/sniff/format.ts'
import { type SourceSettings, unpackedName } from '../../input/source.ts'
import { openTable } from '../../input/table.ts'
import { type NotRows, SourceError } from '../../model/errors.ts'
import { openZip, type ZipFile } from '../archives/zip.ts'
import { readStyles } from './numbers.ts'
import { readStrings } from './shared-strings.ts'
import { sheetRecords } from './sheet.ts'
import { type Attributes, readWhole, type WorkbookPart } from './xml.ts'

export const sheetReader: Reader = {
  opensFiles: true,
  /** Throws a SourceError also if the file is not of the version. */
  async open({ path, file: source }, settings) {
    const isPacked = source?.file.entry !== undefined || path !== unpackedName(path)
    if (source === undefined || isPacked)
      throw new SourceError('workbook_in_stream', { source: path, isPacked })
    await checkSignature(path, source)
    const { file, context } = source
    const { records, sheet, sheets, hidden, close } = await openWorkbook(path, settings.sheet, context)
    const checked = async function* () {
      await checkUnchanged(file)
      yield* records
      await checkUnchanged(file)
    }
    try {
      const { header } = settings
      const table = await openTable(checked(), { source: path, header, ragged: 'sheet', delimiter: ',' })
      return { ...table, sheet, sheets, hidden, close }
    } catch (error) {
      await close()
      const isEmpty = error instanceof SourceError && error.code === 'no_header'
      const others = sheets.filter(name => name !== sheet)
      throw isEmpty ? new SourceError('empty_sheet', { source: path, sheet, others }) : error
    }
  },
}

/** Throws a SourceError for what is no archive: older and encrypted workbooks have their kind in their directory. */
async function checkSignature(path: string, { context, file }: NonNullable<SourceBytes['file']>) {
  const readAt = (at: number) =>
    firstOf(readBytes(path, { ...context, onRead: () => {} }, file, Math.min(at, Number(file.version.size))))
  const head = await readAt(0)
  const directory =
    head.length < 512 ? head : await readAt((head.readUInt32LE(48) + 1) * 2 ** (head.readUInt16LE(30) % 16))
  const looksLike = formatIn('', Buffer.concat([head, directory]), {})
  if (looksLike !== 'zip') throw unsupported(path, looksLike === 'csv' ? 'text' : looksLike)
}

interface Sheet {
  readonly name: string
  /** Undefined for what has no rows, such as a chart. */
  readonly part: WorkbookPart | undefined
  readonly isHidden: boolean
}

/** Opens one sheet of a workbook: by its name or number, else the first one; `sheets` are all that have rows. Throws a SourceError. */
async function openWorkbook(path: string, requested: SourceSettings['sheet'], context: ReadContext) {
  const zip = await openZip(path, context)
  try {
    const workbook = await readWorkbook(path, zip)
    const sheets = workbook.sheets.filter(({ part }) => part !== undefined).map(({ name }) => name)
    const sheet = findSheet(workbook.sheets, requested)
    if (sheet?.part === undefined)
      throw new SourceError('sheet_not_found', { source: path, sheet: requested, sheets })
    const styles = await readStyles(workbook.styles)
    const strings = await readStrings(workbook.strings)
    const columns: string[] = []
    const records = sheetRecords(sheet.part, { strings, styles, is1904: workbook.is1904 }, columns)
    const hiddenSheets = workbook.sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name)
    const hidden = { sheets: hiddenSheets, columns: () => columns }
    const close = async () => {
      await records.return(undefined)
      strings.close()
      await zip.close()
    }
    return { sheets, sheet: sheet.name, hidden, records, close }
  } catch (error) {
    await zip.close()
    throw error
  }
}

/** Finds the parts of a workbook by what refers to them: no name of a part is certain. Days count from 1900 or 1904. */
async function readWorkbook(source: string, zip: ZipFile) {
  const entries = new Map(zip.entries.map(entry => [pathOf('/', entry.name), entry]))
  const partAt = (path = ''): WorkbookPart | undefined => {
    const entry = entries.get(path)
    return entry && { source, name: entry.name, bytes: () => zip.read(entry) }
  }
  /** Finds what the part at a path, or the workbook as a whole, refers to. */
  const relationshipsOf = async (path: string) => {
    const folder = posix.dirname(path)
    const relationships: Readonly<Record<'id' | 'type' | 'path', string>>[] = []
    const part = partAt(posix.join(folder, '_rels', `${posix.basename(path)}.rels`))
    const open = (name: string, { Id: id = '', Type = '', Target = '' }: Attributes) => {
      const type = posix.basename(Type) // transitional and strict workbooks share the last word
      if (name === 'Relationship') relationships.push({ id, type, path: pathOf(folder, Target) })
    }
    if (part !== undefined) await readWhole(part, { open })
    return relationships
  }
  const main = (await relationshipsOf('/')).find(({ type }) => type === 'officeDocument')
  const part = partAt(main?.path)
  if (main === undefined || part === undefined || !/\.xml$/i.test(part.name)) throw notWorkbook(source, zip)
  const related = await relationshipsOf(main.path)
  const relatedPart = (type: string, id?: string) =>
    partAt(related.find(each => each.type === type && (id === undefined || each.id === id))?.path)
  const sheets: Sheet[] = []
  let is1904 = false
  await readWhole(part, {
    open(element, { name, date1904, state, ...others }) {
      if (element === 'workbookPr' && /^(1|true)$/.test(date1904 ?? '')) is1904 = true
      if (element !== 'sheet') return
      const [, id = ''] = Object.entries(others).find(([key]) => key.endsWith(':id')) ?? []
      const isHidden = /hidden/i.test(state ?? '')
      sheets.push({ name: name ?? '', part: relatedPart('worksheet', id), isHidden })
    },
  })
  return { sheets, is1904, strings: relatedPart('sharedStrings'), styles: relatedPart('styles') }
}

const marks: readonly (readonly [entry: RegExp, looksLike: NotRows])[] = [
  [/^xl\/workbook\.bin$/i, 'xlsb'],
  [/^content\.xml$/i, 'ods'],
  [/^(word|ppt)\/|^index\/document\.iwa$/i, 'office'],
]

function notWorkbook(source: string, { entries }: ZipFile): SourceError {
  const [, looksLike = 'zip'] = marks.find(([mark]) => entries.some(({ name }) => mark.test(name))) ?? []
  return new SourceError('unsupported_source', { source, looksLike })
}

/** Finds a sheet by its name in any case of letters, or by its number; else the first one with rows. */
function findSheet(sheets: readonly Sheet[], requested: SourceSettings['sheet']): Sheet | undefined {
  if (requested === undefined) return sheets.find(({ part }) => part !== undefined)
  const named = sheets.find(({ name }) => name.toLowerCase() === String(requested).toLowerCase())
  const numbered = sheets[Number(requested) - 1]
  return typeof requested === 'number' ? (numbered ?? named) : (named ?? numbered)
}

/** Case does not matter, and some programs write backslashes. */
const pathOf = (folder: string, target: string) =>
  posix.resolve('/', folder, target.replaceAll('\\', '/')).toLowerCase()
