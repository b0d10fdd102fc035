import type { NotRows } from '../../model/errors.ts'
import { SourceError } from '../../model/errors.ts'
import type { ZipFile } from '../zip.ts'

const marks: readonly (readonly [entry: RegExp, looksLike: NotRows])[] = [
  [/^xl\/workbook\.bin$/i, 'xlsb'],
  [/^content\.xml$/i, 'ods'],
  [/^(word|ppt)\/|^index\/document\.iwa$/i, 'office'],
]

/** An archive that holds no workbook that is read. */
export function notWorkbook(source: string, { entries }: ZipFile): SourceError {
  const found = marks.find(([mark]) => entries.some(({ name }) => mark.test(name)))
  return new SourceError('unsupported_source', { source, looksLike: found?.[1] ?? 'zip' })
}
