import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { matcherFor } from '../../../../src/features/reconcile/matcher.ts'
import { mostCandidates, RecordIndex } from '../../../../src/features/reconcile/record-index.ts'
import { importOf } from '../../../support/imports.ts'
import { folderWith, linesOf, outcomesIn, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, type ServiceOptions, startService } from '../../../support/service.ts'

const idOf = (number: number) => `9d2f0000-0000-4000-8000-${String(number).padStart(12, '0')}`
const byEmail = ['--existing', 'export.csv', '--id', 'Id', '--match', 'E-mail=emails.0.email']
const people = `Name,Email
Ada,ada@example.com
Bob,BOB@example.com
Cy,cy@example.com
Bobby,bob@EXAMPLE.com
Twin,twin@example.com
Nomail,
Noid,noid@example.com
`
const shown = `Id,E-mail
${idOf(1)},Ada@Example.com
${idOf(2)},bob@example.com
${idOf(2).toUpperCase()},bob@example.com
${idOf(3)},twin@example.com
${idOf(4)},twin@example.com
${idOf(5)},
,noid@example.com
`
const mapping = `record: contact
key: Name
body: { name: "{{Name}}", emails: [{ email: { from: Email, as: email } }] }
`

/** Contacts, an export of the service that has some of them, and the words that import them. */
async function world(changes: Readonly<Record<string, string>> = {}, options: ServiceOptions = {}) {
  const service = await startService(options)
  const cwd = await folderWith({
    'people.csv': people,
    'people.yaml': mapping,
    'export.csv': shown,
    ...changes,
  })
  const words = (...more: string[]) => importOf('people.csv', 'people.yaml', service.url, ...more)
  const run = (...more: string[]) => rowlift(words(...byEmail, ...more), { cwd })
  return { service, cwd, words, run, log: join(cwd, 'results.ndjson') }
}

const fates = (lines: readonly Record<string, unknown>[]) =>
  lines.map(({ key, status, record_id: id }) => `${key} ${status} ${id ?? ''}`.trim()).sort()

