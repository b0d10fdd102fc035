import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../support/cleanup.ts'
import { cellsOf, check, rowsOf } from '../../../support/read-input.ts'

const folder = fileURLToPath(new URL('../../../../samples/sheets/', import.meta.url))
const samples = readdirSync(folder).flatMap(name => (name.endsWith('.xlsx') ? [name.slice(0, -5)] : []))

/** LibreOffice writes these as their format shows them. */
const formatted = new Set(['Born', 'Seen', 'Starts', 'Start', 'Due', 'Worked', 'Share'])

/** The rows of a CSV file that hold something, each with as many cells. */
const rowsIn = (csv: string): string[][] =>
  parse(csv, { relax_column_count: true }).filter((cells: string[]) => cells.some(cell => cell !== ''))

/** A sheet with its header, where a formatted cell only says whether it is empty. */
function comparable([header = [], ...rows]: readonly (readonly string[])[]): string[][] {
  const shown = (cell: string, at: number) => (formatted.has(header[at] ?? '') ? String(cell !== '') : cell)
  return [[...header], ...rows.map(row => header.map((_, at) => shown(row[at] ?? '', at)))]
}

async function read(name: string): Promise<string[][]> {
  const [source] = await check([join(folder, `${name}.xlsx`)])
  const rows = source ? await rowsOf([source]) : []
  return [[...(source?.columns ?? [])], ...(cellsOf(rows) as string[][])]
}

describe('workbook', () => {
  it.each(samples)('a workbook of %s has the cells that LibreOffice exports', async name => {
    const exported = rowsIn(readFileSync(join(folder, `${name}.csv`), 'utf8'))
    expect(comparable(await read(name))).toEqual(comparable(exported))
  })

  it('a workbook has the same dates and times, whatever program wrote it', async () => {
    const times = async (name: string) => (await read(name)).slice(1, 5).map(row => row.slice(2, 5))
    const expected = [
      ['1985-04-12', '2026-10-05T14:30:00', '09:05:00'],
      ['1900-03-01', '2026-12-31T23:59:59', '00:00:00'],
      ['2000-02-29', '1999-01-01T00:00:00', '23:59:59'],
      ['2100-03-01', '2026-03-29T02:30:00', '12:00:00'],
    ]
    for (const name of ['openpyxl', 'xlsxwriter', 'inline-strings'])
      expect(await times(name)).toEqual(expected)
    expect((await times('libreoffice')).slice(0, 2)).toEqual([
      expected[0],
      ['1900-03-01', '2026-12-31T23:59:59', '26:30:00'],
    ])
    expect((await read('strict')).slice(1)).toEqual([
      ['Paint the  door', '2026-10-05', '2026-10-05T14:30:00', '26:30:00', 'TRUE'],
      ['東京', '2026-10-05', '', '', 'FALSE'],
    ])
  })

  it('a workbook is exported by LibreOffice as it was for the samples', async ({ skip }) => {
    const outdir = await tempFolder()
    const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,1'
    const files = samples.map(name => join(folder, `${name}.xlsx`))
    const profile = `-env:UserInstallation=file://${outdir}/profile`
    const args = [profile, '--headless', '--convert-to', filter, '--outdir', outdir, ...files]
    const run = await promisify(execFile)('soffice', args).catch(error => error)
    if (run.code === 'ENOENT') skip('LibreOffice (soffice) is missing')
    for (const name of samples) {
      const exported =
        readdirSync(outdir).find(file => file.startsWith(`${name}-`) && file.endsWith('.csv')) ?? ''
      const own = readFileSync(join(outdir, exported), 'utf8')
      expect(rowsIn(own)).toEqual(rowsIn(readFileSync(join(folder, `${name}.csv`), 'utf8')))
    }
  }, 60_000)
})
