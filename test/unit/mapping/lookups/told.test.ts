import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith, linesOf, rowlift } from '../../../support/rowlift.ts'

describe('bad value of a table', () => {
  it('a bad value of a table is reported with the line and column of the table', async () => {
    const cwd = await folderWith({
      'steps.csv': 'Title,Who\nMix,ada\nBake,bob\n',
      'staff.csv': 'login;number\nada;7\nBob;seven\n',
      'steps.yaml': `record: task
lookups: { staff: { file: staff.csv, key: login, value: number, source: { delimiter: ";" } } }
body:
  name: "{{Title}}"
  assigned_user: { user_id: { from: Who, lookup: staff, as: integer } }
`,
    })
    const run = await rowlift(['import', 'steps.csv', '-m', 'steps.yaml', '--dry-run', '--preview', '-'], {
      cwd,
    })
    expect(linesOf(run.stdout)).toMatchObject([
      { row: 1, body: { assigned_user: { user_id: 7 } } },
      {
        row: 2,
        errors: [
          {
            column: 'Who',
            value: 'bob',
            code: 'lookup_bad_value',
            message:
              'finds a value at staff.csv:3, column number, which is not a whole number; correct it there',
          },
        ],
      },
    ])
  })
})

describe('lookup without any match', () => {
  it('a lookup without any match is reported with what was looked up and a key that exists', async () => {
    const cwd = await folderWith({
      'jobs.csv': 'Job,Lead\nPaint,Kim Ode\nClean,\nSweep,Lea Fry\n',
      'team.csv': 'mail,id\nkim@example.org,4\n',
      'jobs.yaml': `record: task
lookups: { team: { file: team.csv, key: mail, value: id } }
body: { name: "{{Job}}", assigned_user: { user_id: { from: Lead, lookup: team, as: integer, missing: omit } } }
`,
    })
    const run = await rowlift(
      ['import', 'jobs.csv', '-m', 'jobs.yaml', '--dry-run', '--summary', 's.json', '--log-format', 'pretty'],
      { cwd },
    )
    expect(run.stderr).toContain('The lookup team found none of 2 values in the column mail of team.csv')
    const text = await readFile(join(cwd, 's.json'), 'utf8')
    expect(JSON.parse(text)).toMatchObject({
      omitted: { Lead: 2 },
      lookups_without_hits: [{ name: 'team', asked: 2, table: 'team.csv', column: 'mail' }],
    })
    expect(text).not.toMatch(/Kim|kim@/)
  })
})
