import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import {
  editLines,
  editRejects,
  importWithRejects,
  type RejectedCells,
  recordsIn,
  type SaveOptions,
} from '../../support/rejects-file.ts'
import { linesOf, outcomesIn, summaryOf } from '../../support/rowlift.ts'
import { madeBy } from '../../support/service.ts'

const task = (more = '') =>
  `record: task\n${more}body: { name: { from: Name, required: true }, description: { from: Notes } }\n`
const latin1 = (text: string) => iconv.encode(text, 'windows-1252')

interface Story {
  readonly files: Readonly<Record<string, string | Buffer>>
  readonly sources: string[]
  readonly rejects?: string
  readonly saving?: SaveOptions
  /** What stands in the file of rejected rows, the columns of rowlift's own left out. */
  readonly rejected: readonly (readonly string[])[]
  readonly made: readonly string[]
}

/** Each combines what may differ from source to source. */
const stories: Readonly<Record<string, Story>> = {
  'with a key, cells of several lines, quotes, blanks and rows that share a key': {
    files: {
      'map.yaml': task('key: Id\n'),
      'a.csv': 'Id,Name,Notes\n1,One,\n2,,"say ""x""\r\nand , more"\n3,forbidden,  x  \nn/a,,4\nn/a,,5\n',
    },
    sources: ['a.csv'],
    rejected: [
      ['2', '', 'say "x"\r\nand , more'],
      ['3', 'forbidden', '  x  '],
      ['n/a', '', '4'],
      ['n/a', '', '5'],
    ],
    made: ['One', 'Row 2', 'Row 3', 'Row 4', 'Row 5'],
  },
  'without a key, some rows being equal, with tabs that the name of the rejected rows does not tell': {
    files: { 'map.yaml': task(), 'a.tsv': 'Id\tName\tNotes\n1\tOne\t\n2\t\tx,y\n2\t\tx,y\n3\tforbidden\t\n' },
    sources: ['a.tsv'],
    rejected: [
      ['2', '', 'x,y'],
      ['2', '', 'x,y'],
      ['3', 'forbidden', ''],
    ],
    made: ['One', 'Row 2', 'Row 2', 'Row 3'],
  },
  'in windows-1252 below notes, with where; mended and saved as UTF-8 without its mark': {
    files: {
      'map.yaml': task(
        'key: Id\nwhere: { Kind: tâche }\nsource: { encoding: windows-1252, delimiter: ";", header: { starts_with: Kind } }\n',
      ),
      'a.csv': latin1('Exporté\r\n\r\nKind;Id;Name;Notes\r\ntâche;1;Öne;\r\ntâche;2;;schön\r\nliste;3;;\r\n'),
    },
    sources: ['a.csv'],
    saving: { delimiter: ';', encoding: 'utf-8' },
    rejected: [['tâche', '2', '', 'schön']],
    made: ['Row 2', 'Öne'],
  },
  'without a header, with ragged rows; mended and saved in the encoding of the source, by another delimiter':
    {
      files: {
        'map.yaml': task(
          'key: Id\nsource: { encoding: windows-1252, header: { columns: [Id, Name, Notes] } }\n',
        ),
        'a.csv': latin1('1,Öne,\nNorth,2,x,schön\nNorth,3\n4,,x\n'),
      },
      sources: ['a.csv'],
      saving: { encoding: 'windows-1252', savedDelimiter: ';' },
      rejected: [
        ['4', '', 'x'],
        ['North', '2', 'x'],
        ['North', '3', ''],
      ],
      made: ['Row 2', 'Row 3', 'Row 4', 'Öne'],
    },
  'that are several, one packed, with headers that differ, whose short rows are filled': {
    files: {
      'map.yaml': task('key: Id\nsource: { ragged: pad }\n'),
      'a.csv': 'Id,Name,Notes\n1,One\n2\n',
      'b.csv.gz': gzipSync('Notes,Tag,Id,Name,Tag\ny,t,3,,u,,\nz,,4,Four,\n'),
    },
    sources: ['a.csv', 'b.csv.gz'],
    rejected: [
      ['2', '', '', '', ''],
      ['3', '', 'y', 't', 'u'],
    ],
    made: ['Four', 'One', 'Row 2', 'Row 3'],
  },
}