describe('rows that the service has already', () => {
  it('rows that one record matches get it, the second is merged, several hold a row, the rest is sent', async () => {
    const { service, cwd, run, log } = await world()
    const { exitCode, stderr } = await run('--rejects', 'rejects.csv', '--report', 'page.html')
    expect(exitCode).toBe(1)
    expect(madeBy(service)).toEqual(['Cy', 'Nomail'])
    const lines = await outcomesIn(log)
    expect(fates(lines)).toEqual([
      `Ada existing ${idOf(1)}`,
      `Bob existing ${idOf(2)}`,
      `Bobby merged ${idOf(2)}`,
      `Cy created ${service.made[0]?.recordId}`,
      `Nomail created ${service.made[1]?.recordId}`,
    ])
    expect(lines.find(({ key }) => key === 'Bobby')).toMatchObject({
      same_as: { source: 'people.csv', row: 2 },
      body_hash: expect.any(String),
      export: 'export.csv',
      attempts: 0,
    })
    expect(summaryOf({ stderr, stdout: '', exitCode })).toMatchObject({
      ...{ existing: 2, merged: 1, held: 2, ambiguous: 2, respelled: 0, created: 2 },
      unmet: [{ code: 'too_many_merged' }],
    })
    const rejects = await readFile(join(cwd, 'rejects.csv'), 'utf8')
    expect(rejects).toContain(`matches several records of export.csv, such as ${idOf(3)}, ${idOf(4)}`)
    expect(rejects).toContain('matches a row of export.csv without the id of a record')
    expect(await readFile(join(cwd, 'page.html'), 'utf8')).toContain(`such as ${idOf(3)}, ${idOf(4)}`)
  })

  it('a dry run says the same of each row, and names the candidates', async () => {
    const { service, cwd, run, log } = await world()
    const dry = await run('--dry-run', '--preview', '-', '--report', 'page.html')
    expect([dry.exitCode, service.calls.length]).toEqual([1, 0])
    const lines = linesOf(dry.stdout)
    expect(lines.find(({ key }) => key === 'Twin')).toMatchObject({
      ...{ status: 'held', candidates: [idOf(3), idOf(4)] },
      errors: [{ code: 'several_existing' }],
    })
    const page = await readFile(join(cwd, 'page.html'), 'utf8')
    expect(page).toContain(`such as ${idOf(3)}, ${idOf(4)}`)
    await run()
    const sent = fates(await outcomesIn(log)).map(fate => fate.replace(/created .*/, 'valid'))
    expect(fates(lines).filter(fate => !fate.includes('held'))).toEqual(sent)
  })

  it('the log goes first: the next night needs no export, and looks at held rows afresh', async () => {
    const { service, cwd, words, run, log } = await world()
    await run()
    await writeFile(join(cwd, 'export.csv'), shown.replace(`${idOf(4)},twin`, `${idOf(4)},other`))
    const again = summaryOf(await run())
    expect(again).toMatchObject({ done: 5, existing: 1, held: 1, merged: 0, exit_code: 1 })
    const without = summaryOf(await rowlift(words(), { cwd }))
    expect(without).toMatchObject({ done: 6, created: 1, exit_code: 0 })
    expect(madeBy(service)).toEqual(['Cy', 'Noid', 'Nomail'])
    expect(new Set((await outcomesIn(log)).map(({ key }) => key)).size).toBe(7)
  })

  it('a row of the log has its record, and another row that matches it is merged', async () => {
    const { service, cwd, run, words } = await world({ 'people.csv': 'Name,Email\nAda,ada@example.com\n' })
    await rowlift(words(), { cwd })
    const id = service.made[0]?.recordId ?? ''
    await writeFile(join(cwd, 'export.csv'), `Id,E-mail\n${id},ada@example.com\n`)
    await writeFile(
      join(cwd, 'people.csv'),
      'Name,Email\nAda,ada@example.com\nAda L,ADA@example.com \nNew,n@example.com\n',
    )
    const dry = summaryOf(await run('--dry-run'))
    expect(dry).toMatchObject({ done: 1, merged: 1, valid: 1, exit_code: 1 })
    const end = summaryOf(await run('--expect-merged', '1'))
    expect(end).toMatchObject({ done: 1, merged: 1, created: 1, exit_code: 0 })
    expect(end.merged_rows).toMatchObject([
      { record_id: id, row: { row: 2 }, same_as: { source: 'people.csv', row: 1 } },
    ])
  })

  it('a row in doubt stays in doubt, and is not sent again if the export may show it', async () => {
    const source = 'Name,Email\nAda,ada@example.com\n'
    const react = () => ({ cut: 'after creating' }) as const
    const { service, run, words, cwd } = await world({ 'people.csv': source }, { react })
    const first = await rowlift(words(), { cwd })
    expect(summaryOf(first)).toMatchObject({ in_doubt: 1 })
    expect(summaryOf(await run())).toMatchObject({ held: 1, in_doubt_total: 1, existing: 0, exit_code: 1 })
    const resent = await run('--in-doubt', 'resend')
    expect(summaryOf(resent)).toMatchObject({ held: 1, in_doubt_total: 1, existing: 0, exit_code: 1 })
    expect(service.calls).toHaveLength(1)
  })

  it('use_created and an export work together', async () => {
    const old = { existing: idOf(9), createdAt: '2020-01-01T00:00:00Z' }
    const { run, log } = await world({}, { react: (_, { body }) => (body.name === 'Cy' ? old : 'create') })
    await run('--use-created')
    expect(fates(await outcomesIn(log))).toEqual(
      expect.arrayContaining([
        `Ada existing ${idOf(1)}`,
        `Cy existing ${idOf(9)}`,
        `Bobby merged ${idOf(2)}`,
      ]),
    )
  })

  it('rows that wait for a parent get the id of one that exists, and a later import looks it up', async () => {
    const tree = `record: contact
key: Name
lookups: { parents: { self: true, by: Name } }
allow_unknown_fields: true
body:
  name: "{{Name}}"
  emails: [{ email: { from: Email } }]
  parent: { record_id: { from: Parent, lookup: parents } }
`
    const source =
      'Name,Email,Parent\nChild,c@example.com,Ada\nAda,ada@example.com,\nGrand,g@example.com,Twin\nTwin,twin@example.com,\n'
    const { service, cwd, run, words } = await world({ 'people.yaml': tree, 'people.csv': source })
    const end = summaryOf(await run())
    expect(end).toMatchObject({ existing: 1, created: 1, held: 1, invalid: 1 })
    expect(end.reasons).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ code: 'linked_row_not_created' })]),
    )
    expect(service.calls.map(({ body }) => body.parent)).toEqual([{ record_id: idOf(1) }])
    await writeFile(join(cwd, 'people.csv'), 'Name,Email,Parent\nLate,l@example.com,Ada\n')
    await rowlift(words('--accept-fewer'), { cwd })
    expect(service.calls.at(-1)?.body.parent).toEqual({ record_id: idOf(1) })
  })

  it('a step of a plan has an export of its own, beside the plan', async () => {
    const plan = `steps:
  people:
    source: people.csv
    mapping: people.yaml
    existing: export.csv
    id: Id
    match: [E-mail=emails.0.email]
`
    const { service, cwd } = await world({ 'plan.yaml': plan })
    const words = ['--plan', 'plan.yaml', '--base-url', service.url, '--organization-id', '7']
    await rowlift(['import', ...words], { cwd })
    expect(madeBy(service)).toEqual(['Cy', 'Nomail'])
    expect(fates(await outcomesIn(join(cwd, 'people.results.ndjson')))).toContain(`Ada existing ${idOf(1)}`)
  })

  it('the options stand in a settings file or in the environment, too', async () => {
    const { service, cwd, words } = await world({ 's.yaml': 'existing: export.csv\nid: Id\n' })
    const env = { ROWLIFT_MATCH: 'E-mail=emails.0.email' }
    await rowlift(words('--config', 's.yaml'), { cwd, env })
    expect(madeBy(service)).toEqual(['Cy', 'Nomail'])
  })

  it('the limit is for calls: rows that exist need none', async () => {
    const { service, run } = await world()
    expect(summaryOf(await run('--limit', '1'))).toMatchObject({ existing: 2, created: 1, limit_reached: 1 })
    expect(madeBy(service)).toEqual(['Cy'])
  })

  it('an approval has the export and how it is matched, and counts calls alone', async () => {
    const { cwd, run, words } = await world()
    const approval = ['--approval', 'ok.json', '--limit', '2']
    await run(...approval, '--dry-run')
    expect(summaryOf(await run(...approval))).toMatchObject({ existing: 2, created: 2 })
    const other = await rowlift(words(...byEmail.with(-1, 'E-mail=name'), ...approval), { cwd })
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('match: approved')])
    await writeFile(join(cwd, 'export.csv'), `${shown}${idOf(8)},new@example.com\n`)
    const grown = await run(...approval)
    expect([grown.exitCode, grown.stderr]).toEqual([
      2,
      expect.stringContaining('existing 1: approved {"name"'),
    ])
  })

  it('a log with rows of an export is verified, listed and reported like any other', async () => {
    const { cwd, run } = await world()
    await run()
    const verified = await rowlift(['verify', 'results.ndjson', '--against', 'export.csv', '--id', 'Id'], {
      cwd,
    })
    expect(JSON.parse(verified.stdout)).toMatchObject({ counts: { records: 4, found: 2, missing: 2 } })
    const listed = await rowlift(['log', 'results.ndjson'], { cwd })
    expect(listed.stdout).toMatch(/existing +2/)
    expect((await rowlift(['report', 'results.ndjson', '-o', 'p.html'], { cwd })).exitCode).toBe(0)
  })
})

