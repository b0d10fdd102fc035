import { checkUnchanged, firstOf, readBytes } from '../../input/bytes.ts'
import type { Reader, SourceFile } from '../../input/reader.ts'
import { formatIn, unsupported } from '../../input/sniff/format.ts'
import { type OpenSource, type SourceSettings, unpackedName } from '../../input/source.ts'
import { openTable } from '../../input/table.ts'
import { SourceError } from '../../model/errors.ts'
import { openWorkbook } from './workbook.ts'

export const sheetReader: Reader = {
  open: ({ path, file }, settings) => openSheet(path, settings, file),
  opensFiles: true,
}

/** Reads a sheet up to its header. Throws a SourceError, also if the file is not of the version. */
export async function openSheet(
  path: string,
  settings: SourceSettings,
  file: SourceFile | undefined,
): Promise<OpenSource> {
  const isPacked = file?.found.entry !== undefined || path !== unpackedName(path)
  if (file === undefined || isPacked) throw new SourceError('workbook_in_stream', { source: path, isPacked })
  await checkSignature(path, file)
  const { found, context } = file
  const { records, sheet, sheets, close } = await openWorkbook(path, settings, context)
  const checked = async function* () {
    await checkUnchanged(found)
    yield* records
    await checkUnchanged(found)
  }
  try {
    const { header } = settings
    const table = await openTable(checked(), { source: path, header, ragged: 'sheet', delimiter: ',' })
    return { ...table, sheet, sheets, close }
  } catch (error) {
    await close()
    const isEmpty = error instanceof SourceError && error.code === 'no_header'
    const others = sheets.filter(name => name !== sheet)
    throw isEmpty ? new SourceError('empty_sheet', { source: path, sheet, others }) : error
  }
}

/** Throws a SourceError for what is no archive: older and encrypted workbooks tell what they are in their directory. */
async function checkSignature(path: string, { context, found }: SourceFile): Promise<void> {
  const readAt = (at: number) =>
    firstOf(
      readBytes(path, { ...context, onRead: () => {} }, found, Math.min(at, Number(found.version.size))),
    )
  const head = await readAt(0)
  const directory =
    head.length < 512 ? head : await readAt((head.readUInt32LE(48) + 1) * 2 ** (head.readUInt16LE(30) % 16))
  const looksLike = formatIn('', Buffer.concat([head, directory]), {})
  if (looksLike !== 'zip') throw unsupported(path, looksLike === 'csv' ? 'text' : looksLike)
}
