import { describe, expect, it } from 'vitest'
import { folderWith, linesOf, rowlift } from '../../../support/rowlift.ts'

describe('a bad value of a table', () => {
  it('is told with the line and column of the table, and not as a fault of the cell', async () => {
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
              'finds "seven" at staff.csv:3, column number, which is not a whole number; correct it there',
          },
        ],
      },
    ])
  })
})
