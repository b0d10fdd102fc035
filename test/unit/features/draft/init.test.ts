import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { folderWith, linesOf, rowlift, summaryOf } from '../../../support/rowlift.ts'

/** Drafts a mapping for a file, and lets a dry run read the file by it. */
async function drafted(name: string, content: string | Buffer, ...flags: string[]) {
  const cwd = await folderWith({ [name]: content })
  const init = await rowlift(['init', name, '-o', 'm.yaml', ...flags], { cwd })
  expect(init).toMatchObject({ exitCode: 0, stdout: '' })
  const text = await readFile(join(cwd, 'm.yaml'), 'utf8')
  const dryRun = await rowlift(['import', name, '-m', 'm.yaml', '--dry-run'], { cwd })
  return { text, mapping: parse(text), init, dryRun, bodies: linesOf(dryRun.stdout) }
}

const people =
  'Vorname;Nachname;E-Mail;Geboren\nÄnne;Groß;aenne@example.com;03.04.1985\nJörg;Süß;joerg@example.com;25.12.1970\n'

describe('rowlift init', () => {
  it('rowlift init writes a mapping that a dry run over the same file takes as it stands', async () => {
    const { text, dryRun, bodies, init } = await drafted('people.csv', iconv.encode(people, 'windows-1252'))
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=mapping.schema.json')
    expect(text.split('\n')[1]).toBe(
      '# A draft for "people.csv": CSV with ";" in windows-1252, header on line 1, 4 columns, 2 rows.',
    )
    expect(dryRun.exitCode).toBe(0)
    expect(bodies).toEqual([
      { name: 'Änne Groß', record_sub_type: 'person', emails: [{ email: 'aenne@example.com' }] },
      { name: 'Jörg Süß', record_sub_type: 'person', emails: [{ email: 'joerg@example.com' }] },
    ])
    expect(init.stderr).toContain('Next: rowlift import people.csv -m m.yaml --dry-run')
  })

  it('rowlift init reads numbers without a country as numbers of --country, also by a preset', async () => {
    const { bodies } = await drafted('people.csv', 'Name,Phone\nAda,030 1234567\n', '--country', 'de')
    expect(bodies).toMatchObject([{ phones: [{ phone_number: '+49301234567' }] }])
    const hubspot = await readFile('samples/presets/hubspot-contacts.csv', 'utf8')
    const { mapping } = await drafted('contacts.csv', hubspot, '--country', 'US')
    expect(mapping.body.phones[0].phone_number).toMatchObject({ as: 'phone', country: 'US' })
  })

  it('rowlift init refuses a country that there is none of', async () => {
    const cwd = await folderWith({ 'people.csv': people })
    const { exitCode, stderr } = await rowlift(['init', 'people.csv', '--country', 'Utopia'], { cwd })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('unknown country "UTOPIA"; give its two letters, such as GB')
  })

  it('rowlift init lays the schema that the draft names beside it, for whoever opens the folder', async () => {
    const cwd = await folderWith({ 'people.csv': people, 'mapping.schema.json': '{}' })
    const schema = await readFile('config/mapping.schema.json', 'utf8')
    const titled = '{\n  "title": "A mapping file of rowlift"\n}'
    await rowlift(['init', 'people.csv', '-o', 'new/', '--record', 'contact'], { cwd })
    expect(await readFile(join(cwd, 'new/mapping.schema.json'), 'utf8')).toBe(schema)
    expect(JSON.parse(await readFile(join(cwd, 'new/plan.schema.json'), 'utf8')).title).toMatch(/plan/)
    expect((await readFile(join(cwd, 'new/plan.yaml'), 'utf8')).split('\n')[0]).toBe(
      '# yaml-language-server: $schema=plan.schema.json',
    )

    await rowlift(['init', 'people.csv', '-o', 'm.yaml'], { cwd })
    expect(await readFile(join(cwd, 'mapping.schema.json'), 'utf8')).toBe('{}')
    await writeFile(join(cwd, 'mapping.schema.json'), titled) // an earlier version
    await rowlift(['init', 'people.csv', '-o', 'n.yaml'], { cwd })
    expect(await readFile(join(cwd, 'mapping.schema.json'), 'utf8')).toBe(schema)
  })

  it('rowlift init writes to standard output, and reads standard input', async () => {
    const run = await rowlift(['init', '-'], { cwd: await folderWith({}), stdin: people })
    expect(run.exitCode).toBe(0)
    expect(parse(run.stdout)).toMatchObject({ record: 'contact', source: { delimiter: ';' } })
    expect(run.stdout).not.toContain('$schema') // none lies beside it
    expect(run.stderr).toContain('Next: rowlift import - -m MAPPING.yaml --dry-run')
  })

  it('rowlift init never writes over a file', async () => {
    const cwd = await folderWith({ 'a.csv': people, 'm.yaml': 'mine' })
    expect(await rowlift(['init', 'a.csv', '-o', 'm.yaml'], { cwd })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('m.yaml: exists and is not overwritten'),
    })
    expect(await readFile(join(cwd, 'm.yaml'), 'utf8')).toBe('mine')
  })

  it('rowlift init explains on demand what each column became, and why', async () => {
    const content =
      'Nom,Courriel,Tuteur,Parrain courriel,Titre,Rôle,Pointure\nAnne,a@example.com,Léo,l@example.com,Chef,admin,38\nLuc,b@example.com,,m@example.com,Aide,membre,41\n'
    const { stderr } = await rowlift(['init', 'a.csv', '--explain'], {
      cwd: await folderWith({ 'a.csv': content }),
    })
    const cells = stderr.split('\n').map(line => line.split(/ {2,}/))
    expect(cells[0]).toEqual(['column', 'filled', 'became', 'role', 'header', 'values', 'score', 'next'])
    expect(cells.slice(1, 8).map(row => row.slice(0, 4))).toEqual([
      ['Nom', '100%', 'name', 'name'],
      ['Courriel', '100%', 'key, emails.email', 'email'],
      ['Tuteur', '50%', "somebody else's", 'none'],
      ['Parrain courriel', '100%', "somebody else's", 'none'],
      ['Titre', '100%', 'designation', 'designation'],
      ['Rôle', '100%', 'beaten by Titre', 'designation'],
      ['Pointure', '100%', 'not mapped', 'none'],
    ])
    expect(cells[1]?.slice(4, 7)).toEqual(['100%', '100%', '2.50'])
  })

  it('rowlift init takes no NUL character for a name, and says which rows have one', async () => {
    const content = 'Name,Email\nIvy,ivy@example.com\n\0,rex@example.com\n'
    const { text, bodies, dryRun } = await drafted('people.csv', content)
    expect(text).toContain('# 1 row with NUL characters (line 3): invalid.')
    expect(bodies).toHaveLength(1)
    expect(dryRun.stderr).toContain('"code":"nul_character"')
  })

  it.each([
    ['packed', 'a.csv.gz', gzipSync('Name,Email\nAda,ada@example.com\n')],
    [
      'UTF-16',
      'a.csv',
      iconv.encode('Name\tEmail\r\nÄnne\tada@example.com\r\n', 'utf-16le', { addBOM: true }),
    ],
    ['UTF-32', 'a.csv', iconv.encode('Name,Email\r\nÄnne,ada@example.com\r\n', 'utf-32le', { addBOM: true })],
    ['UTF-16 without a mark', 'a.csv', iconv.encode('Name,Email\r\nÄnne,ada@example.com\r\n', 'utf-16be')],
    ['ended by CR', 'a.csv', 'Name,Email\rAda,ada@example.com\rBob,b@example.com\r'],
    [
      'below notes',
      'a.csv',
      'Notes:\n"a, b"\n\nName,Email,Town\nAda,ada@example.com,X\nBob,b@example.com,Y\n',
    ],
    ['without a header', 'a.csv', 'Ada,ada@example.com\nBob,b@example.com\n'],
    ['longer by an empty cell', 'a.csv', 'Name,Email\nAda,ada@example.com,\nBob,b@example.com,\n'],
    [
      'shorter than a header that ends in a comma',
      'a.csv',
      'Name,Email,\nAda,ada@example.com\nBob,b@example.com\n',
    ],
    ['of 80 columns', 'a.csv', `Name,Email${',x'.repeat(78)}\nAda,ada@example.com${',1'.repeat(78)}\n`],
    [
      'objects',
      'a.ndjson',
      '{"name":"Ada","contact":{"email":"ada@example.com"},"tags":["x"],"n":{"m":[{}]}}\n{"name":"Bob","contact":null,"n":1}\n',
    ],
  ])('rowlift init drafts for rows that are %s', async (_, name, content) => {
    const { dryRun, bodies } = await drafted(name, content)
    expect(dryRun.exitCode).toBe(0)
    expect(bodies[0]).toMatchObject({ emails: [{ email: 'ada@example.com' }] })
  })

  it('rowlift init leaves rows invalid that are broken, and names their lines', async () => {
    const { text, dryRun } = await drafted(
      'a.csv',
      'Task,Due date,Notes\nOne,2026-01-02\nTwo,2026-01-03,x\nThree,2026-01-04,y,z\n',
    )
    expect(dryRun.exitCode).toBe(1)
    expect(summaryOf(dryRun)).toMatchObject({ valid: 1, invalid: 2 })
    expect(text).toContain('1 row with fewer cells than the header (line 2)')
    expect(text).toContain('1 row with more cells than the header (line 4)')
  })

  it('rowlift init drafts for a header without rows', async () => {
    const { mapping, dryRun } = await drafted('a.csv', 'Name,Email\n')
    expect(mapping.body.emails).toHaveLength(1)
    expect(dryRun.stderr).toContain('the sources have 0 rows')
  })

  it.each([
    ['', 'is empty'],
    [Buffer.from('504b0304', 'hex'), 'is an Excel file'],
    ['%PDF-1.7', 'is a PDF'],
    ['{\n"a":1}', 'holds no list of objects'],
  ])('rowlift init says what to do with a file that holds no rows', async (content, said) => {
    const cwd = await folderWith({ a: content })
    expect(await rowlift(['init', 'a'], { cwd })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(said),
    })
  })

  it.each(['company_name,industry,email', 'Firma;Branche;E-Mail', 'Raison sociale;SIRET;Téléphone;Courriel'])(
    'rowlift init names organizations by their name, also without a row: %s',
    async header => {
      const { mapping } = await drafted('a.csv', `${header}\n`)
      expect(mapping.body).toMatchObject({
        name: { from: header.split(/[,;]/)[0] },
        record_sub_type: 'organization',
      })
    },
  )

  it.each([
    ['Name            Email               Phone', 'Ada Stone       ada@example.com     +44 20 7946 0101'],
    ['Vorname   Nachname    Ort', 'Änne      Groß        Köln'],
  ])('rowlift init names the recipe for columns that are set in blanks: %s', async (header, row) => {
    const { text } = await drafted('a.txt', `${header}\n${row}\n`)
    expect(text).toContain('THIS DRAFT IS OF NO USE YET: the columns are set in blanks')
    expect(text).toContain('"Columns of fixed width" (docs/usage/inputs.md)')
  })

  it.each([
    ['dn: cn=Ivy,ou=a\nmail: i@example.com\n\ndn: cn=Rex,ou=a\nmail: r@example.com\n', 'as CSV or vCard'],
    ['- [ ] Buy milk\n- [x] Call Bob\n', 'as CSV, with what is to be done in a column of its own'],
  ])(
    'rowlift init says that lines of another kind are no rows, and asks nothing of line 1',
    async (lines, way) => {
      const { text } = await drafted('a.txt', lines)
      expect(text.replaceAll('\n# ', ' ')).toContain('THIS DRAFT IS OF NO USE YET: most lines are ')
      expect(text.replaceAll('\n# ', ' ')).toContain(way)
      expect(text).not.toContain('the header or a row')
    },
  )

  it('rowlift init is told what it cannot use', async () => {
    const cwd = await folderWith({ 'a.csv': people })
    for (const [words, said] of [
      [['init'], 'name one source'],
      [['init', 'a.csv', 'b.csv'], 'several files become a folder'],
      [['init', 'none.csv'], 'none.csv: there is no such file'],
      [['init', 'a.csv', '--record', 'note'], '--record: must be contact or task'],
      [['init', 'a.csv', '--encoding', 'none'], '--encoding: is not an encoding'],
    ] as const)
      expect(await rowlift(words, { cwd })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(said),
      })
  })

  it('rowlift init takes the word of the person for what it would find out', async () => {
    const { mapping } = await drafted('a.csv', 'a|b;c\n1|2;3\n', '--delimiter', '|', '--record', 'task')
    expect(mapping).toMatchObject({ record: 'task', source: { delimiter: '|' } })
  })

  it('rowlift init takes the preset of a product that it knows by the columns, for this very file', async () => {
    const sample = await readFile(
      new URL('../../../../samples/presets/linkedin.csv', import.meta.url),
      'utf8',
    )
    const { text, mapping, dryRun } = await drafted('Connections.csv', iconv.encode(sample, 'utf-16le'))
    expect(text).toContain('preset linkedin')
    expect(mapping.source).toEqual({ header: { starts_with: 'First Name' }, encoding: 'utf-16le' })
    expect(text).toContain('# The file opens with notes, and not always as many lines of them.')
    expect(dryRun.exitCode).toBe(1)
  })

  it('rowlift init takes no export for a product because of a few equal names', async () => {
    const { text } = await drafted('a.csv', 'First Name,Last Name,Email,Company\nAda,L,ada@example.com,X\n')
    expect(text).not.toContain('the preset')
  })

  const cell = fc.oneof(
    fc.constantFrom(
      '',
      'a@example.com',
      '03/04/2025',
      '"',
      'x;y',
      '1,5',
      'ja',
      '{{x}}',
      '+44 20 7946 0101',
      '# x',
      'é',
    ),
    fc.string(),
  )
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

  it('rowlift init ends with a draft that can be used, whatever stands in the file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        async rows => {
          const text = rows.map(cells => cells.map(quoted).join(',')).join('\n')
          const cwd = await folderWith({ 'a.csv': text })
          const init = await rowlift(['init', 'a.csv', '-o', 'm.yaml'], { cwd })
          if (init.exitCode === 2) {
            expect(init.stderr).toMatch(/is empty|is one|quote|JSON|web page/)
            return
          }
          expect(init).toMatchObject({ exitCode: 0 })
          const { exitCode } = await rowlift(['import', 'a.csv', '-m', 'm.yaml', '--dry-run'], { cwd })
          expect([0, 1]).toContain(exitCode)
        },
      ),
      { numRuns: 3 },
    )
  }, 120_000)
})
