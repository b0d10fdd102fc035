import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importOf } from '../../../support/imports.ts'
import { lineText, logOf, openingLine, rowLine } from '../../../support/log-files.ts'
import { linesOf, outcomesIn, rowlift } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'
import { sheetOf } from '../../../support/sheets.ts'

const idOf = (number: number) => `9d2f0000-0000-4000-8000-${String(number).padStart(12, '0')}`
const byEmail = ['--id', 'Id', '--match', 'Email=emails.0.email']
const unshared = openingLine('R1', { use_created: false })

const contact = (name: string, fields: object = {}) => ({
  name,
  emails: [{ email: `${name.toLowerCase()}@example.com` }],
  ...fields,
})

/** A row in doubt of which this was sent. */
const doubtOf = (row: number, body: object, changes: object = {}) =>
  rowLine('in_doubt', row, { record_type: 'contact', errors: [], body, ...changes })

/** A log of these lines, and an export beside it. */
async function beside(lines: readonly object[], text: string | Buffer, name = 'export.csv') {
  const log = await logOf(...lines)
  await writeFile(join(dirname(log), name), text)
  return around(log, name)
}

function around(log: string, name: string) {
  const cwd = dirname(log)
  const resolve = (...words: string[]) =>
    rowlift(['resolve', 'results.ndjson', '--from', name, ...words], { cwd })
  const byHand = async () => (await outcomesIn(log)).filter(({ by_hand }) => by_hand)
  return { log, cwd, resolve, byHand }
}

/** The same with the log of an import that made one record, which the export shows; --complete is tested by it. */
async function besideKnown(lines: readonly object[], text: string, use_created = false) {
  const service = await startService()
  const source = 'Email\nzed@example.com\n'
  const map = `record: contact\nkey: Email\nuse_created: ${use_created}\nbody: { emails: [{ email: "{{Email}}" }] }\n`
  const cwd = await files({ 'known.csv': source, 'known.yaml': map })
  expect((await rowlift(importOf('known.csv', 'known.yaml', service.url), { cwd })).exitCode).toBe(0)
  const log = join(cwd, 'results.ndjson')
  const id = String(service.made[0]?.recordId)
  await appendFile(log, lines.map(lineText).join(''))
  await writeFile(join(cwd, 'export.csv'), `${text}${id},zed@example.com\n`)
  return { id, ...around(log, 'export.csv') }
}

