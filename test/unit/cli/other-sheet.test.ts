import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, importOf, taskMapping, tasks } from '../../support/imports.ts'
import { type Line, linesOf, rowlift } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'
import { workbookOf } from '../../support/sheets.ts'

const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
const rowsOf = (...names: string[]) =>
  [['Id', 'Name'], ...names.map((name, at) => [`${at + 1}`, name])]
    .map(cells => `<row>${cells.map(cell).join('')}</row>`)
    .join('')
const [old, recent] = [rowsOf('Ada', 'Bob'), rowsOf('Ada', 'Bob', 'Cy')]
const book = workbookOf({ sheets: { 'Tasks 2026': recent } })
const withOlderFirst = workbookOf({ sheets: { 'Tasks 2025': old, 'Tasks 2026': recent } })

/** Runs of one import, and what each says of its sources. */
async function nights(sources: Readonly<Record<string, string | Buffer>>) {
  const service = await startService()
  const cwd = await files({ 'task.yaml': taskMapping, ...sources })
  return {
    cwd,
    replace: (name: string, content: string | Buffer) => writeFile(join(cwd, name), content),
    openings: async () =>
      linesOf(await readFile(join(cwd, 'results.ndjson'), 'utf8')).filter(({ rowlift }) => rowlift),
    run: async (source: string, ...more: string[]) => {
      const { stderr } = await rowlift(importOf(source, 'task.yaml', service.url, ...more), { cwd })
      const told = linesOf(stderr).findIndex(({ msg }) => /the last run read/.test(msg))
      const estimate = linesOf(stderr).findIndex(({ msg }) => / calls?: about/.test(msg))
      if (told !== -1 && estimate !== -1) expect(told, 'before the first call').toBeLessThan(estimate)
      return linesOf(stderr)
        .filter(({ msg }) => /the last run read/.test(msg))
        .map(({ level, msg }: Line) => [level, msg])
    },
  }
}

const [info, warn] = [30, 40]

describe('sheet that is not that of the last run', () => {
  it('another sheet is told once, also by a dry run, and the log has the name of each', async () => {
    const { run, replace, openings } = await nights({ 'in.xlsx': book })
    expect(await run('in.xlsx')).toEqual([])
    await replace('in.xlsx', withOlderFirst)
    const told = [
      warn,
      expect.stringContaining(
        'in.xlsx: the sheet "Tasks 2025" is read; the last run read "Tasks 2026"; if that is not meant',
      ),
    ]
    expect(await run('in.xlsx', '--dry-run')).toEqual([told])
    expect(await run('in.xlsx')).toEqual([told])
    expect(await run('in.xlsx')).toEqual([])
    expect((await openings()).map(({ sheets }) => sheets)).toEqual([
      { 'in.xlsx': 'Tasks 2026' },
      { 'in.xlsx': 'Tasks 2025' },
      { 'in.xlsx': 'Tasks 2025' },
    ])
  })

  it('another sheet is told in a file of another name, and after runs without sheets', async () => {
    const { run } = await nights({
      'tasks-01.xlsx': book,
      'bad.csv': 'rowlift_key,rowlift_reason,Id,Name\n9,x,9,Zoe\n',
      'tasks-02.xlsx': book,
      'tasks-03.xlsx': withOlderFirst,
    })
    expect(await run('tasks-01.xlsx')).toEqual([])
    expect(await run('tasks-02.xlsx')).toEqual([])
    expect(await run('bad.csv'), 'rejected rows come at any time').toEqual([])
    const told = await run('tasks-03.xlsx')
    expect(told[0]).toEqual([warn, expect.stringContaining('"Tasks 2025" is read')])
  })
})

describe('sources that are not those of the last run', () => {
  it('sources of other names are told once, but not if only numbers differ', async () => {
    const list = tasks(3)
    const { run, openings, cwd } = await nights({
      'customers-2026-11-01.csv': list,
      'customers-2026-11-30.csv': list,
      'suppliers.csv': list,
    })
    expect(await run('customers-2026-11-01.csv')).toEqual([])
    expect(await run(join(cwd, 'customers-2026-11-30.csv'))).toEqual([])
    const told = [
      info,
      `the sources are suppliers.csv; the last run read ${join(cwd, 'customers-2026-11-30.csv')}`,
    ]
    expect(await run('suppliers.csv', '--dry-run')).toEqual([told])
    expect(await run('suppliers.csv')).toEqual([told])
    expect(await run('suppliers.csv')).toEqual([])
    expect((await openings()).some(opening => 'sheets' in opening)).toBe(false)
  })
})
