import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { bodyOf, idOf, parentsIn, startCheckingService } from '../../../support/references.ts'
import { folderWith, type Line, rowlift, summaryOf } from '../../../support/rowlift.ts'
import { madeBy } from '../../../support/service.ts'

type Files = Readonly<Record<string, string | Buffer>>

/** Drafts all files of a folder into m/, and lets a dry run read them by these drafts. */
async function drafted(files: Files, ...more: string[]) {
  const cwd = await folderWith(files)
  const init = await rowlift(['init', ...Object.keys(files), '-o', 'm/', ...more], { cwd })
  expect(init).toMatchObject({ exitCode: 0, stdout: '' })
  const names = (await readdir(join(cwd, 'm'))).filter(name => name.endsWith('.yaml'))
  const texts = await Promise.all(names.map(name => readFile(join(cwd, 'm', name), 'utf8')))
  const text = Object.fromEntries(names.map((name, at) => [name.replace('.yaml', ''), texts[at] ?? '']))
  const plan = ['import', '--plan', 'm/plan.yaml']
  const dryRun = await rowlift([...plan, '--dry-run'], { cwd })
  const content = (name: string): Line => parse(text[name] ?? '')
  const mappings = names.filter(name => name !== 'plan.yaml').map(name => `m/${name}`)
  expect((await rowlift(['test', ...mappings], { cwd })).exitCode).toBe(0)
  return { cwd, init, text, content, dryRun, plan, steps: Object.keys(content('plan').steps) }
}

/** The records that a real run makes. */
async function imported({ cwd, plan }: { readonly cwd: string; readonly plan: readonly string[] }) {
  const service = await startCheckingService()
  const run = await rowlift(
    [...plan, '--base-url', service.url, '--organization-id', '7', '--open-questions', 'accept'],
    { cwd },
  )
  expect([run.exitCode, run.stderr, service.violations]).toEqual([0, expect.any(String), []])
  return service
}

const crm = {
  'tasks.csv': [
    'No,Subject,Customer,Parent No,Assignee,Priority',
    '1,Quote,ida@example.com; Noor@example.com,,kim@example.org,1',
    '2,Measure,ida@example.com,1,KIM@example.org,2',
    '3,Deliver,,1,lee@example.org,1',
    '4,Bill,owen@example.com,3,lee@example.org,3\n',
  ].join('\n'),
  'people.csv': [
    'Email,First Name,Last Name,Company,Age',
    'ida@example.com,Ida,Brandt,harbour works,31',
    'noor@example.com,Noor,Haddad,Cedar & Salt ,32',
    'owen@example.com,Owen,Price,,2\n',
  ].join('\n'),
  'companies.csv': [
    'Company ID,Company Name,City,Parent Company',
    '1,Harbour Works,Leith,',
    '2,Cedar & Salt,Whitby,Harbour Works',
    '3,Fenwick Prints,Hull,cedar & salt\n',
  ].join('\n'),
  'users.csv': iconv.encode(
    'E-Mail;User ID;Name\nkim@example.org;41;Kim Åberg\nlee@example.org;42;Lee\n',
    'latin1',
  ),
}

