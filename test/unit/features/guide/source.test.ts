import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import knownExports from '../../../../src/features/draft/known-exports.json' with { type: 'json' }
import type { ReadChange } from '../../../../src/features/guide/api.ts'
import products from '../../../../src/features/guide/products.json' with { type: 'json' }
import { guideOf } from '../../../support/guide-folder.ts'
import { workbookOf } from '../../../support/sheets.ts'

const file = 'list.csv'
const list = `Kontakte;;\nStand: heute;;\nName;E-Mail;Ort\nJürgen Köhler;koehler@example.com;Köln\nAda Groß;gross@example.com;Bonn\nSumme;;2\n`
const latin = Buffer.from(list, 'latin1')

async function read(guide: Awaited<ReturnType<typeof guideOf>>, change: ReadChange, of = file) {
  await guide.calls.read({ file: of, version: await guide.versionOf(of), change })
  return guide.calls.source({ file: of })
}

describe('a file as it was read', () => {
  it('shows its lines with the header where it is, and why others are no rows', async () => {
    const { calls } = await guideOf({ [file]: latin })
    const { lines, header } = await calls.source({ file })
    expect(header).toBe(3)
    expect(lines.map(({ line, kind, reason }) => `${line} ${kind} ${reason}`.trim())).toEqual([
      '1 passed_over title',
      '2 passed_over title',
      '3 header',
      '4 row',
      '5 row',
      '6 left_out total',
    ])
  })

  it('shows a word in each encoding that changes it, and is read by the one that is chosen', async () => {
    const guide = await guideOf({ [file]: latin })
    const { encoding } = await guide.calls.source({ file })
    expect(encoding?.current).toBe('windows-1252')
    expect(encoding?.choices[0]).toEqual({ name: 'windows-1252', sample: 'Jürgen' })
    const other = await read(guide, { type: 'encoding', name: 'windows-1251' })
    expect(other.lines[3]?.cells[0]).toBe('Jьrgen Kцhler')
    expect((await read(guide, { type: 'encoding', name: 'windows-1252' })).lines[3]?.cells[0]).toBe(
      'Jürgen Köhler',
    )
  })

  it('takes another line for its header, is drafted anew by it, and comes back by undo', async () => {
    const guide = await guideOf({ [file]: latin })
    await guide.calls.columns({ file })
    const before = await guide.read('list.yaml')
    expect((await read(guide, { type: 'header', line: 4 })).header).toBe(4)
    expect((await guide.calls.columns({ file })).columns.map(({ name }) => name)).toContain('Köln')
    expect((await read(guide, { type: 'header', line: 1 })).header).toBe(1)
    expect((await read(guide, { type: 'header', line: 3 })).header).toBe(3)
    expect((await guide.fileOf(file))?.fault).toBeNull()
    for (let count = 0; count < 3; count += 1)
      await guide.calls.undo({ file, version: await guide.versionOf(file) })
    expect(await guide.read('list.yaml')).toBe(before)
  })

  it('has no header by the answer that line 1 is a row, and is drafted anew', async () => {
    const guide = await guideOf({ [file]: 'Buy milk\nCall Bob\nWater plants\n' })
    const { questions } = await guide.calls.questions({ file })
    expect(questions.find(({ id }) => id === 'source.header')?.text).toMatch(/^Is line 1 .* as the header\.$/)
    const version = await guide.versionOf(file)
    await guide.calls.answer({ file, version, id: 'source.header', choice: 'row' })
    const { header, lines } = await guide.calls.source({ file })
    expect([header, lines.map(({ kind }) => kind)]).toEqual([null, ['row', 'row', 'row']])
    expect((await guide.calls.columns({ file })).columns.map(({ name }) => name)).toEqual(['Column 1'])
    const left = await guide.calls.questions({ file })
    expect(left.questions.map(({ id }) => id)).not.toContain('source.header')
  })

  it('changes a mapping that fits by a single key', async () => {
    const own = 'record: contact # mine\nbody: { name: { from: Name } }\n'
    const guide = await guideOf({
      'list.csv': Buffer.from('Name,City\nJürgen,Köln\n', 'latin1'),
      'list.yaml': own,
    })
    await read(guide, { type: 'encoding', name: 'windows-1252' })
    expect(await guide.read('list.yaml')).toBe(
      'record: contact # mine\nsource:\n  encoding: windows-1252\n\nbody: { name: { from: Name } }\n',
    )
  })

  it('imports a line again that was left out, and only that one', async () => {
    const tasks =
      'Task,Due,Owner\nPhase 1,,\nWrite,2026-01-02,ann@x.com\nPhase 2,,\nRead,2026-01-03,bob@x.com\nLook,2026-01-04,bob@x.com\nTotal,,2\n'
    const guide = await guideOf({ 'tasks.csv': tasks })
    const of = 'tasks.csv'
    await guide.calls.columns({ file: of })
    await guide.calls.answer({
      file: of,
      version: await guide.versionOf(of),
      id: 'where',
      choice: 'no-titles',
    })
    const leftOut = async () => {
      const { lines } = await guide.calls.source({ file: of })
      return lines.filter(({ kind }) => kind === 'left_out').map(({ line, reason }) => `${line} ${reason}`)
    }
    expect(await leftOut()).toEqual(['2 section', '4 section', '7 total'])
    await read(guide, { type: 'take_back', line: 4 }, of)
    expect(await leftOut()).toEqual(['2 section', '7 total'])
    await read(guide, { type: 'take_back', line: 2 }, of)
    await read(guide, { type: 'take_back', line: 7 }, of)
    expect(await leftOut()).toEqual([])
    expect(await guide.read('tasks.yaml')).not.toMatch(/^where:/m)
    await expect(read(guide, { type: 'take_back', line: 2 }, of)).rejects.toMatchObject({ code: 'bad_call' })
  })

  it.each([
    ['where: { Kind: person }', 'where: { Kind: [person, firm] }'],
    ['where: { Kind: [person, club] }', 'where: { Kind: [person, club, firm] }'],
    ['where: { Kind: { in: [person] } }', 'where: { Kind: { in: [person, firm] } }'],
    [
      'where: { Kind: { not: [firm, x] }, Name: { empty: false } }',
      'where: { Kind: { not: [x] }, Name: { empty: false } }',
    ],
  ])('changes %s to take a line back', async (before, now) => {
    const own = `record: contact\n${before}\nbody: { name: { from: Name } }\n`
    const guide = await guideOf({ 'list.csv': 'Name,Kind\nAda,person\nAcme,firm\n', 'list.yaml': own })
    await read(guide, { type: 'take_back', line: 3 })
    expect(await guide.read('list.yaml')).toContain(now)
  })

  it('of a workbook has its sheets with their rows, and reads the one that is chosen', async () => {
    const row = (...cells: string[]) =>
      `<row>${cells.map(cell => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`
    const sheets = {
      Cover: row('Our people') + row('made in May'),
      People: row('Name', 'E-Mail') + row('Ada', 'ada@example.com') + row('Alan', 'alan@example.com'),
      Firms: row('Company', 'Website') + row('Acme', 'acme.example'),
    }
    const guide = await guideOf({ 'book.xlsx': workbookOf({ sheets }) })
    const book = await guide.calls.source({ file: 'book.xlsx' })
    const told = book.sheets.map(({ name, rows, isChosen }) => `${name} ${rows}${isChosen ? ' chosen' : ''}`)
    expect(told).toEqual(['People 2 chosen', 'Cover 1', 'Firms 1'])
    const { lines, sheets: others } = await read(guide, { type: 'sheet', name: 'Firms' }, 'book.xlsx')
    expect(lines[1]?.cells).toEqual(['Acme', 'acme.example'])
    expect(others.find(({ name }) => name === 'People')).toMatchObject({ rows: 2, isChosen: false })
    expect((await read(guide, { type: 'sheet', name: 'Cover' }, 'book.xlsx')).lines[0]?.cells[0]).toBe(
      'Our people',
    )
  })
})