describe('rows in doubt and an export of the service', () => {
  it('rows in doubt get the record that matches alone, and keep the name of the export', async () => {
    const { resolve, byHand, cwd } = await beside(
      [unshared, doubtOf(1, contact('Ada')), doubtOf(2, contact('Bob'))],
      `Id,Email\n${idOf(1)},ADA@Example.com \n${idOf(2)}, bob@example.com\n${idOf(2).toUpperCase()},bob@example.com\n${idOf(7)},eve@example.com\n,nobody@example.com\nx,y\n`,
    )
    const { exitCode, stdout, stderr } = await resolve(...byEmail)
    expect(linesOf(stdout)).toEqual([
      { key: 'k1', source: 'contacts.csv', row: 1, line: 2, decision: 'created', record_id: idOf(1) },
      {
        key: 'k2',
        source: 'contacts.csv',
        row: 2,
        line: 3,
        decision: 'created',
        record_id: expect.any(String),
      },
    ])
    expect(stderr).toBe(
      'results.ndjson: 2 rows settled by export.csv: 2 have their record, 0 were not created; no row is in doubt any more.\n2 rows of export.csv have no id of a record, and were not used.\n',
    )
    expect(exitCode).toBe(0)
    expect(await byHand()).toMatchObject([
      { row: 1, status: 'created', record_id: idOf(1), by_hand: true, export: 'export.csv' },
      { row: 2, status: 'created', by_hand: true, export: 'export.csv' },
    ])
    expect((await rowlift(['resolve', 'results.ndjson'], { cwd })).stderr).toContain('No row is in doubt')
  })

  it('rows in doubt are compared in the forms in which the mapping writes values', async () => {
    const body = contact('Zoë  Q', {
      phones: [{ phone_number: '+442079460199' }],
      date_info: { due_date: '2026-10-05T07:30:00', duration: 1.5 },
      archived: false,
    })
    const { resolve } = await beside(
      [openingLine('R1', { use_created: false, record: 'task' }), doubtOf(1, body)],
      `Id;Full=Name;Phone;Due;Took;Old\n${idOf(1)};"Zoe\u0308 Q ";020 7946 0199;2026-10-05T09:30:00.000+02:00;1.50;FALSE\n`,
    )
    const words = ['Full=Name=name', 'Due=date_info.due_date', 'Took=date_info.duration', 'Old=archived']
    const { exitCode } = await resolve(
      ...['--id', 'Id', '--match', 'Phone=phones.0.phone_number', '--country', 'GB'],
      ...words.flatMap(word => ['--match', word]),
    )
    expect(exitCode).toBe(0)
  })

  it.each([
    ['2026-10-05T00:00:00', '2026-10-05'],
    ['2026-10-05T00:00:00Z', '2026-10-05 00:00'],
    ['2026-10-05', '2026-10-05T00:00:00.000Z'],
  ])('rows in doubt read %s and %s as one time', async (sent, found) => {
    const { resolve } = await beside([unshared, doubtOf(1, { name: sent })], `Id,Name\n${idOf(1)},${found}\n`)
    expect((await resolve('--id', 'Id', '--match', 'Name=name')).exitCode).toBe(0)
  })

  it('rows in doubt stay if several records or rows match, or a match has no id', async () => {
    const { resolve, byHand, log } = await besideKnown(
      [
        ...[1, 2].map(row => doubtOf(row, contact('Ada'))),
        ...[doubtOf(3, contact('Bob')), doubtOf(4, contact('Cy')), doubtOf(5, { name: 'no address' })],
      ],
      `Id,Email\n${[1, 2, 3].map(id => `${idOf(id)},bob@example.com\n`).join('')}${idOf(4)},ada@example.com\n,cy@example.com\n${idOf(9)},\n`,
    )
    const before = await readFile(log, 'utf8')
    const { exitCode, stdout, stderr } = await resolve(...byEmail, '--complete')
    expect(exitCode).toBe(1)
    expect(linesOf(stdout).map(({ row, decision, candidates }) => [row, decision, candidates])).toEqual([
      [1, 'in_doubt', [idOf(4)]],
      [2, 'in_doubt', [idOf(4)]],
      [3, 'in_doubt', [1, 2, 3].map(idOf)],
      [4, 'in_doubt', []],
      [5, 'in_doubt', []],
    ])
    expect(stderr).toContain('5 rows are in doubt still')
    expect(stderr).toContain('rowlift resolve results.ndjson --key KEY --record-id ID')
    expect(await byHand()).toEqual([])
    expect(await readFile(log, 'utf8')).toBe(before)
  })

  it('rows in doubt stay if one record matches several of them by several lines', async () => {
    const { resolve, byHand } = await besideKnown(
      [doubtOf(1, contact('Ada')), doubtOf(2, contact('Bob')), doubtOf(3, contact('Cy'))],
      `Id,Email\n${idOf(1)},ada@example.com\n${idOf(1).toUpperCase()},bob@example.com\n${idOf(3)},cy@example.com\n`,
    )
    const { stdout } = await resolve(...byEmail, '--complete')
    expect(linesOf(stdout).map(({ decision }) => decision)).toEqual(['in_doubt', 'in_doubt', 'created'])
    expect(await byHand()).toMatchObject([{ row: 3, record_id: idOf(3) }])
  })

  it('rows in doubt are told with the first ten of many candidates and their number', async () => {
    const many = Array.from({ length: 25 }, (_, at) => `${idOf(at)},ada@example.com\n`)
    const { resolve } = await beside([unshared, doubtOf(1, contact('Ada'))], `Id,Email\n${many.join('')}`)
    const [line] = linesOf((await resolve(...byEmail)).stdout)
    expect([line.candidates.length, line.found]).toEqual([10, 25])
  })

  it('rows in doubt that are not found stay, unless the export is complete', async () => {
    const { resolve, byHand } = await besideKnown(
      [doubtOf(1, contact('Ada')), doubtOf(2, contact('Bob'), { errors: [{ code: 'damaged_line' }] })],
      'Id,Email\n',
    )
    const open = await resolve(...byEmail)
    expect(open.exitCode).toBe(1)
    expect(open.stderr).toContain('made after the last call: add --complete')
    expect(await byHand()).toEqual([])
    expect((await resolve(...byEmail, '--complete')).exitCode).toBe(1) // a damaged line may hold another body
    expect(await byHand()).toMatchObject([
      { row: 1, status: 'failed', export: 'export.csv', errors: [{ code: 'settled_not_created' }] },
    ])
  })

  it('rows in doubt stay if the header of the export has a column twice', async () => {
    const { resolve, byHand } = await beside(
      [unshared, doubtOf(1, contact('Ada'))],
      `Id,Email,Email\n${idOf(1)},a,b\n`,
    )
    const { exitCode, stderr } = await resolve(...byEmail, '--complete')
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('has the column "Email" several times')])
    expect(await byHand()).toEqual([])
  })

  it('rows in doubt stay if a complete export has none of the records of the log', async () => {
    const { resolve, byHand } = await beside(
      [unshared, rowLine('created', 1, { record_id: idOf(1) }), doubtOf(2, contact('Bob'))],
      `Id,Email\n${idOf(7)},eve@example.com\n`,
    )
    const { exitCode, stderr } = await resolve(...byEmail, '--complete')
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('of the 1 record that results.ndjson knows'),
    ])
    expect(await byHand()).toEqual([])
  })

  it('rows in doubt stay if they were sent otherwise before, unless that made nothing', async () => {
    const sent = (row: number, name: string) => doubtOf(row, contact(name))
    const { resolve, byHand } = await besideKnown(
      [
        ...[sent(1, 'Ada'), sent(1, 'Ada L'), sent(2, 'Bob'), sent(2, 'Bob')],
        ...[sent(3, 'Cy'), rowLine('failed', 3, { by_hand: true }), sent(3, 'Cy S')],
      ],
      `Id,Email\n${idOf(1)},ada@example.com\n`,
    )
    expect((await resolve(...byEmail, '--complete')).exitCode).toBe(1)
    expect((await byHand()).filter(line => line.export).map(({ row, status }) => [row, status])).toEqual([
      [2, 'failed'],
      [3, 'failed'],
    ])
  })

  it.each([
    ['is not created', false, 'failed', []],
    ['stays in doubt where the service may give a record twice', true, 'in_doubt', [idOf(1)]],
  ])(
    'rows in doubt whose only match is the record of another row %s',
    async (_, use_created, decision, candidates) => {
      const { resolve } = await besideKnown(
        [rowLine('existing', 1, { record_id: idOf(1) }), doubtOf(2, contact('Ada'))],
        `Id,Email\n${idOf(1).toUpperCase()},ada@example.com\n`,
        use_created,
      )
      const [line] = linesOf((await resolve(...byEmail, '--complete')).stdout)
      expect(line).toMatchObject({ row: 2, decision })
      expect(line.candidates.map((id: string) => id.toLowerCase())).toEqual(candidates)
    },
  )

  it('rows in doubt are shown by a dry run, which writes nothing', async () => {
    const { resolve, cwd, log } = await beside(
      [unshared, doubtOf(1, contact('Ada')), doubtOf(2, contact('Bob'))],
      `Id,Email\n${idOf(1)},ada@example.com\n`,
    )
    const before = await readFile(log, 'utf8')
    const dry = await resolve(...byEmail, '--dry-run')
    expect(dry.exitCode).toBe(1)
    expect(dry.stderr).toContain('1 row would be settled by export.csv')
    expect(await readFile(log, 'utf8')).toBe(before)
    const table = await rowlift(['resolve', log, '--from', 'export.csv', ...byEmail, '--dry-run'], {
      ...{ cwd, onTerminal: true },
    })
    expect(table.stdout.split('\n').map(line => line.trim().split(/ {2,}/))).toEqual([
      ['key', 'decision', 'found', 'records'],
      ['k1', 'created', '1', idOf(1)],
      ['k2', 'in_doubt', '0'],
      [''],
      [''],
    ])
  })

  it.each([
    ['export.ndjson', `{"id":"${idOf(1)}","body":{"mail":"ADA@EXAMPLE.COM"}}\n`, 'id', 'body.mail'],
    ['export.json', `{"data":[{"id":"${idOf(1)}","body":{"mail":"ada@example.com"}}]}`, 'id', 'body.mail'],
    ['export.tsv', `Id\tMail\n${idOf(1)}\tada@example.com\n`, 'Id', 'Mail'],
  ])('rows in doubt are found in %s', async (name, text, id, column) => {
    const { resolve } = await beside([unshared, doubtOf(1, contact('Ada'))], text, name)
    expect((await resolve('--id', id, '--match', `${column}=emails.0.email`)).exitCode).toBe(0)
  })

  it('rows in doubt are found in a sheet', async () => {
    const rowOf = (...cells: string[]) =>
      `<row>${cells.map(cell => `<c t="str"><v>${cell}</v></c>`).join('')}</row>`
    const sheet = sheetOf(rowOf('Id', 'Mail') + rowOf(idOf(1), 'ada@example.com'))
    const { resolve } = await beside([unshared, doubtOf(1, contact('Ada'))], sheet, 'export.xlsx')
    expect((await resolve('--id', 'Id', '--match', 'Mail=emails.0.email')).exitCode).toBe(0)
  })

  it.each([
    [
      'an id column that is not there',
      ['--id', 'Idd', '--match', 'Email=name'],
      'export.csv: there is no column "Idd"; did you mean "Id"?; the columns are Id, Email',
    ],
    [
      'a matched column that is not there',
      ['--id', 'Id', '--match', 'Phone=name'],
      'there is no column "Phone"',
    ],
    [
      'a field that is none',
      ['--id', 'Id', '--match', 'Email=email'],
      'a contact has no field with email in its name',
    ],
    ['a match without a field', ['--id', 'Id', '--match', 'Email'], '--match: must be COLUMN=PATH'],
    ['an export without --match', ['--id', 'Id'], '--match is required'],
    ['an export without --id', ['--match', 'Email=name'], '--id is required'],
    ['a country that is none', [...byEmail, '--country', 'Neverland'], '--country: must be a country code'],
    ['an export and --all', [...byEmail, '--all', '--not-created'], '--from EXPORT --id COLUMN'],
    ['an export and --key', [...byEmail, '--key', 'k1'], '--from EXPORT --id COLUMN'],
    ['a log and --ledger', [...byEmail, '--ledger', 'postgres://127.0.0.1/x'], 'name one result log'],
  ])('rows in doubt are not settled by %s', async (_, words, message) => {
    const { resolve, log } = await beside(
      [unshared, doubtOf(1, contact('Ada'))],
      `Id,Email\n${idOf(1)},ada@example.com\n`,
    )
    const before = await readFile(log, 'utf8')
    const { exitCode, stderr } = await resolve(...words)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(2)
    expect(await readFile(log, 'utf8')).toBe(before)
  })

  it.each([
    ['a broken row', `Id,Email\n${idOf(1)},ada@example.com,x\n`, 'export.csv:2: '],
    [
      'a column that no object has',
      '',
      'there is no column "Email"',
      'export.ndjson',
      `{"Id":"${idOf(1)}"}\n`,
    ],
    ['nothing', '', 'export.csv: '],
  ])(
    'rows in doubt are not settled by an export with %s',
    async (_, csv, message, name = 'export.csv', text = csv) => {
      const { resolve, byHand } = await beside([unshared, doubtOf(1, contact('Ada'))], text, name)
      const { exitCode, stderr } = await resolve(...byEmail, '--complete')
      expect(stderr).toContain(message)
      expect(exitCode).toBe(2)
      expect(await byHand()).toEqual([])
    },
  )

  it('rows in doubt are settled by options of an export only together with one', async () => {
    const { cwd } = await beside([unshared, doubtOf(1, contact('Ada'))], '')
    for (const words of [['--complete'], ['--dry-run'], byEmail])
      expect((await rowlift(['resolve', 'results.ndjson', ...words], { cwd })).exitCode).toBe(2)
  })
})
