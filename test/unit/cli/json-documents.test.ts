import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { folderWith, into, linesOf, outcomesIn, rowlift } from '../../support/rowlift.ts'
import { madeBy, startService } from '../../support/service.ts'

const board = {
  name: 'Harbour move',
  lists: [
    { id: 'l1', name: 'To do', closed: false },
    { id: 'l2', name: 'Done', closed: true },
  ],
  members: [{ id: 'm1', profile: { email: 'noor@example.com' } }],
  cards: [
    { id: 'c1', title: 'Paint', idList: 'l1', who: ['m1'] },
    { id: 'c2', title: '', idList: 'l2', who: [] },
    { id: 'c3', title: 'Sweep', idList: 'l2', who: [] },
  ],
}
const bodyWith = (lists: string) => `
record: task
key: id
source: { rows: cards }
lookups:
  lists: { ${lists}, key: id, value: name }
  members: { rows: members, key: id, value: profile.email }
body:
  name: { from: title, required: true }
  description: { from: idList, lookup: lists }
  assigned_user: { email: { from: who.0, lookup: members } }
`
const bodiesOf = (stdout: string) => linesOf(stdout).map(({ body }) => body)
const preview = (...sources: string[]) => [
  'import',
  ...sources,
  '-m',
  'm.yaml',
  '--dry-run',
  '--preview',
  '-',
]

describe('JSON document', () => {
  it.each([
    ['file: board.json, rows: lists'],
    ['file: board.json, source: { rows: lists }'],
    ['file: lists.json.gz'],
    ['rows: lists'],
  ])('a JSON document has its other lists as lookups: %s', async lists => {
    const cwd = await folderWith({
      'board.json': JSON.stringify(board, null, 2),
      'lists.json.gz': gzipSync(JSON.stringify(board.lists)),
      'm.yaml': bodyWith(lists),
    })
    const { stdout, exitCode } = await rowlift(preview('board.json'), { cwd })
    expect(exitCode).toBe(1)
    expect(bodiesOf(stdout)).toEqual([
      { name: 'Paint', description: 'To do', assigned_user: { email: 'noor@example.com' } },
      undefined,
      { name: 'Sweep', description: 'Done' },
    ])
  })

  it('a JSON document is imported together with its rejected rows', async () => {
    const service = await startService()
    const cwd = await folderWith({ 'board.json': JSON.stringify(board), 'm.yaml': bodyWith('rows: lists') })
    const run = (...sources: string[]) =>
      rowlift(['import', ...sources, '-m', 'm.yaml', '--rejects', 'r.ndjson', ...into(service.url)], { cwd })
    const first = await run('board.json')
    expect(first.exitCode).toBe(1)
    expect(first.stderr).toContain('rowlift import r.ndjson board.json -m m.yaml')
    const rejects = (await readFile(join(cwd, 'r.ndjson'), 'utf8')).replace('"title":""', '"title":"Mend"')
    await writeFile(join(cwd, 'fixed.ndjson'), rejects)
    const alone = await rowlift(preview('fixed.ndjson'), { cwd })
    expect(alone.exitCode).toBe(2)
    expect(alone.stderr).toContain('import rejected rows before their document')
    expect((await run('fixed.ndjson', 'board.json')).exitCode).toBe(0)
    expect((await run('board.json')).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Mend', 'Paint', 'Sweep'])
    expect(
      (await outcomesIn(join(cwd, 'results.ndjson'))).filter(({ status }) => status === 'created'),
    ).toHaveLength(3)
  })

  it('a JSON document is looked up in for its own rows, and with others for rejected rows', async () => {
    const second = {
      ...board,
      lists: [
        { id: 'l1', name: 'Later' },
        { id: 'l3', name: 'Soon' },
        { id: 'l2', name: 'Done' },
      ],
      cards: [
        { id: 'd1', title: 'Plant', idList: 'l1' },
        { id: 'd2', title: 'Water', idList: 'l3' },
      ],
    }
    const rejects = [
      { id: 'r1', title: 'Only there', idList: 'l3' },
      { id: 'r2', title: 'The same', idList: 'l2' },
      { id: 'r3', title: 'Either', idList: 'l1' },
    ]
    const cwd = await folderWith({
      'a.json': JSON.stringify({
        ...board,
        cards: [...board.cards, { id: 'c4', title: 'Lost', idList: 'l3' }],
      }),
      'b.json': JSON.stringify(second),
      'r.ndjson': rejects.map(row => `${JSON.stringify(row)}\n`).join(''),
      'm.yaml': bodyWith('rows: lists'),
    })
    const { stdout } = await rowlift(preview('a.json', 'b.json', 'r.ndjson'), { cwd })
    const lines = linesOf(stdout).map(({ key, body, errors }) => [key, body?.description ?? errors?.[0].code])
    expect(lines).toEqual([
      ['c1', 'To do'],
      ['c2', 'required'],
      ['c3', 'Done'],
      ['c4', 'lookup_not_found'],
      ['d1', 'Later'],
      ['d2', 'Soon'],
      ['r1', 'Soon'],
      ['r2', 'Done'],
      ['r3', 'lookup_ambiguous'],
    ])
  })

  it('a JSON document on standard input has no lookups of its own', async () => {
    const cwd = await folderWith({ 'm.yaml': bodyWith('rows: lists') })
    const { exitCode, stderr } = await rowlift([...preview('-'), '--format', 'json'], {
      cwd,
      stdin: JSON.stringify(board),
    })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('lookups.lists')])
  })

  it('a JSON document whose lookup names no list of it ends before the run', async () => {
    const cwd = await folderWith({ 'board.json': JSON.stringify(board), 'm.yaml': bodyWith('rows: columns') })
    const { exitCode, stderr } = await rowlift(preview('board.json'), { cwd })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(
      'there is no list at "columns"; it holds cards (3), lists (2), members (1); name',
    )
  })

  it('a JSON document is drafted for by the list of its rows', async () => {
    const cwd = await folderWith({ 'board.json': JSON.stringify(board) })
    expect((await rowlift(['init', 'board.json', '-o', 'm.yaml'], { cwd })).exitCode).toBe(0)
    expect(await readFile(join(cwd, 'm.yaml'), 'utf8')).toMatch(/^source:\n(?: {2}#.*\n)* {2}rows: cards$/m)
    expect(bodiesOf((await rowlift(preview('board.json'), { cwd })).stdout)).toHaveLength(3)
  })
})