describe('what a file is', () => {
  it('is told by two rows of each kind, and another kind drafts anew', async () => {
    const { calls, fileOf } = await guideOf({
      'people.csv': 'Name,E-Mail\nAda,ada@example.com\nAlan,alan@example.com\n',
    })
    const { choices, chosen, recognized } = await calls.kinds({ file: 'people.csv' })
    expect({ chosen, recognized }).toEqual({ chosen: 'contact', recognized: null })
    expect(choices.map(({ record, samples }) => [record, samples.map(({ name }) => name)])).toEqual([
      ['contact', ['Ada', 'Alan']],
      ['task', ['Ada', 'Alan']],
      ['both', ['Ada', 'Ada']],
    ])
    await calls.record({ file: 'people.csv', record: 'task' })
    expect(await fileOf('people.csv')).toMatchObject({ record: 'task', canUndo: true, fault: null })
  })

  it('is both: two mappings of one file, each with its own columns, until one of them is chosen', async () => {
    const files = { 'people.csv': 'Name,E-Mail\nAda,ada@example.com\nAlan,alan@example.com\n' }
    const { calls, state, choose, columnOf, guide, read } = await guideOf(files)
    const imports = async () =>
      (await state()).files.map(({ source, name, record, fault, mapping }) => {
        return [source, name, record, fault, mapping?.name]
      })
    const people = ['people.csv', 'people.csv', 'contact', null, 'people.yaml']
    await calls.record({ file: 'people.csv', record: 'both' })
    await calls.record({ file: 'people.csv', record: 'both' })
    const second = 'people.csv:task'
    expect(await imports()).toEqual([people, [second, 'people.csv', 'task', null, 'people.as-tasks.yaml']])
    expect((await calls.kinds({ file: second })).chosen).toBe('both')
    await choose(second, 'E-Mail', { type: 'field', path: 'description' })
    expect((await columnOf(second, 'E-Mail'))?.fields).toEqual(['description'])
    expect((await columnOf('people.csv', 'E-Mail'))?.fields).toEqual(['emails.email'])
    expect(guide.service.namesOf(second)).toMatchObject({
      source: guide.mappings.inFolder('people.csv'),
      log: guide.mappings.inFolder('people.as-tasks.practice.results.ndjson'),
      corrected: guide.mappings.inFolder('people.as-tasks.corrected.csv'),
    })
    await calls.record({ file: second, record: 'contact' })
    expect(await imports()).toEqual([people])
    expect(await read('people.as-tasks.yaml.old')).toContain('description: { from: E-Mail, as: html }')
    expect((await calls.kinds({ file: second })).chosen).toBe('contact')
    await calls.record({ file: 'people.csv', record: 'both' })
    expect((await columnOf(second, 'E-Mail'))?.fields).toEqual(['description'])
    await expect(calls.columns({ file: 'people.csv:card' })).rejects.toThrow('is no source of this page')
  })
})