/** Gives a row the name that it lacks; the cells of ragged rows stood one too far to the right. */
function mend(row: RejectedCells): void {
  if (row.rowlift_reason?.startsWith('ragged: ')) row.rowlift_reason = ''
  if (row.Id === 'North') Object.assign(row, { Id: row.Name, Notes: '' })
  if (row.Id === 'n/a') row.Id = row.Notes ?? ''
  row.Name = `Row ${row.Id}`
}

describe('rejected rows of a source', () => {
  it.each(Object.entries(stories))(
    'rejected rows of a source: %s are repaired, imported and settled',
    async (_, story) => {
      const { files, sources, saving = {}, rejected, made } = story
      const { service, cwd, bad, log, exported, repaired } = await importWithRejects(files, sources)
      const first = await exported()
      expect(first.exitCode).toBe(1)
      expect(summaryOf(first)).toMatchObject({ rejects: 'bad.csv', rejected_rows: rejected.length })
      expect((await stat(bad)).mode & 0o777).toBe(0o600)

      const [, ...rows] = await recordsIn(bad, saving.delimiter)
      expect(rows.map(cells => cells.slice(0, -2)).sort()).toEqual(rejected)
      expect(rows.every(cells => /\S/.test(cells.at(-1) ?? ''))).toBe(true)
      await editRejects(bad, mend, saving)

      const second = await repaired()
      expect(summaryOf(second)).toMatchObject({ created: rejected.length, invalid: 0, duplicate: 0 })
      expect(second.exitCode).toBe(0)
      const replaced = (await outcomesIn(log)).flatMap(({ status, replaces }) =>
        status === 'created' && replaces !== undefined ? replaces : [],
      )
      const names = rows.map(cells => cells.at(-2)?.replace(/^sha256:(.*?)(#1)?$/, '$1'))
      expect(replaced.sort()).toEqual(names.sort())

      const third = await exported()
      expect(summaryOf(third)).toMatchObject({ created: 0, invalid: 0, changed: 0, rejected_rows: 0 })
      expect(third.exitCode).toBe(0)
      expect(madeBy(service)).toEqual(made)
      expect((await readdir(cwd)).filter(name => /\.(part|inflight|lock)$/.test(name))).toEqual([])
    },
  )

  it('rejected rows of a source as NDJSON keep every number, and a broken line', async () => {
    const lines = [
      '{"Id": 1, "Name": "One"}',
      '{"Id": 12345678901234567890, "Name": "", "Notes": "x", "weight": 1.10, "rest": {"a": [1, {"b": "}"}]}}',
      '{"Id": 3, "Name": "Three"',
    ]
    const { service, cwd, bad, exported, repaired } = await importWithRejects(
      { 'map.yaml': task('key: Id\n'), 'a.ndjson': `${lines.join('\n')}\n` },
      ['a.ndjson'],
      'bad.ndjson',
    )
    expect((await exported()).exitCode).toBe(1)
    const written = await readFile(bad, 'utf8')
    expect(written.replace(/sha256:[0-9a-f]{16}/, 'sha256:HASH')).toContain(
      '{"Id": 12345678901234567890,"Name": "","Notes": "x","weight": 1.10,"rest": {"a": [1, {"b": "}"}]},"rowlift_key":"sha256:HASH#1","rowlift_reason":"Name is required and empty; fill it in, or give the field a default"}\n',
    )
    expect(written).toContain(`{"rowlift_text":${JSON.stringify(lines[2])},"rowlift_key":"sha256:`)

    await editLines(bad, line => line.replace('"Name": ""', '"Name": "Two"'))
    expect((await repaired()).exitCode).toBe(1)
    const [again] = linesOf(await readFile(join(cwd, 'again.bad.ndjson'), 'utf8'))
    expect(Object.keys(again)).toEqual(['rowlift_text', 'rowlift_key', 'rowlift_reason'])
    expect(madeBy(service)).toEqual(['One', 'Two'])
    await editLines(bad, line =>
      line.replace(/"rowlift_text":"(.*)",(?="rowlift_key)/, '"Id":3,"Name":"Three",'),
    )
    expect((await repaired()).exitCode).toBe(0)
    const last = await exported()
    expect([last.exitCode, summaryOf(last).done, summaryOf(last).created]).toEqual([0, 3, 0])
    expect(madeBy(service)).toEqual(['One', 'Three', 'Two'])
  })
})
