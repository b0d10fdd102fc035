import { describe, expect, it } from 'vitest'
import { folderWith, into, rowlift, summaryOf } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

const mapping = 'record: task\nbody: { name: "{{Title}}" }\n'
const source = 'Title,Due\nCall,Mon\nWrite,Tue\nCall,Mon\nCall,Wed\nCall,Mon\n'

describe('rows that equal an earlier one', () => {
  it('equal rows are reported if each is a record of its own', async () => {
    const service = await startService()
    const cwd = await folderWith({ 'm.yaml': mapping, 't.csv': source })
    const words =
      '2 rows equal an earlier row in all cells. Each is a record of its own (such as t.csv:4), unless key: says what identifies a row.'
    const args = ['import', 't.csv', '-m', 'm.yaml']
    for (const more of [['--dry-run'], into(service.url)]) {
      const { stderr } = await rowlift([...args, ...more], { cwd, hasColors: true })
      expect(stderr).toContain(words)
    }
    const again = await rowlift([...args, ...into(service.url)], { cwd })
    expect(summaryOf(again)).toMatchObject({ done: 5 })
    expect(summaryOf(again)).not.toHaveProperty('equal_rows')
  })

  it('equal rows are no remark if a key identifies the rows', async () => {
    const cwd = await folderWith({ 'm.yaml': `key: Title\n${mapping}`, 't.csv': source })
    const dry = summaryOf(await rowlift(['import', 't.csv', '-m', 'm.yaml', '--dry-run'], { cwd }))
    expect(dry).toMatchObject({ valid: 2, duplicate: 3 })
    expect(dry).not.toHaveProperty('equal_rows')
  })

  it('equal rows of a dry run are those among the first 10,000 different rows', async () => {
    const rows = Array.from({ length: 10_100 }, (_, at) => `Task ${at % 10_050},`)
    const files = { 'm.yaml': mapping, 't.csv': ['Title,Due', 'Task 0,', ...rows, ''].join('\n') }
    const cwd = await folderWith(files)
    const args = ['import', 't.csv', '-m', 'm.yaml', '--dry-run']
    const { stderr } = await rowlift(args, { cwd, hasColors: true })
    expect(stderr).toContain('At least 1 row equals an earlier row in all cells.')
    const whole = await rowlift([...args, '--preview', 'all.ndjson'], { cwd })
    expect(summaryOf(whole)).toMatchObject({ equal_rows: 51 })
  })
})