describe('the names of products', () => {
  it('are there for each preset that is recognized', () => {
    const presets = Object.values(knownExports).flatMap(exports => Object.keys(exports))
    expect(Object.keys(products).sort()).toEqual(presets.sort())
  })
})

describe('questions and worksheets', () => {
  const tasks =
    'Task,Due,Assignee,Status\nWrite,03/04/2026,Ann,Done\nRead,05/06/2026,Bob,Open\nLook,07/08/2026,Ann,Open\n'

  it('a question has the values of the file and what each answer changes', async () => {
    const { calls, versionOf, fileOf } = await guideOf({ 'tasks.csv': tasks })
    const { questions } = await calls.questions({ file: 'tasks.csv' })
    expect(questions[0]).toMatchObject({
      id: 'date_info.due_date',
      columns: ['Due'],
      examples: ['03/04/2026', '05/06/2026', '07/08/2026'],
    })
    expect(questions[0]?.choices[1]).toMatchObject({ id: 'month-first', isDefault: false })
    expect(questions[0]?.choices[1]?.effect[0]).toEqual({
      row: 1,
      before: '',
      path: 'date_info.due_date',
      label: 'Date info: due date',
      after: '2026-03-04T00:00:00',
    })
    await calls.answer({
      file: 'tasks.csv',
      version: await versionOf('tasks.csv'),
      id: 'date_info.due_date',
      choice: 'month-first',
    })
    expect((await fileOf('tasks.csv'))?.open).toEqual({ columns: 0, questions: 0 })
  })

  it('a question whose lines were edited can be called settled', async () => {
    const own = 'record: task\nbody:\n  # ? Is that right?\n  name: { from: Task }\n'
    const { calls, versionOf, read } = await guideOf({ 'tasks.csv': tasks, 'tasks.yaml': own })
    const [question] = (await calls.questions({ file: 'tasks.csv' })).questions
    expect(question?.text).toBe('Is that right?')
    await calls.answer({
      file: 'tasks.csv',
      version: await versionOf('tasks.csv'),
      id: question?.id ?? '',
      choice: 'settled',
    })
    expect(await read('tasks.yaml')).toContain('  # Is that right?\n')
  })

  it('a worksheet is filled in place, and what becomes of the column follows', async () => {
    const { calls, columnOf, folder } = await guideOf({ 'tasks.csv': tasks })
    const { worksheets } = await calls.worksheets({ file: 'tasks.csv' })
    const users = worksheets.find(({ name }) => name === 'users.csv')
    expect(users).toMatchObject({
      missing: 2,
      rows: [
        ['Ann', '', '2', 'tasks.csv:2'],
        ['Bob', '', '1', 'tasks.csv:3'],
      ],
    })
    const fill = { file: 'tasks.csv', worksheet: 'users.csv', row: 'Ann' }
    await calls.fill({ ...fill, value: '7' })
    expect(await readFile(join(folder, 'worksheets/users.csv'), 'utf8')).toContain('Ann,7,2,tasks.csv:2')
    expect((await columnOf('tasks.csv', 'Assignee'))?.values[0]).toMatchObject({ before: 'Ann', after: '7' })
    await expect(calls.fill({ ...fill, row: 'Nobody', value: '1' })).rejects.toMatchObject({
      code: 'bad_call',
    })
    await expect(calls.fill({ ...fill, worksheet: '../tasks.csv', value: '1' })).rejects.toMatchObject({
      code: 'outside',
    })
    await writeFile(join(folder, 'worksheets/users.csv'), 'name;user_id;rows\nAnn;;2\n')
    await calls.fill({ ...fill, value: '8' })
    expect(await readFile(join(folder, 'worksheets/users.csv'), 'utf8')).toContain('Ann;8;2')
  })
})
