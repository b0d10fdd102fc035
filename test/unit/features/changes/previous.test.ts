import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { files, importOf } from '../../../support/imports.ts'
import { recordsIn } from '../../../support/rejects-file.ts'
import { rowlift } from '../../../support/rowlift.ts'
import { startService } from '../../../support/service.ts'

const mapping = (body: string, more = '') => `record: contact\nkey: Id\n${more}body: ${body}\n`
const nameAndCity = '{ name: "{{Name}}", address: { from: City, optional: true } }'

/** Imports two exports one after the other, the second with the first as the last export; returns its end and its list. */
async function nights(
  first: string,
  second: string,
  options: readonly string[] = [],
  of: { map?: string; source?: string; last?: string; secondMap?: string } = {},
) {
  const { map = mapping(nameAndCity), source = 'in.csv', last = '', secondMap = map } = of
  const service = await startService()
  const cwd = await files({ 'map.yaml': map, [source]: first })
  const args = importOf(source, 'map.yaml', service.url)
  expect((await rowlift(args, { cwd })).exitCode).toBe(0)
  await writeFile(join(cwd, source), second)
  await writeFile(join(cwd, 'map.yaml'), secondMap)
  const name = last === '' ? `last.${source}` : last
  await writeFile(join(cwd, name), name.endsWith('.gz') ? gzipSync(first) : first)
  const listing = ['--changed-rows', '--changes', 'changes.csv', '--previous', name]
  const ended = await rowlift([...args, ...listing, ...options], { cwd })
  const [header = [], ...rows] =
    ended.exitCode === 0 ? await recordsIn(join(cwd, 'changes.csv')).catch(() => []) : []
  const cells = (...columns: string[]) =>
    rows.map(each => columns.map(column => each[header.indexOf(column)] ?? ''))
  return { ...ended, cwd, header, changes: cells('key', 'column', 'was', 'is', 'note'), cells }
}

const asBefore = 'as in the last export: it changed before, or the mapping did'