describe('rowlift init for several files', () => {
  it('init writes mappings and a plan that link every record to the right one', async () => {
    const draft = await drafted(crm)
    expect(draft.dryRun.exitCode).toBe(0)
    expect(summaryOf(draft.dryRun)).toMatchObject({ valid: 10, invalid: 0 })
    expect(draft.steps).toEqual(['companies', 'people', 'tasks'])
    expect(draft.init.stderr).toContain('Next: rowlift import --plan m/plan.yaml --dry-run')
    expect(draft.text.plan).toContain('../users.csv is no import')

    const service = await imported(draft)
    const idsOf = (...names: string[]) => names.map(name => ({ record_id: idOf(service, name) }))
    expect(madeBy(service)).toHaveLength(10)
    expect(parentsIn(service)).toMatchObject({
      ...{ 'Cedar & Salt': 'Harbour Works', 'Fenwick Prints': 'Cedar & Salt', 'Harbour Works': undefined },
      ...{ 'Ida Brandt': 'Harbour Works', 'Noor Haddad': 'Cedar & Salt', 'Owen Price': undefined },
      ...{ Quote: undefined, Measure: 'Quote', Deliver: 'Quote', Bill: 'Deliver' },
    })
    expect(bodyOf(service, 'Quote')?.contacts).toEqual(idsOf('Ida Brandt', 'Noor Haddad'))
    expect(bodyOf(service, 'Bill')).toMatchObject({
      contacts: idsOf('Owen Price'),
      assigned_user: { user_id: 42 },
    })
    expect(bodyOf(service, 'Measure')).toMatchObject({ assigned_user: { user_id: 41 } })
  })

  it('init keeps the ids of a file its key, and finds a name by them', async () => {
    const { content } = await drafted(crm)
    expect(content('companies').key).toBe('Company ID')
    expect(content('people').lookups).toEqual({
      companies: { step: 'companies' },
      companies_by_company_name: { file: '../companies.csv', key: 'Company Name', value: 'Company ID' },
    })
  })

  it('init takes the column that others refer to for the key of a file without ids', async () => {
    const { content, text } = await drafted({
      'firms.csv': 'Firm,Website\nAcme,acme.example.com\nBell,bell.example.com\n',
      'staff.csv':
        'First Name,Last Name,Firm\nAda,Stone,Acme\nBob,Fox,acme\nCy,Young,Bell\nDee,Hart,Nowhere\nEve,Lake,Bell\n',
    })
    expect(content('firms').key).toBe('Firm')
    expect(text.firms).toContain('"Firm" of ../staff.csv names the rows of this file by this column.')
    expect(content('staff').body.parent).toBeUndefined()
    expect(text.staff).toContain('# ? "Firm" names rows of ../firms.csv by "Firm"; 1 of 3 different values')
    expect(text.staff).toContain('# parent: { record_id: { from: Firm, lookup: firms, missing: omit } }')
  })

  it('init takes rows named as companies for organizations, and asks for a key if names repeat', async () => {
    const people = 'First Name,Last Name,Company\nAda,Stone,Acme\nBob,Fox,Bell\nCy,Young,Acme\n'
    const plain = await drafted({ 'firms.csv': 'Name,City\nAcme,Hull\nBell,Ely\n', 'people.csv': people })
    expect(parentsIn(await imported(plain))).toMatchObject({ 'Cy Young': 'Acme', 'Bob Fox': 'Bell' })
    expect(plain.content('firms').body.record_sub_type).toBe('organization')
    const repeated = { 'firms.csv': 'Name,City\nAcme,Hull\nAcme,Ely\nBell,Ely\n', 'people.csv': people }
    const { content, text, steps } = await drafted(repeated)
    expect(steps).toEqual(['firms', 'people'])
    expect(content('people').body.parent).toBeUndefined()
    expect(text.plan?.replaceAll('\n# ', ' ')).toMatch(/\? "Company" of .* no column is a key/)
  })

  it('init asks about ids of users of another service, and keeps their addresses meanwhile', async () => {
    const { content, text } = await drafted({
      'users.csv': 'id,name,email\n1,Kim,kim@example.org\n2,Lee,lee@example.org\n',
      'tasks.csv': 'Subject,Assignee,Due\nCall,kim@example.org,\nWrite,lee@example.org,\n',
    })
    expect(content('tasks').body.assigned_user).toEqual({ email: { from: 'Assignee', as: 'email' } })
    expect(text.tasks?.replaceAll(/\n +# /g, ' ')).toContain(
      'Its "id" is sent as the id of the user. Is that so?',
    )
    expect(text.users).toBeUndefined()
  })

  it('init refuses rows for a few links that lead nowhere, and leaves many such links out', async () => {
    const firms = Array.from({ length: 100 }, (_, at) => `Firm ${at}`)
    const people = (lost: number) =>
      `First Name,Last Name,Company\n${firms.map((firm, at) => `Ada,Stone ${at},${at < lost ? `Other ${at}` : firm}\n`).join('')}`
    const linked = async (lost: number) =>
      drafted({ 'firms.csv': `Company,City\n${firms.join(',Ely\n')},Ely\n`, 'people.csv': people(lost) })
    const [few, many] = [await linked(2), await linked(15)]
    expect([few.dryRun.exitCode, summaryOf(few.dryRun).invalid]).toEqual([1, 2])
    expect(few.text.people).toContain('2 of 100 different values')
    expect([many.dryRun.exitCode, summaryOf(many.dryRun).invalid]).toEqual([0, 0])
    expect(many.content('people').body.parent.record_id.missing).toBe('omit')
  })

  it.each([
    ['Person ID', 'P-', 'people.csv'],
    ['Client No', 'C', 'clients.csv'],
    ['Kontakt-Nr', 'K', 'Kontakte.csv'],
  ])('init links the %s of a task, and the parent that stands below it', async (header, prefix, people) => {
    const rows = [1, 2, 3, 4, 5]
    const draft = await drafted({
      [people]: `${header},First Name,Last Name\n${rows.map(at => `${prefix}${at},Ada,Stone ${at}\n`).join('')}`,
      'tasks.csv': `Task ID,Task,${header},Parent,Due Date\n${rows.map(at => `${at},Do ${at},${prefix.toLowerCase()}${at},${at < 5 ? 5 : ''},\n`).join('')}`,
    })
    const service = await imported(draft)
    expect(parentsIn(service)).toMatchObject({ 'Do 1': 'Do 5', 'Do 4': 'Do 5' })
    expect(bodyOf(service, 'Do 3')?.contacts).toEqual([{ record_id: idOf(service, 'Ada Stone 3') }])
  })

  it('init makes organizations of the companies that people repeat', async () => {
    const draft = await drafted({
      'people.csv':
        'First Name,Last Name,Email,Company\nAda,Stone,a@example.com,Acme\nBob,Fox,b@example.com, ACME\nCy,Young,c@example.com,\nDee,Hart,d@example.com,Bell\nEve,Lake,e@example.com,N/A\nFay,Moor,f@example.com,-\n',
    })
    expect(draft.content('organizations')).toMatchObject({
      key: 'Company',
      where: { distinct: 'Company', Company: { not: ['N/A', '-'] } },
    })
    const service = await imported(draft)
    expect(madeBy(service)).toHaveLength(8)
    expect(parentsIn(service)).toMatchObject({
      'Ada Stone': 'Acme',
      'Bob Fox': 'Acme',
      'Dee Hart': 'Bell',
      'Fay Moor': undefined,
    })
  })

  it('init takes equal small numbers and equal places for chance', async () => {
    const rows = Array.from({ length: 40 }, (_, at) => at + 1)
    const { content, text } = await drafted({
      'companies.csv': `Id,Name,City\n${rows.map(at => `${at},Firm ${at},Town ${at}\n`).join('')}`,
      'people.csv': `First Name,Last Name,Email,Age,Score,City\n${rows
        .map(at => `Ada,Stone ${at},a${at}@example.com,${at},${at % 7},Town ${at}\n`)
        .join('')}`,
    })
    expect(content('people').lookups).toBeUndefined()
    expect(text.people).not.toContain('# ?')
  })

  it('init draws files of other forms in, and knows the columns of a product', async () => {
    const companies = Array.from({ length: 30 }, (_, at) => [8000 + at, `Firm ${at}`, `f${at}.example.com`])
    const { content, dryRun } = await drafted({
      'hubspot-companies.csv': `Record ID,Company name,Company Domain Name,Company owner,Lifecycle Stage,Create Date\n${companies.map(cells => `${cells.join(',')},,,\n`).join('')}`,
      'hubspot-contacts.csv': `Record ID,First Name,Last Name,Email,Associated Company IDs,Contact owner,Lifecycle Stage,Create Date\n${companies.map(([id], at) => `${at},Ada,Stone ${at},a${at}@example.com,${id},,,\n`).join('')}`,
      'calls.ndjson': companies
        .map(([id], at) =>
          JSON.stringify({ id: `T${at}`, subject: 'Call', due: '2026-10-05', company: { id } }),
        )
        .join('\n'),
    })
    expect(dryRun.exitCode).toBe(0)
    expect(content('hubspot-contacts').body.parent.record_id).toMatchObject({ lookup: 'hubspot-companies' })
    expect(content('calls').body.contacts).toEqual([
      { record_id: { from: 'company.id', lookup: 'hubspot-companies' } },
    ])
  })

  it('init gives files of one name their own steps, and leaves out one of two in a circle', async () => {
    const rows = (own: string, other: string) =>
      `Key,Summary,Parent Key,Due Date\n${[1, 2, 3, 4].map(at => `${own}-${at},Do ${at},${at > own.length ? `${other}-${at}` : ''},\n`).join('')}`
    const cwd = await folderWith({
      'Epics.csv': rows('E', 'ST'),
      'epics.ndjson': '',
      'stories.csv': rows('ST', 'E'),
    })
    const init = await rowlift(['init', 'Epics.csv', 'stories.csv', './Epics.csv', '-o', 'm'], { cwd })
    expect([init.exitCode, init.stderr]).toEqual([0, expect.stringContaining('m/Epics-2.yaml')])
    expect(await readFile(join(cwd, 'm/plan.yaml'), 'utf8')).toMatch(/# \? .*that file refers back: a circle/)
    expect(await rowlift(['import', '--plan', 'm/plan.yaml', '--dry-run'], { cwd })).toMatchObject({
      exitCode: 0,
    })
  })

  it('init writes all or nothing, and never over a file', async () => {
    const cwd = await folderWith({ ...crm, 'tasks.yaml': 'mine', 'plan.yaml': 'mine' })
    const said = (words: string) => ({ exitCode: 2, stdout: '', stderr: expect.stringContaining(words) })
    const init = (...words: string[]) => rowlift(['init', ...words], { cwd })
    expect(await init('people.csv', 'tasks.csv', '-o', '.')).toMatchObject(
      said('tasks.yaml, plan.yaml: exists'),
    )
    expect(await init('people.csv', 'tasks.csv')).toMatchObject(said('-o FOLDER/'))
    expect(await init('people.csv', 'tasks.csv', '-o', 'all.yaml')).toMatchObject(said('-o FOLDER/'))
    expect(await init('people.csv', '-', '-o', 'm/')).toMatchObject(said('not standard input'))
    expect(await init('people.csv', 'none.csv', '-o', 'm/')).toMatchObject(
      said('none.csv: there is no such file'),
    )
    expect(await init('people.csv', '-o', 'plan.yaml/')).toMatchObject(
      said('plan.yaml/: the mapping cannot be written'),
    )
    expect(await init('people.csv', '-o', 'm/m.yaml')).toMatchObject(
      said('m/m.yaml: the mapping cannot be written'),
    )
    expect((await readdir(cwd)).sort()).toEqual([...Object.keys(crm), 'plan.yaml', 'tasks.yaml'].sort())
  })
})
