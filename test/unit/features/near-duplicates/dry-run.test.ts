import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importRows } from '../../../../src/index.ts'
import { folderWith, into, outcomesIn, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy, type Reaction, startService } from '../../../support/service.ts'

const mapping = `record: contact
key: Id
body:
  name: { from: Name, required: true }
  emails: [{ email: { from: Email, as: email } }]
  phones: [{ phone_number: { from: Phone, as: phone } }]
`
const source = `Id,Name,Email,Phone
1,Ann Müller,ann@x.example,
2,Bob,bob@y.example,+44 20 7946 0991
3,Anna,ANN@x.example,
4,Rob,,+442079460991
5,muller ann,,
6,Cy,cy@z.example,
`
const files = (changes: Record<string, string> = {}) =>
  folderWith({ 'm.yaml': mapping, 'p.csv': source, ...changes })
const args = ['import', 'p.csv', '-m', 'm.yaml']
const holding = ['--near-duplicates', 'hold']

describe('near duplicates', () => {
  it('near duplicates are reported by a dry run, in its summary and page, without an exit code', async () => {
    const cwd = await files()
    const dry = [...args, '--dry-run']
    const { stderr, exitCode } = await rowlift([...dry, '--report', 'p.html'], { cwd, hasColors: true })
    expect(exitCode).toBe(0)
    expect(stderr).toContain(`Near duplicates: 2 groups, 5 rows
  p.csv:2, p.csv:4, p.csv:6: the same e-mail; the same name but for case, accents and order
  p.csv:3, p.csv:5: the same phone number
`)
    const page = await readFile(join(cwd, 'p.html'), 'utf8')
    expect(page).toContain('<bdi>p.csv:6</bdi> <bdi>muller ann</bdi>')
    const told = await rowlift(dry, { cwd })
    expect(summaryOf(told).near_duplicates).toMatchObject({
      ...{ groups: 2, rows: 5 },
      first: [
        { by: ['email', 'name'], size: 3 },
        { rows: [{ source: 'p.csv', row: 2, line: 3 }, { row: 4 }] },
      ],
    })
    expect(told.stderr).not.toContain('muller')
    const off = await rowlift([...dry, '--near-duplicates', 'off'], { cwd })
    expect(summaryOf(off)).not.toHaveProperty('near_duplicates')
  })

  it('near duplicates of rows that an export of the service has are told as well', async () => {
    const shown = 'Id,Phone\n9d2f0000-0000-4000-8000-000000000002,+442079460991\n'
    const rows = 'Id,Name,Email,Phone\n2,Bob,bob@y.example,+44 20 7946 0991\n5,Robert,BOB@y.example,\n'
    const cwd = await files({ 'p.csv': rows, 'there.csv': shown })
    const existing = ['--existing', 'there.csv', '--id', 'Id', '--match', 'Phone=phones.0.phone_number']
    const told = summaryOf(await rowlift([...args, '--dry-run', ...existing], { cwd }))
    expect(told).toMatchObject({
      ...{ existing: 1, valid: 1 },
      near_duplicates: { groups: 1, rows: 2, first: [{ by: ['email'] }] },
    })
  })

  it('near duplicates come with the key that would make them one', async () => {
    const rows =
      'Id,Name,Email,Phone\n1,Ann,ann@x.example,\n2,Bo,ann@x.example,\n3,Cy,,+44 20 7946 0991\n4,Di,,+442079460991\n'
    const cwd = await files({ 'p.csv': rows })
    const { stderr } = await rowlift([...args, '--dry-run'], { cwd, hasColors: true })
    expect(stderr).toContain('  key: Email makes 1 of 2 groups one row each.\n')
  })

  it('near duplicates are no rows that equal another one in all cells', async () => {
    const rows = 'Id,Name,Email,Phone\n1,Ann,ann@x.example,\n1,Ann,ann@x.example,\n'
    const cwd = await files({ 'm.yaml': mapping.replace('key: Id\n', ''), 'p.csv': rows })
    const dry = summaryOf(await rowlift([...args, '--dry-run'], { cwd }))
    expect(dry).toMatchObject({ equal_rows: 1, near_duplicates: { groups: 0, rows: 0 } })
    const held = summaryOf(await rowlift([...args, '--dry-run', ...holding], { cwd }))
    expect(held).toMatchObject({ valid: 1, invalid: 1, near_duplicates: { groups: 1, rows: 2 } })
  })

  it('near duplicates are not looked for in a run by default, and then only reported', async () => {
    const service = await startService()
    const cwd = await files()
    const told = await rowlift([...args, ...into(service.url), '--near-duplicates', 'report'], { cwd })
    expect(summaryOf(told)).toMatchObject({ created: 6, near_duplicates: { groups: 2, rows: 5 } })
    const silent = await rowlift([...args, ...into(service.url)], { cwd })
    expect(summaryOf(silent)).toMatchObject({ done: 6 })
    expect(summaryOf(silent)).not.toHaveProperty('near_duplicates')
  })

  it('near duplicates are held: the first is sent, and each later one names the row it is like', async () => {
    const service = await startService()
    const cwd = await files()
    const importing = () =>
      rowlift([...args, ...into(service.url), ...holding, '--rejects', 'bad.csv'], { cwd })
    for (const limit of ['1', '2'])
      await rowlift([...args, ...into(service.url), ...holding, '--limit', limit], { cwd })
    for (let run = 0; run < 2; run += 1) {
      const ended = await importing()
      expect(ended.exitCode).toBe(1)
      expect(summaryOf(ended)).toMatchObject({ invalid: 3, reasons: [{ code: 'near_duplicate', count: 3 }] })
    }
    expect(madeBy(service)).toEqual(['Ann Müller', 'Bob', 'Cy'])
    expect(await readFile(join(cwd, 'bad.csv'), 'utf8')).toContain(
      'is a near duplicate of p.csv:2 (row 1): it has the same e-mail',
    )
  })

  it('near duplicates are sent when they come back from the rejects file, fixed or not', async () => {
    const service = await startService()
    const cwd = await files()
    await rowlift([...args, ...into(service.url), ...holding, '--rejects', 'bad.csv'], { cwd })
    const bad = await readFile(join(cwd, 'bad.csv'), 'utf8')
    await writeFile(join(cwd, 'bad.csv'), bad.replace('ANN@x.example', 'anna@x.example'))
    const again = ['import', 'bad.csv', '-m', 'm.yaml', ...into(service.url)]
    expect(summaryOf(await rowlift([...again, ...holding], { cwd }))).toMatchObject({ created: 3 })
    expect(madeBy(service)).toEqual(['Ann Müller', 'Anna', 'Bob', 'Cy', 'Rob', 'muller ann'])
    const whole = await rowlift([...args, ...into(service.url), ...holding], { cwd })
    expect([whole.exitCode, summaryOf(whole).done]).toEqual([0, 6])
  })

  it('near duplicates of a row in doubt are held as well, and a row in doubt is none', async () => {
    const lost: Reaction = { cut: 'after creating' }
    const service = await startService({
      react: (_, { body }) => (body.name === 'Ann Müller' ? lost : 'create'),
    })
    const cwd = await files()
    for (const inDoubt of ['hold', 'hold', 'resend']) {
      const ended = await rowlift([...args, ...into(service.url), ...holding, '--in-doubt', inDoubt], { cwd })
      expect(summaryOf(ended)).toMatchObject({ invalid: 3 })
    }
    const ofAnn = (await outcomesIn(join(cwd, 'results.ndjson'))).filter(({ key }) => key === '1')
    expect(ofAnn.map(({ status }) => status)).toEqual(['in_doubt', 'in_doubt'])
  })

  it('near duplicates among rows that wait for other rows are the same in every run', async () => {
    const service = await startService()
    const tree = `record: contact
key: Id
lookups: { boss: { self: true, by: Id } }
body: { name: "{{Name}}", emails: [{ email: "{{Email}}" }], parent: { record_id: { from: Boss, lookup: boss } } }
`
    const rows = 'Id,Name,Email,Boss\n1,Early,a@x.example,3\n2,Late,a@x.example,\n3,Boss,,\n'
    const cwd = await files({ 'm.yaml': tree, 'p.csv': rows })
    for (let run = 0; run < 2; run += 1) {
      const { stderr } = await rowlift([...args, ...into(service.url), ...holding], { cwd, hasColors: true })
      expect(stderr).toContain('is a near duplicate of p.csv:2 (row 1)')
    }
    expect(madeBy(service)).toEqual(['Boss', 'Early'])
  })

  it('near duplicates are counted for programs', async () => {
    const rows = ['a@x.example', 'A@x.example'].map((Email, Id) => ({ Id, Email, Name: `N${Id}` }))
    const body = { name: '{{Name}}', emails: [{ email: '{{Email}}' }] }
    const options = { mapping: { record: 'contact', key: 'Id', body }, rows, dryRun: true }
    const { nearDuplicates } = await importRows(options).summary()
    expect(nearDuplicates).toEqual({ groups: 1, rows: 2 })
    const held = await importRows({ ...options, nearDuplicates: 'hold' }).summary()
    expect(held.rows).toMatchObject({ valid: 1, invalid: 1 })
  })

  it('near duplicates are not held with a ledger, whose workers see some of the rows each', async () => {
    const ledger = ['--ledger', 'postgres://db.example.com/x', '--import', 'a']
    const { stderr, exitCode } = await rowlift([...args, ...ledger, ...holding], { cwd: await files() })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(
      '--near-duplicates needs all rows, and with --ledger each worker has some of them',
    )
  })
})