describe('the list of changed rows with the last export', () => {
  it('the list of changed rows with the last export has a line for each column that changed', async () => {
    const { header, changes, cells } = await nights(
      'Id,Name,City,Seen\n1,Ada,Bonn,1\n2,Bob,"Nice, France",1\n3,Cy,Rom,1\n',
      'Seen,City,Id,Name\n2,Köln,1,Ada L\n2, ,2,Bob\n2,Rom,3, Cy \n2,Ulm,4,Dee\n',
    )
    expect(header).toEqual([
      ...['key', 'record_id', 'source', 'row', 'line', 'status'],
      ...['column', 'was', 'is', 'note', 'name', 'address'],
    ])
    expect(changes).toEqual([
      ['1', 'City', 'Bonn', 'Köln', ''],
      ['1', 'Name', 'Ada', 'Ada L', ''],
      ['2', 'City', 'Nice, France', ' ', ''],
    ])
    expect(cells('row', 'name', 'address')).toEqual([
      ['1', 'Ada L', 'Köln'],
      ['1', 'Ada L', 'Köln'],
      ['2', 'Bob', ''],
    ])
  })

  it('the list of changed rows with the last export has a packed one and a dry run, too', async () => {
    const { changes, stdout } = await nights(
      'Id,Name\n1,Ada\n2,Bob\n',
      'Id,Name\n1,Ada\n2,Bobby\n',
      ['--dry-run'],
      { last: 'last.csv.gz' },
    )
    expect(changes).toEqual([['2', 'Name', 'Bob', 'Bobby', '']])
    expect(stdout).toBe('')
  })

  it('the list of changed rows with the last export says so if that lacks the row, or reads the same', async () => {
    const service = await startService()
    const cwd = await files({
      'map.yaml': mapping(nameAndCity),
      'in.csv': 'Id,Name\n1,Ada\n2,Bob\n3,Cy\n',
      'last.csv': 'Id,Name\n1,Ada\n2,Bobby\n2,Bob\n',
    })
    const args = importOf('in.csv', 'map.yaml', service.url, '--changed-rows')
    await rowlift(args, { cwd })
    await writeFile(join(cwd, 'in.csv'), 'Id,Name\n1,Ada L\n2,Bobby\n3,Cyd\n')
    await rowlift([...args, '--changes', 'changes.csv', '--previous', 'last.csv'], { cwd })
    const [, ...rows] = await recordsIn(join(cwd, 'changes.csv'))
    expect(rows.map(cells => [cells[0], ...cells.slice(6, 10)])).toEqual([
      ['1', 'Name', 'Ada', 'Ada L', ''],
      ['2', '', '', '', asBefore],
      ['3', '', '', '', 'not in the last export'],
    ])
  })

  it('the list of changed rows with the last export takes a column that was not there as empty', async () => {
    const { changes } = await nights('Id,Name\n1,Ada\n2,Bob\n', 'Id,Name,City\n1,Ada L,Bonn\n2,Bob,\n')
    expect(changes).toEqual([
      ['1', 'Name', 'Ada', 'Ada L', ''],
      ['1', 'City', '', 'Bonn', ''],
    ])
  })

  it('the list of changed rows with the last export finds rows and cells by the old names of columns', async () => {
    const { changes } = await nights(
      'No,Full name\n1,Ada\n2,Bob\n',
      'Id,Name\n1,Ada\n2,Bobby\n',
      ['--renamed', 'No=Id', '--renamed', 'Full name=Name'],
      {
        map: 'record: contact\nkey: No\nbody: { name: "{{Full name}}" }\n',
        secondMap: mapping('{ name: "{{Name}}" }'),
      },
    )
    expect(changes).toEqual([['2', 'Name', 'Bob', 'Bobby', '']])
  })

  it('the list of changed rows with the last export tells why a row is no longer valid, and what it was', async () => {
    const { changes, cells } = await nights(
      'Id,Name,Mail\n1,Ada,a@x.com\n',
      'Id,Name,Mail\n1,Ada,nobody\n',
      [],
      { map: mapping('{ name: "{{Name}}", emails: [{ email: { from: Mail, as: email } }] }') },
    )
    expect(changes).toEqual([['1', 'Mail', 'a@x.com', 'nobody', 'Mail is not an e-mail address']])
    expect(cells('status')).toEqual([['no longer valid']])
  })

  it('the list of changed rows with the last export compares objects by paths', async () => {
    const { changes } = await nights(
      '{"Id":1,"Name":"Ada","City":{"code":5,"names":["a","b"]}}\n',
      '{"Id":1,"Name":"Ada","City":{"code":6,"names":["a"]}}\n',
      [],
      {
        source: 'in.ndjson',
        map: mapping('{ name: "{{Name}}", address: { expr: "$string(City.code)" } }'),
      },
    )
    expect(changes).toEqual([
      ['1', 'City.code', '5', '6', ''],
      ['1', 'City.names.1', 'b', '', ''],
    ])
  })

  it('the list of changed rows with the last export leaves rows aside that where leaves out', async () => {
    const { changes } = await nights(
      'Kind,Id,Name\nold,1,Eve\nnew,1,Ada\n',
      'Kind,Id,Name\nold,1,Eve\nnew,1,Ada L\n',
      [],
      { map: mapping('{ name: "{{Name}}" }', 'where: { Kind: new }\n') },
    )
    expect(changes).toEqual([['1', 'Name', 'Ada', 'Ada L', '']])
  })
})

describe('--previous', () => {
  const first = 'Id,Name\n1,Ada\n'
  it.each([
    ['a file of another format', 'last.ndjson', 'is not a regular file of csv, as the sources are'],
    ['no file', 'none.csv', 'none.csv'],
    ['a file without the key', 'map.yaml', 'has no column Id'],
    ['standard input', '-', 'must be a file'],
  ])('--previous refuses %s before anything is sent', async (_, name, words) => {
    const service = await startService()
    const cwd = await files({
      'map.yaml': mapping(nameAndCity),
      'in.csv': first,
      'last.ndjson': '{"Id":1}\n',
    })
    const args = importOf('in.csv', 'map.yaml', service.url, '--changes', 'changes.csv', '--previous', name)
    const ended = await rowlift(args, { cwd })
    expect([ended.exitCode, service.calls.length]).toEqual([2, 0])
    expect(ended.stderr).toContain(words)
    await expect(readFile(join(cwd, 'changes.csv'))).rejects.toThrow()
  })

  it('--previous needs --changes', async () => {
    const cwd = await files({ 'map.yaml': mapping(nameAndCity), 'in.csv': first })
    const args = ['import', 'in.csv', '-m', 'map.yaml', '--dry-run', '--previous', 'in.csv']
    const ended = await rowlift(args, { cwd })
    expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining('--changes')])
  })
})
