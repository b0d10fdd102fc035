import { link, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { leaveCalls } from '../../support/log-files.ts'
import { folderWith, into, linesOf, rowlift, summaryOf } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

const mapping = `
record: task
key: Id
where: { Kind: task }
body: { name: "{{Name}}", estimated_time: { from: Hours, as: number } }
`
const tasks =
  'Id,Name,Kind,Hours\n1,One,task,1\n2,Two,task,x\n3,Three,note,\n1,One again,task,\n4,Four,task,4\n5,Five,task,5\n6,Six,task,6\n'
const dryRun = ['import', 'tasks.csv', '-m', 'map.yaml', '--dry-run']
const files = () => folderWith({ 'tasks.csv': tasks, 'map.yaml': mapping })

describe('dry run', () => {
  it('a dry run says what a run would do, shows the first three bodies, and writes nothing', async () => {
    const cwd = await files()
    const run = await rowlift(dryRun, { cwd })
    expect(run.exitCode).toBe(1)
    expect(linesOf(run.stdout)).toEqual([
      { name: 'One', estimated_time: 1 },
      { name: 'Four', estimated_time: 4 },
      { name: 'Five', estimated_time: 5 },
    ])
    expect(summaryOf(run)).toMatchObject({ dry_run: true, valid: 4, invalid: 1, duplicate: 1, left_out: 1 })
    expect(summaryOf(run).reasons).toEqual([
      {
        status: 'invalid',
        code: 'not_number',
        reason: 'Hours is not a number with "." as its decimal separator',
        count: 1,
        examples: [{ source: 'tasks.csv', row: 2, line: 3 }],
      },
      expect.objectContaining({ status: 'duplicate', code: 'conflict', count: 1 }),
    ])
    expect((await readdir(cwd)).sort()).toEqual(['map.yaml', 'tasks.csv'])
  })

  it('a dry run writes the fate of every row with --preview, in the order of the rows', async () => {
    const cwd = await files()
    await rowlift([...dryRun, '--preview', 'preview.ndjson'], { cwd })
    const lines = linesOf(await readFile(join(cwd, 'preview.ndjson'), 'utf8'))
    expect(lines.map(({ row, status }) => [row, status])).toEqual([
      [1, 'valid'],
      [2, 'invalid'],
      [4, 'duplicate'],
      [5, 'valid'],
      [6, 'valid'],
      [7, 'valid'],
    ])
    expect(lines[0]).toMatchObject({
      source: 'tasks.csv',
      line: 2,
      key: '1',
      body: { name: 'One', estimated_time: 1 },
    })
    expect(lines[2].same_as).toEqual({ source: 'tasks.csv', row: 1 })
    expect((await stat(join(cwd, 'preview.ndjson'))).mode & 0o777).toBe(0o600)
  })

  it('a dry run knows from the log what is done and in doubt, and leaves it unchanged', async () => {
    const service = await startService({
      react: (_, { body }) => (body.name === 'Four' ? { answer: 500 } : 'create'),
    })
    const cwd = await files()
    await rowlift([...dryRun.slice(0, -1), ...into(service.url), '--limit', '3'], { cwd })
    const log = join(cwd, 'results.ndjson')
    await leaveCalls(log)
    await writeFile(log, '{"run":"torn', { flag: 'a' })
    const before = await readFile(log, 'utf8')
    const run = await rowlift([...dryRun, '-o', 'results.ndjson', '--preview', '-'], { cwd })
    expect(linesOf(run.stdout).map(({ row, status }) => [row, status])).toEqual([
      [1, 'done'],
      [2, 'invalid'],
      [4, 'duplicate'],
      [5, 'in_doubt'],
      [6, 'done'],
      [7, 'valid'],
    ])
    expect(await readFile(log, 'utf8')).toBe(before)
  })

  it('a dry run never writes its preview over a file that is kept', async () => {
    const cwd = await files()
    await writeFile(join(cwd, 'results.ndjson'), '')
    await link(join(cwd, 'tasks.csv'), join(cwd, 'same.csv'))
    for (const kept of ['tasks.csv', 'same.csv', 'map.yaml', 'results.ndjson']) {
      const run = await rowlift([...dryRun, '-o', 'results.ndjson', '--preview', kept], { cwd })
      expect(run).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/: is the (source|mapping|result log); give the preview another name/),
      })
    }
    expect(await readFile(join(cwd, 'tasks.csv'), 'utf8')).toBe(tasks)
  })

  it('a dry run needs neither a service nor a token, and ends with 0 when no row is invalid', async () => {
    const cwd = await files()
    await writeFile(join(cwd, 'tasks.csv'), 'Id,Name,Kind,Hours\n1,One,task,1\n')
    expect((await rowlift(dryRun, { cwd, env: { ROWLIFT_TOKEN: '' } })).exitCode).toBe(0)
  })
})
