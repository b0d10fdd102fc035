import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { folderWith, into, linesOf, outcomesIn, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, type Service, startService } from '../../../support/service.ts'

const head = 'Id,CustomerNo,Name\n'
const rowsOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at},${from + at + 3},Row ${from + at}\n`).join(
    '',
  )
const mapping = (more: string) => `record: task\nbody: { name: { from: Name, required: true } }\n${more}`

let service: Service
let cwd: string
beforeEach(async () => {
  service = await startService({
    react: (_, { body }) => (body.name === 'Hangs' ? { answer: 500 } : 'create'),
  })
  cwd = await folderWith({ 'in.csv': head + rowsOf(1, 10), 'm.yaml': mapping('key: Id\n') })
})
const at = (name: string) => join(cwd, name)
const importing = (...more: string[]) =>
  rowlift(['import', 'in.csv', '-m', 'm.yaml', ...into(service.url, 'log.ndjson'), ...more], { cwd })
const rekeying = (...more: string[]) => rowlift(['log', 'log.ndjson', '--rekey', 'm.yaml', ...more], { cwd })
const names = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `Row ${from + n}`).sort()

describe('log --rekey', () => {
  it('lets a log follow another key, whose values may be those of the old one', async () => {
    await importing('--limit', '5')
    await writeFile(at('m.yaml'), mapping('key: CustomerNo\n'))
    const refused = await importing()
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /another key \(\["Id"\], now \["CustomerNo"\]\); its 5 records would be created again; .* rowlift log log\.ndjson --rekey/,
      ),
    ])
    const { exitCode, stderr } = await rekeying('in.csv')
    expect([exitCode, stderr]).toEqual([
      0,
      'log.ndjson: 5 records and 0 rows in doubt have the names of m.yaml now\n',
    ])
    expect(summaryOf(await importing())).toMatchObject({ created: 5, done: 5, changed: 0 })
    expect(madeBy(service).sort()).toEqual(names(1, 10))
    expect((await outcomesIn(at('log.ndjson'))).map(({ key }) => key).sort()).toEqual(
      Array.from({ length: 10 }, (_, n) => `${n + 4}`).sort(),
    )
    const [opening] = linesOf(await readFile(at('log.ndjson'), 'utf8')).filter(
      line => line.command === 'rekey' && line.rowlift,
    )
    expect(opening).toMatchObject({ key_columns: ['CustomerNo'], mapping: 'm.yaml' })
  })

  it.each([
    ['from content to a key', '', 'key: Id\n'],
    ['from a key to content', 'key: Id\n', ''],
    ['to content without a column', '', 'identity: { without: [CustomerNo] }\n'],
    ['to content with a column that was left out', 'identity: { without: [CustomerNo] }\n', ''],
    ['from distinct to a key', 'where: { distinct: Id }\n', 'key: [Id, CustomerNo]\n'],
  ])('works %s', async (_, before, after) => {
    await writeFile(at('m.yaml'), mapping(before))
    await importing('--limit', '4')
    await writeFile(at('m.yaml'), mapping(after))
    expect((await importing()).exitCode).toBe(2)
    expect((await rekeying('in.csv')).exitCode).toBe(0)
    if (after.startsWith('identity'))
      await writeFile(
        at('in.csv'),
        (await readFile(at('in.csv'), 'utf8')).replaceAll(/^(\d+),\d+/gm, '$1,new'),
      )
    expect((await importing()).exitCode).toBe(0)
    expect(madeBy(service).sort()).toEqual(names(1, 10))
  })

  it('finds rows by their content if the columns of the old key are gone', async () => {
    await writeFile(at('in.csv'), 'Id,Name\n1,A\n2,B\n')
    await writeFile(at('m.yaml'), mapping('key: [[Nr, Id]]\n'))
    await importing()
    await writeFile(at('m.yaml'), mapping('key: Id\n'))
    expect((await rekeying('in.csv')).exitCode).toBe(0)
    expect(summaryOf(await importing())).toMatchObject({ created: 0, done: 2 })
  })

  it('carries over doubts, calls under way and refusals, and keeps changed rows changed', async () => {
    await writeFile(at('in.csv'), `${head}1,4,Row 1\n2,5,Hangs\n3,6,\n4,7,Row 4\n`)
    expect((await importing('--retries', '0')).exitCode).toBe(1)
    await writeFile(at('in.csv'), `${head}1,4,Row 1\n2,5,Hangs\n3,6,\n4,7,Row four\n`)
    await writeFile(at('m.yaml'), mapping('key: CustomerNo\n'))
    expect((await rekeying('in.csv')).stderr).toContain('2 records and 1 row in doubt')
    expect(summaryOf(await importing())).toMatchObject({
      created: 0,
      done: 2,
      changed: 1,
      held: 1,
      invalid: 1,
      known: 1,
    })
  })

  it('changes nothing if the sources lack a row with a record, and lists it; --leave-unfound holds what may be it', async () => {
    await importing('--limit', '5')
    await writeFile(at('m.yaml'), mapping('key: CustomerNo\n'))
    await writeFile(at('in.csv'), `${head}${rowsOf(2, 7)}`)
    const before = await readFile(at('log.ndjson'), 'utf8')
    const refused = await rekeying('in.csv')
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      'log.ndjson: nothing changed: 1 row not found, 0 rows with the name of another\n',
    ])
    expect(refused.stdout).toMatch(/^key,record_id,status,source,row\n1,[-0-9a-f]{36},created,in\.csv,1\n$/)
    expect(await readFile(at('log.ndjson'), 'utf8')).toBe(before)
    expect((await rekeying('in.csv', '--leave-unfound')).stderr).toContain(
      '1 row not found; 2 rows of the sources held in doubt',
    )
    expect(summaryOf(await importing())).toMatchObject({ created: 0, done: 4, held: 2 })
    const listed = await rowlift(['log', 'log.ndjson', '--ids'], { cwd })
    expect(listed.stdout.trim().split('\n')).toHaveLength(6)
  })

  it('changes nothing if two rows get one name', async () => {
    await writeFile(at('in.csv'), `${head}1,4,A\n2,4,B\n`)
    await importing()
    await writeFile(at('m.yaml'), mapping('key: CustomerNo\n'))
    const { exitCode, stdout, stderr } = await rekeying('in.csv')
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('0 rows not found, 1 row with the name of another'),
    ])
    expect(stdout).toContain('\n2,')
  })

  it('needs a log, a mapping and sources', async () => {
    expect((await rekeying()).exitCode).toBe(2)
    expect((await rekeying('in.csv')).stderr).toContain('log.ndjson: there is no such result log')
    await importing()
    await rm(at('m.yaml'))
    expect((await rekeying('in.csv')).stderr).toContain('m.yaml: there is no such mapping file')
    expect((await rekeying('in.csv', '--ids')).exitCode).toBe(2)
  })
})