describe('an export that cannot say what the service has', () => {
  const refused = async (words: readonly string[], changes: Readonly<Record<string, string>> = {}) => {
    const { service, cwd, words: all } = await world(changes)
    const { exitCode, stderr } = await rowlift(all(...words), { cwd })
    expect([exitCode, service.calls.length]).toEqual([2, 0])
    return stderr
  }
  const match = (pair: string) => ['--existing', 'export.csv', '--id', 'Id', '--match', pair]

  it('an export that is not there, is a pipe or has no such column is refused before the first call', async () => {
    expect(await refused(byEmail.with(1, 'none.csv'))).toContain('none.csv: there is no such file')
    expect(await refused(byEmail.with(1, '-'))).toContain('--existing: must be a file')
    expect(await refused(byEmail.with(1, '/dev/null'))).toContain('--existing: must be a file')
    expect(await refused(match('Mail=emails.0.email'))).toContain('there is no column "Mail"')
    expect(await refused(byEmail.slice(2))).toContain('name it by --existing')
    expect(await refused(byEmail.slice(0, 2))).toContain('--match is required')
    expect(await refused([...byEmail, '--country', 'XX'])).toContain('must be a country code')
  })

  it('a column that is empty throughout, or an id that is none, is refused before the first call', async () => {
    const empty = { 'export.csv': `Id,E-mail,Name\n${idOf(1)},,Ada\n` }
    expect(await refused(byEmail, empty)).toContain('its column "E-mail" is empty in every row')
    expect(await refused(byEmail.with(3, 'E-mail'))).toContain('has no id of a record in any row')
  })

  it('a field that the mapping never fills is refused, for every row would be sent', async () => {
    for (const path of ['emails.1.email', 'email', 'name.first', 'emails', 'phones.0.phone_number'])
      expect(await refused(match(`E-mail=${path}`))).toContain(`its body has no field ${path}, so no row`)
    const split = mapping.replace('emails: [', 'phones: { from: Email, split: ";" }, emails: [')
    const { run } = await world({ 'people.yaml': split })
    expect((await run('--match', 'E-mail=phones.0.phone_number', '--dry-run')).exitCode).not.toBe(2)
  })

  it('an export is not overwritten, nor by a file of rejected rows', async () => {
    expect(await refused([...byEmail, '--rejects', 'export.csv'])).toContain('export of the service')
  })
})

