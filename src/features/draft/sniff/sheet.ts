import type { SourceFile } from '../../../input/reader.ts'
import { formatOf, type SourceSettings } from '../../../input/source.ts'
import { openSheet } from '../../sheets/sheet-reader.ts'
import { sniffHeader } from './header.ts'
import type { GivenSettings, Sniffed } from './sniffed.ts'

const sampleRecords = 200

/** Finds the header of a sheet. Throws a SourceError. */
export async function sniffSheet(
  path: string,
  given: GivenSettings,
  file: SourceFile | undefined,
): Promise<Sniffed> {
  const usual = { format: formatOf(path) === 'xlsx', delimiter: true, encoding: true }
  const settings: SourceSettings = {
    format: 'xlsx',
    sheet: given.sheet,
    header: { type: 'first_line' },
    ragged: 'invalid',
  }
  const noHeader: SourceSettings = { ...settings, header: { type: 'columns', columns: [] } }
  const { sheets = [], sheet = '', rows, close } = await openSheet(path, noHeader, file)
  const cells: string[][] = []
  for await (const batch of rows) {
    cells.push(...batch.map(row => [...row.cells()].map(([, cell]) => String(cell))))
    if (cells.length >= sampleRecords) break
  }
  await close()
  const width = Math.max(0, ...cells.map(({ length }) => length))
  const header = sniffHeader(cells.map(row => Array.from({ length: width }, (_, at) => row[at] ?? '')))
  const read = { ...settings, header: header.rule }
  return {
    settings: read,
    encoding: { name: 'utf-8', by: 'valid' },
    header,
    quotes: undefined,
    sheet: { name: sheet, others: sheets.filter(name => name !== sheet), isFirst: sheet === sheets[0] },
    usual,
    open: () => openSheet(path, read, file),
  }
}
