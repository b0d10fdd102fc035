import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importOf } from '../../support/imports.ts'
import { resealed } from '../../support/log-files.ts'
import { linesOf, rowlift, summaryOf } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

const mapping = 'record: task\nbody: { name: "{{Name}}" }\n'

/** Imports texts of one source one after the other, each with its options; returns the ends and the records. */
async function nights(
  texts: readonly (string | [string, ...string[]])[],
  { map = mapping, source = 'in.csv' } = {},
) {
  const service = await startService()
  const cwd = await files({ 'in.yaml': map })
  const args = importOf(source, 'in.yaml', service.url)
  const ends = []
  for (const each of texts) {
    const [text, ...options] = [each].flat() as [string, ...string[]]
    await writeFile(join(cwd, source), text)
    ends.push(await rowlift([...args, ...options], { cwd }))
  }
  const log = join(cwd, 'results.ndjson')
  return {
    ends,
    codes: ends.map(({ exitCode }) => exitCode),
    made: service.made.length,
    cwd,
    log,
    args,
    service,
  }
}

const three = 'Name,Mail\nAda,a@x\nBob,b@x\nCy,c@x\n'

describe('a row without a key', () => {
  it('keeps its name when the export gains columns, and those are told', async () => {
    const { codes, ends, made } = await nights([
      three,
      'Name,Mail,Imported?,VIP\nAda,a@x,yes,1\nBob,b@x,yes,\nCy,c@x,no,1\nDee,d@x,no,\n',
      'VIP,Mail,Name,Imported?\n2,a@x,Ada,no\n2,d@x,Dee,no\n,c@x,Cy,no\n',
    ])
    expect([codes, made]).toEqual([[0, 0, 0], 4])
    expect(ends[1]?.stderr).toContain('new columns since the last run: Imported?, VIP')
    expect(ends[2]?.stderr).not.toContain('new columns')
    expect(ends.map(end => summaryOf(end).done)).toEqual([0, 3, 3])
  })

  it('is the same by the columns that both runs had, and changed when one of those is', async () => {
    const key = 'record: task\nkey: Mail\nbody: { name: "{{Name}}" }\n'
    const { ends, codes } = await nights([three, 'Name,Mail,VIP\nAda,a@x,1\nBobby,b@x,1\nCy,c@x,1\n'], {
      map: key,
    })
    expect(codes).toEqual([0, 0])
    expect(summaryOf(ends[1] as never)).toMatchObject({ done: 3, changed: 1 })
  })

  it('counts equal rows, also when they differ in newer columns alone', async () => {
    const { made, codes } = await nights([
      'Name,Mail\nAda,a@x\nAda,a@x\n',
      'Name,Mail,No\nAda,a@x,1\nAda,a@x,2\nAda,a@x,3\n',
      'Name,Mail,No\nAda,a@x,3\nAda,a@x,2\nAda,a@x,1\n',
    ])
    expect([codes, made]).toEqual([[0, 0, 0], 3])
  })

  it('stops before the first call when a column that names it is gone, and goes on under its new name', async () => {
    const renamed = 'Name,E-Mail\nAda,a@x\nBob,b@x\nCy,c@x\nDee,d@x\n'
    const { codes, ends, made, log } = await nights([
      three,
      renamed,
      [renamed, '--renamed', 'Mail=E-Mail'],
      renamed,
    ])
    expect([codes, made]).toEqual([[0, 2, 0, 0], 4])
    expect(ends[1]?.stderr).toContain(
      'in.csv: has no column Mail, by which the rows in results.ndjson are named',
    )
    expect(ends[1]?.stderr).toContain('--renamed "Mail=E-Mail"')
    const openings = linesOf(await readFile(log, 'utf8')).filter(line => line.rowlift)
    expect(openings.map(({ renamed }) => renamed)).toEqual([
      undefined,
      { Mail: 'E-Mail' },
      { Mail: 'E-Mail' },
    ])
  })

  it('has its key under the new name of a key column', async () => {
    const key = (column: string) => `record: task\nkey: ${column}\nbody: { name: "{{Name}}" }\n`
    const { cwd, args, service } = await nights([three], { map: key('Mail') })
    await writeFile(join(cwd, 'in.yaml'), key('E-Mail'))
    await writeFile(join(cwd, 'in.csv'), 'Name,E-Mail\nAda,a@x\nBob,b@x\nDee,d@x\n')
    const codes = []
    for (const more of [[], ['--renamed', 'Mail=E-Mail'], []])
      codes.push((await rowlift([...args, ...more], { cwd })).exitCode)
    expect([codes, service.made.length]).toEqual([[2, 0, 0], 4])
  })

  it('stops when the log has records and knows none of the first rows, and names the columns that are all new', async () => {
    const export1 = 'Name,Exported at\nAda,1\nBob,1\n'
    const export2 = 'Name,Exported at\nAda,2\nBob,2\n'
    const { codes, ends, made } = await nights(
      [export1, export2, [export2, '--dry-run'], [export2, '--all-new']],
      { map: 'record: task\nbody: { name: "{{Name}}", description: { from: Exported at } }\n' },
    )
    expect([codes, made]).toEqual([[0, 2, 2, 0], 4])
    expect(ends[1]?.stderr).toContain(
      'results.ndjson: has 2 records, and none of the first 2 rows is one of its rows; all values are new in Exported at',
    )
    expect(ends[1]?.stderr).toContain('identity: { without: [Exported at] }')
    expect(ends[2]?.stderr).toContain('has 2 records, and none of the first 2 rows')
  })

  it('is not named by the columns of identity.without', async () => {
    const map = `${mapping}identity: { without: [Exported at] }\n`
    const { codes, ends, made } = await nights(
      ['Name,Exported at\nAda,1\nBob,1\n', 'Exported at,Name\n2,Ada\n2,Bob\n2,Cy\n'],
      { map },
    )
    expect([codes, made]).toEqual([[0, 0], 3])
    expect(summaryOf(ends[1] as never)).toMatchObject({ done: 2, changed: 0 })
  })

  it('that is an object keeps its name by the paths of the first rows', async () => {
    const first = '{"Name":"Ada","mails":[{"to":"a"},{"to":"b"}],"at":{"x":1}}\n{"Name":"Bob"}\n'
    const later =
      '{"Name":"Bob","VIP":true}\n{"at":{"y":2,"x":1},"mails":[{"to":"a","type":"w"},{"to":"b"}],"Name":"Ada"}\n{"Name":"Cy","VIP":false}\n'
    const { codes, made, ends } = await nights([first, later, later], { source: 'in.ndjson' })
    expect([codes, made]).toEqual([[0, 0, 0], 3])
    expect(ends[1]?.stderr).toMatch(/new columns since the last run: (VIP|at\.y|mails\.type)/)
  })

  it('is found in a log of an older version, which takes the columns of its next run', async () => {
    const { cwd, args, service, log } = await nights([three])
    const text = await readFile(log, 'utf8')
    const { columns, first_rows } = JSON.parse(text.split('\n')[0] ?? '')
    expect([columns, Object.keys(first_rows)]).toEqual([[['Name', 'Mail']], ['Name', 'Mail']])
    await writeFile(
      log,
      resealed(text, ({ columns, first_rows, ...line }) => line),
    )
    const again = async (text: string) => {
      await writeFile(join(cwd, 'in.csv'), text)
      return (await rowlift(args, { cwd })).exitCode
    }
    expect(await again('Name,Mail,VIP\nAda,a@x,1\nBob,b@x,1\n')).toBe(2)
    expect(service.made.length).toBe(3)
    expect(await again(three)).toBe(0)
    expect(await again('Name,Mail,VIP\nAda,a@x,1\nBob,b@x,1\n')).toBe(0)
    expect(service.made.length).toBe(3)
  })
})
