import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { editRejects } from '../../support/rejects-file.ts'
import { folderWith, into, linesOf, outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'
import { madeBy, type ServiceOptions, startService } from '../../support/service.ts'

const head = 'Name,Company,Site,State\n'
const mapping = `
record: contact
where: { distinct: Company, State: { not: gone } }
body:
  name: { from: Company, required: true }
  url_details: { domain: { from: Site, as: domain } }
`
const people = [
  'Ida,Fern Ltd,fern.example.com,gone',
  'Ada,Fern Ltd,no domain!,',
  'Bob, FERN ltd ,fern.example.com,',
  'Cy,Oak,oak.example.com,',
  'Di,fern ltd,other.example.com,',
  'Eve,,eve.example.com,',
  'Flo,OAK,,',
  'Gus,Elm,,',
]

async function importing(rows: readonly string[], options: ServiceOptions = {}) {
  const service = await startService(options)
  const cwd = await folderWith({ 'p.csv': head + rows.map(row => `${row}\n`).join(''), 'o.yaml': mapping })
  const args = (...sources: string[]) => ['import', ...sources, '-m', 'o.yaml', ...into(service.url)]
  const run = (...more: string[]) => rowlift([...args('p.csv'), ...more], { cwd })
  return { service, cwd, args, run, log: join(cwd, 'results.ndjson') }
}

describe('import of distinct rows', () => {
  it('a distinct import takes the first row that fits and passes the mapping', async () => {
    const { service, run, log } = await importing(people)
    expect(summaryOf(await run())).toMatchObject({
      rows: 8,
      created: 3,
      invalid: 1,
      duplicate: 0,
      left_out: 4,
    })
    expect(madeBy(service)).toEqual(['Elm', 'FERN ltd', 'Oak'])
    expect((await outcomesIn(log)).map(({ row, key, status }) => [row, key, status])).toEqual([
      [2, 'fern ltd', 'invalid'],
      [3, 'fern ltd', 'created'],
      [4, 'oak', 'created'],
      [8, 'elm', 'created'],
    ])
  })

  it('a distinct import creates nothing twice in later runs, whichever row comes first then', async () => {
    const { service, cwd, run } = await importing(people)
    await run()
    expect(summaryOf(await run())).toMatchObject({ created: 0, done: 3, invalid: 1, left_out: 4 })
    await writeFile(join(cwd, 'p.csv'), head + ['New,oak,,', ...people.toReversed()].join('\n'))
    expect(summaryOf(await run())).toMatchObject({ created: 0, done: 3 })
    expect(service.made.length).toBe(3)
  })

  it('a distinct import goes on behind a limit, and over several sources', async () => {
    const { service, cwd, args } = await importing(people)
    await writeFile(join(cwd, 'q.csv'), `${head}Hal,ELM,,\nIvo,Ash,,\n`)
    const [all, limited] = [args('p.csv', 'q.csv'), [...args('p.csv', 'q.csv'), '--limit', '2']]
    expect(summaryOf(await rowlift(limited, { cwd }))).toMatchObject({ created: 2 })
    expect(summaryOf(await rowlift(all, { cwd }))).toMatchObject({ created: 2, done: 2, left_out: 5 })
    expect(madeBy(service)).toEqual(['Ash', 'Elm', 'FERN ltd', 'Oak'])
  })

  it('a distinct import is predicted by a dry run and its preview', async () => {
    const { run } = await importing(people)
    const dry = await run('--dry-run', '--preview', '-')
    expect(summaryOf(dry)).toMatchObject({ valid: 3, invalid: 1, left_out: 4 })
    expect(linesOf(dry.stdout).map(({ row }) => row)).toEqual([2, 3, 4, 8])
  })

  it('a distinct import leaves a refused row to be tried again', async () => {
    const refusesOak: ServiceOptions = {
      react: (_, { body }) => (body.name === 'Oak' ? { answer: 422, body: '{"error":"no"}' } : 'create'),
    }
    const { service, cwd, args, run } = await importing(people, refusesOak)
    expect(summaryOf(await run('--rejects', 'bad.csv'))).toMatchObject({ created: 2, failed: 1, invalid: 1 })
    await editRejects(join(cwd, 'bad.csv'), row =>
      Object.assign(row, { Site: '', Company: `${row.Company}` }),
    )
    const again = await rowlift(args('bad.csv', 'p.csv'), { cwd })
    expect(summaryOf(again)).toMatchObject({ created: 0, failed: 1 })
    expect(madeBy(service)).toEqual(['Elm', 'FERN ltd'])
  })

  it('a distinct import does not share a log with an import by a key of the same column', async () => {
    const { cwd, run } = await importing(people)
    await run()
    await writeFile(
      join(cwd, 'o.yaml'),
      mapping.replace('distinct: Company, ', '').replace('body', 'key: Company\nbody'),
    )
    const { exitCode, stderr } = await run()
    expect(exitCode).toBe(2)
    expect(stderr).toContain('key (["Company (distinct)"], now ["Company"])')
  })

  it('a distinct import links rows of the same import, also by those left out', async () => {
    const { service, cwd, run } = await importing(people)
    await writeFile(join(cwd, 'p.csv'), 'Company,Owner\nLeaf,ROOT\nRoot,\nroot,Leaf\nLEAF,\nTwig,leaf\n')
    await writeFile(
      join(cwd, 'o.yaml'),
      'record: contact\nlookups: { here: { self: true, by: Company } }\nwhere: { distinct: Company }\nbody:\n  name: { from: Company }\n  parent: { record_id: { from: Owner, lookup: here } }\n',
    )
    expect(summaryOf(await run())).toMatchObject({ created: 3, left_out: 2, invalid: 0 })
    expect(service.calls.map(({ body }) => body.name)).toEqual(['Root', 'Leaf', 'Twig'])
  })

  it('a distinct import is linked by the people of the same file in a plan', async () => {
    const { service, cwd } = await importing(people)
    await writeFile(
      join(cwd, 'people.yaml'),
      'record: contact\nlookups: { o: { step: o } }\nwhere: { State: { empty: true } }\nbody:\n  name: { from: Name }\n  parent: { record_id: { from: Company, lookup: o } }\n',
    )
    await writeFile(
      join(cwd, 'plan.yaml'),
      `base-url: ${service.url}\norganization-id: 7\nsteps:\n  people: { source: p.csv, mapping: people.yaml }\n  o: { source: p.csv, mapping: o.yaml }\n`,
    )
    const dry = await rowlift(['import', '--plan', 'plan.yaml', '--dry-run'], { cwd })
    expect(dry.stderr).not.toContain('lookup_not_found')
    await rowlift(['import', '--plan', 'plan.yaml'], { cwd })
    const idOfFern = service.made.find(({ name }) => name === 'FERN ltd')?.recordId
    const withFern = service.calls.filter(
      ({ body }) => (body.parent as { record_id?: string })?.record_id === idOfFern,
    )
    expect(withFern.map(({ body }) => body.name).sort()).toEqual(['Ada', 'Bob', 'Di'])
  })
})

describe('rows that where leaves out', () => {
  it('rows that where leaves out are counted on the page, in the summary and in its file', async () => {
    const { cwd, run } = await importing(people)
    await run('--dry-run', '--report', 'check.html', '--summary', 's.json')
    const page = await readFile(join(cwd, 'check.html'), 'utf8')
    expect(page).toContain('3 rows would be sent, 1 row is invalid, 4 are left out by where.')
    expect(JSON.parse(await readFile(join(cwd, 's.json'), 'utf8')).row_counts).toMatchObject({ left_out: 4 })
  })
})
