import { posix } from 'node:path'
import type { ArchiveEntry, SourceSettings } from '../../input/source.ts'
import { type NotRows, SourceError } from '../../model/errors.ts'
import { openZip, type ZipFile } from '../archives/zip.ts'
import { readStyles } from './numbers.ts'
import { SharedStrings } from './shared-strings.ts'
import { sheetRecords } from './sheet.ts'
import { type Attributes, type Part, readWhole } from './xml.ts'

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

/** Days count from 1904 if it began on an old Macintosh, else from 1900. */
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

/** A part that another one refers to. */
interface Relationship {
  readonly id: string
  /** The last word of its type, which transitional and strict workbooks share. */
  readonly type: string
  readonly path: string
}

/** Finds the parts of a workbook by what refers to them: no name of a part is certain. */
class Parts {
  readonly #source: string
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, ArchiveEntry>

  constructor(source: string, zip: ZipFile) {
    this.#source = source
    this.#zip = zip
    this.#entries = new Map(zip.entries.map(entry => [pathOf('/', entry.name), entry]))
  }

  at(path = ''): Part | undefined {
    const entry = this.#entries.get(path)
    return entry && { source: this.#source, name: entry.name, bytes: () => this.#zip.read(entry) }
  }

  /** Relationships of the part at a path, or of the workbook as a whole. Throws a SourceError. */
  async relationshipsOf(path = '/'): Promise<readonly Relationship[]> {
    const folder = posix.dirname(path)
    const found: Relationship[] = []
    const part = this.at(posix.join(folder, '_rels', `${posix.basename(path)}.rels`))
    const open = (name: string, { Id, Type, Target }: Attributes) => {
      if (name !== 'Relationship') return
      const type = posix.basename(Type ?? '')
      found.push({ id: Id ?? '', type, path: pathOf(folder, Target ?? '') })
    }
    if (part) await readWhole(part, { open })
    return found
  }
}

/** Case does not matter, and some programs write backslashes. */
const pathOf = (folder: string, target: string) =>
  posix.resolve('/', folder, target.replaceAll('\\', '/')).toLowerCase()
