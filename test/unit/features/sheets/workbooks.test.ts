import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith, rowlift } from '../../../support/rowlift.ts'
import { madeBy, startService } from '../../../support/service.ts'
import { workbookOf } from '../../../support/sheets.ts'

const rowOf = (number: number, ...cells: string[]) =>
  `<row r="${number}">${cells.map(cell => `<c t="str"><v>${cell}</v></c>`).join('')}</row>`
const day = (serial: number) => `<c s="0"><v>${serial}</v></c>`
const book = workbookOf({
  sheets: {
    Notes: rowOf(1, 'Read me'),
    'To do': [
      rowOf(2, 'Plan of the house'),
      rowOf(4, 'Task ID', 'Task', 'Due'),
      rowOf(5, 'T1', 'Paint').replace('</row>', `${day(46300)}</row>`),
      rowOf(7, 'T2', '').replace('</row>', `${day(46301)}</row>`),
    ].join(''),
  },
  formats: [14],
})
const mapping =
  'record: task\nkey: Task ID\nsource: { format: xlsx, sheet: To do, header: { starts_with: Task ID } }\nbody:\n  name: { from: Task, required: true }\n  date_info: { due_date: { from: Due, as: date } }\n'

describe('workbook', () => {
  it('a workbook is drafted for by a sheet, whose header is found, and the draft reads it', async () => {
    const cwd = await folderWith({ 'book.xlsx': book })
    const first = await rowlift(['init', 'book.xlsx'], { cwd })
    expect(first.stdout).toContain('the sheet "To do"')
    expect(first.stdout).toContain('Other sheets of the file: "Notes" (0 rows)')
    const { exitCode } = await rowlift(['init', 'book.xlsx', '--sheet', 'to do', '-o', 'm.yaml'], { cwd })
    expect(exitCode).toBe(0)
    const draft = await readFile(join(cwd, 'm.yaml'), 'utf8')
    expect(draft).toMatch(/^source:\n {2}sheet: "?To do"?\n/m)
    expect(draft).toContain('header on line 4, 3 columns, 2 rows')
    const run = await rowlift(['import', 'book.xlsx', '-m', 'm.yaml', '--dry-run'], { cwd })
    expect(JSON.parse(run.stdout.split('\n')[0] ?? '')).toMatchObject({ name: 'Paint' })
  })

  it('a workbook is drafted for by its columns, also where cells stand beside its table', async () => {
    const rows = [rowOf(1, 'Name', 'Email'), rowOf(2, 'Ada', 'ada@example.com', 'beside')]
    const cwd = await folderWith({ 'book.xlsx': workbookOf({ sheets: { People: rows.join('') } }) })
    const { stdout } = await rowlift(['init', 'book.xlsx'], { cwd })
    expect(stdout).toContain('name: Ada')
    expect(stdout).not.toContain('more cells than the header')
  })

  it('a draft notes the rows that are hidden in a sheet', async () => {
    const rows = [
      rowOf(1, 'Name', 'Email'),
      rowOf(2, 'Ada', 'ada@example.com'),
      rowOf(3, 'Bob', 'bob@example.com'),
    ]
    const hidden = rows.join('').replace('r="3"', 'r="3" hidden="1"')
    const cwd = await folderWith({ 'book.xlsx': workbookOf({ sheets: { People: hidden } }) })
    const { stdout } = await rowlift(['init', 'book.xlsx'], { cwd })
    expect(stdout).toContain('# 1 row is hidden in the sheet (line 3), and read like the others.')
  })

  it('a workbook is drafted for by the sheet with a table, and the others are told with their rows, hidden ones too', async () => {
    const cover = [['Mitgliederverwaltung'], ['Stand', '2026-03-01'], ['Bearbeiter', 'Änne Groß']]
    const people = [
      ['Ruderverein Hafen'],
      ['Name', 'E-Mail', 'Telefon'],
      ['Änne Groß', 'aenne@example.com', '030 901820'],
      ['Jörg Süß', 'joerg@example.com', '030 901821'],
    ]
    const xmlOf = (all: readonly string[][]) => all.map((cells, at) => rowOf(at + 1, ...cells)).join('')
    const sheets = {
      Deckblatt: xmlOf(cover),
      Listen: xmlOf([['Name'], ['Ada'], ['Bob']]),
      Mitglieder: xmlOf(people),
    }
    const names = ['Deckblatt', 'Listen', 'Mitglieder']
    const states = names.map(
      (name, at) =>
        `<sheet name="${name}" sheetId="${at + 1}"${name === 'Listen' ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`,
    )
    const parts = {
      'xl/workbook.xml': `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>${states.join('')}</sheets></workbook>`,
      'xl/worksheets/sheet3.xml': `<?xml version="1.0"?><worksheet><cols><col min="3" max="4" hidden="1"/></cols><sheetData>${sheets.Mitglieder}</sheetData></worksheet>`,
    }
    const cwd = await folderWith({ 'book.xlsx': workbookOf({ sheets, parts }) })
    const { stdout } = await rowlift(['init', 'book.xlsx'], { cwd })
    expect(stdout).toContain('the sheet "Mitglieder", header on line 2, 3 columns, 2 rows')
    expect(stdout).toContain('  sheet: Mitglieder\n')
    expect(stdout.replaceAll('\n# ', ' ')).toContain('"Deckblatt" (0 rows), "Listen" (2 rows, hidden)')
    expect(stdout).toContain('# Columns are hidden in the sheet (C, D), and read like the others.')
  })

  it('a workbook with several tables is drafted for by the first of them', async () => {
    const contacts = [
      rowOf(1, 'Nome', 'E-mail'),
      rowOf(2, 'Ana Sá', 'ana@example.com'),
      rowOf(3, 'Rui Melo', 'rui@example.com'),
    ]
    const tasks = [rowOf(1, 'Tarefa', 'Prazo', 'Prioridade'), rowOf(2, 'Pintar', '2026-03-01', 'alta')]
    const cwd = await folderWith({
      'book.xlsx': workbookOf({ sheets: { Contactos: contacts.join(''), Tarefas: tasks.join('') } }),
    })
    const { stdout } = await rowlift(['init', 'book.xlsx'], { cwd })
    expect(stdout).toContain('the sheet "Contactos"')
    expect(stdout).toContain('Other sheets of the file: "Tarefas" (1 row).')
  })

  it('a workbook has the name of the sheet on the page of a dry run, and its rows as places', async () => {
    const cwd = await folderWith({ 'book.xlsx': book, 'm.yaml': mapping })
    const run = await rowlift(
      ['import', 'book.xlsx', '-m', 'm.yaml', '--dry-run', '--report', 'page.html', '--preview', 'p.ndjson'],
      { cwd },
    )
    expect(run.exitCode).toBe(1)
    expect(await readFile(join(cwd, 'page.html'), 'utf8')).toContain('book.xlsx, sheet &quot;To do&quot;')
    const lines = (await readFile(join(cwd, 'p.ndjson'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.map(({ row, line, status }) => ({ row, line, status }))).toEqual([
      { row: 1, line: 5, status: 'valid' },
      { row: 2, line: 7, status: 'invalid' },
    ])
  })

  it('a workbook rejects rows as CSV, which the same mapping and flags import', async () => {
    const service = await startService()
    const cwd = await folderWith({ 'book.xlsx': book, 'm.yaml': mapping })
    const log = join(cwd, 'r.ndjson')
    const to = [
      '-m',
      join(cwd, 'm.yaml'),
      '--base-url',
      service.url,
      '--organization-id',
      '7',
      '--results',
      log,
    ]
    await rowlift(['import', 'book.xlsx', ...to, '--rejects', 'bad.csv'], { cwd })
    const bad = await readFile(join(cwd, 'bad.csv'), 'utf8')
    expect(bad).toContain('T2,,2026-10-06,')
    const repaired = await folderWith({ 'bad.csv': bad.replace('T2,,', 'T2,Sweep,') })
    const again = await rowlift(['import', join(repaired, 'bad.csv'), ...to], { cwd })
    expect(again.exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Paint', 'Sweep'])
  })

  it('a workbook is not read from a pipe', async () => {
    const cwd = await folderWith({ 'm.yaml': mapping })
    const run = await rowlift(['import', '-', '-m', 'm.yaml', '--dry-run'], { cwd, stdin: book })
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('-: ') })
  })
})