describe('texts by which records are matched', () => {
  const pairs = ['name', 'phones.0.phone_number', 'emails.0.email'].map(path => ({ column: path, path }))
  const matcher = matcherFor(pairs, 'contact', 'GB')
  const textOf = (...values: unknown[]) => matcher.textOf(values)

  it('texts are equal if all values are, however they are written', () => {
    expect(textOf(' Ann\n Lee', '020 7946 0991', 'A@X.example')).toBe(
      textOf('Ann Lee', '+442079460991', 'a@x.example'),
    )
    expect(textOf('Zoe\u0308', '', '')).toBe(textOf('Zo\u00eb', undefined, null))
    expect(textOf('', ' ', null)).toBe('')
  })

  it('texts differ if a value is that of another field, or a line end would make it so', () => {
    const texts = [
      ['a', '', ''],
      ['', 'a', ''],
      ['', '', 'a'],
      ['a\n', 'b', ''],
      ['a', 'b'],
      ['a', '', 'b'],
    ]
    const made = texts.map(values => textOf(...values))
    expect(made[3]).toBe(made[4])
    expect(new Set(made).size).toBe(5)
  })
})

describe('records by values that read like keys made of content', () => {
  it('records are not mixed up: such values are hashed like all others', () => {
    const { textOf } = matcherFor([{ column: 'Name', path: 'name' }], 'contact', undefined)
    const [first, second] = [1, 2].map(count => textOf([`sha256:0123456789abcdef#${count}`]))
    const records = new RecordIndex()
    for (const number of [1, 2]) records.add(`${first}`, idOf(number))
    expect(records.of(`${second}`)).toEqual([])
    expect(records.of(`${first}`)).toHaveLength(2)
  })
})

describe('records by the text of their values', () => {
  it('records are found by equal values, once each, and named up to a number', () => {
    const records = new RecordIndex()
    for (let number = 1; number <= mostCandidates + 5; number += 1) records.add('same', idOf(number))
    for (const id of [idOf(20), idOf(20).toUpperCase(), idOf(20)]) records.add('one', id)
    records.add('unnamed', undefined)
    expect(records.of('one')).toEqual([idOf(20)])
    expect(records.of('unnamed')).toEqual([undefined])
    expect(records.of('none')).toEqual([])
    expect(records.of('same')).toHaveLength(mostCandidates + 1)
  })

  it('ids come back as they were, also after a block of them is full', () => {
    const records = new RecordIndex()
    const count = 70_000
    for (let number = 0; number < count; number += 1) records.add(`${number}`, idOf(number + 1))
    for (const number of [0, 1, 65_535, 65_536, count - 1])
      expect(records.of(`${number}`)).toEqual([idOf(number + 1)])
  })
})
