import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { draftOf } from '../../../../src/features/draft/draft.ts'
import { type FileFacts, factsOf } from '../../../../src/features/draft/drafts.ts'
import { isQuestion } from '../../../../src/features/draft/lines.ts'
import { compileMapping } from '../../../../src/mapping/mapping.ts'
import { casesOf, exportOf } from '../../../support/corpus.ts'
import { isLong } from '../../../support/random.ts'
import { folderWith, linesOf, rowlift } from '../../../support/rowlift.ts'

const factsFor = (path: string) =>
  factsOf(path, {} as Parameters<typeof factsOf>[1], Readable.from([])).catch(() => undefined)
const idsIn = ({ lines }: ReturnType<typeof draftOf>) => lines.filter(isQuestion).map(({ id }) => id)

/** Checks each choice of each question of a mapping that was taken over. */
function checkAnswers(file: FileFacts, like: string): string[] {
  const draft = draftOf(file, [], { like })
  const ids = idsIn(draft)
  expect(new Set(ids).size).toBe(ids.length)
  for (const question of draft.lines.filter(isQuestion))
    for (const { id } of question.choices) {
      const answered = draftOf(file, [{ column: question.id, path: id }], { like })
      compileMapping('answered.yaml', answered.text, '')
      expect(idsIn(answered), `${question.id}=${id}`).toEqual(ids.filter(each => each !== question.id))
    }
  return ids
}

const old = `# Who we know.
record: contact
key: Email
body:
  name: "{{First Name}} {{Last Name}}" # both
  record_sub_type: person
  # Where they are reached.
  emails:
    - email: { from: Email, as: email, required: true }
  phones:
    - phone_number: { from: Phone, as: phone, otherwise: keep }
    - phone_number:
        from: Fax # a fax
        as: phone
  designation: { from: Status, map: { P1: Boss, P2: Helper } }
# Not taken: Company
tests:
  - row: { First Name: Ada, Last Name: Stone, Email: a@example.com }
    body: { name: Ada Stone, record_sub_type: person, emails: [{ email: a@example.com }] }
`
const header = 'First Name,Last Name,Email,Phone,Company,Fax,Status'
const before = `${header}\nAda,Stone,ada@example.com,+44 20 7946 0958,Harbour,+44 20 7946 0960,P1\n`

/** The mapping for a file by `rowlift init --like`. */
async function like(content: string, mapping = old, ...flags: string[]) {
  const cwd = await folderWith({ 'new.csv': content, 'old.yaml': mapping })
  const run = (...more: string[]) => rowlift(['init', 'new.csv', '--like', 'old.yaml', ...more], { cwd })
  return { cwd, run, ...(await run(...flags)) }
}

describe('rowlift init --like', () => {
  it('a mapping that fits is taken over byte for byte', async () => {
    expect(await like(before)).toMatchObject({ exitCode: 0, stdout: old })
  })

  it('a column that is called otherwise is a question with the edit ready, in each part that reads it', async () => {
    const { stdout } = await like(before.replace('Email', 'E-mail address'))
    expect(stdout).toContain('# ? Is "E-mail address" the new name of "Email"?\nkey: E-mail address\nbody:')
    expect(stdout).toContain('    - email: { from: E-mail address, as: email, required: true }\n')
    const { run } = await like(before.replace('Email', 'E-mail address'))
    const answered = await run('--answer', 'key=take', '--answer', 'emails=take')
    const [mapping, was] = [parse(answered.stdout), parse(old)]
    expect(mapping).toEqual({
      ...was,
      key: 'E-mail address',
      body: { ...was.body, emails: [{ email: { from: 'E-mail address', as: 'email', required: true } }] },
    })
    expect(answered.stdout).toContain('# both\n')
    expect(answered.stdout).toContain('  # Where they are reached.\n')
  })

  it('a renamed column is known by what it holds, and gets its name in templates, lists and expressions', async () => {
    const mapping = `record: contact
body:
  name: { join: [Vorname, Nachname], with: " ", required: true }
  description: "{{Nachname}}, {{Vorname}}"
  designation: { expr: "\`Stelle: heute\`" }
`
    const { stdout } = await like('First Name,Surname,Job title\nAda,Stone,Boss\nBob,Fox,Help\n', mapping)
    expect(stdout).toContain('  name: { join: [First Name, Surname], with: " ", required: true }')
    expect(stdout).toContain('  description: "{{Surname}}, {{First Name}}"')
    expect(stdout).toContain('  designation: { expr: "`Job title`" }')
  })

  it('a column that is called like a field or a type gets its new name alone', async () => {
    const mapping =
      'record: contact\nbody:\n  name: { from: name }\n  emails:\n    - email: { from: email, as: email }\n'
    const { stdout } = await like('name,E-Mail\nAda Stone,a@example.com\n', mapping)
    expect(stdout).toContain('  # ? Is "E-Mail" the new name of "email"?\n')
    expect(parse(stdout).body).toEqual({
      name: { from: 'name' },
      emails: [{ email: { from: 'E-Mail', as: 'email' } }],
    })
  })

  it('a rule whose column is gone stays as a comment with a question', async () => {
    const content =
      'First Name,Last Name,Email,Phone,Company,Status\nAda,Stone,a@example.com,+44 20 7946 0958,H,P1\n'
    const { stdout } = await like(content)
    expect(stdout).toContain('    # ? "Fax": there is no such column any more')
    expect(stdout).toContain('    # - phone_number:\n    #     from: Fax # a fax\n    #     as: phone\n')
    expect(parse(stdout).body.phones).toHaveLength(1)
  })

  it('a new column is drafted as a question below what the mapping has of the same, or listed', async () => {
    const content = before
      .replace('Status\n', 'Status,Mobile,Website,Shoe size\n')
      .replace(/P1\n/, 'P1,+44 7911 123456,ada.example.com,38\n')
    const { stdout, run } = await like(content)
    expect(stdout).toContain(
      '    # ? "Mobile" is new. Does the record have it? Then put this in:\n    # - { phone_number: { from: Mobile',
    )
    expect(stdout).toContain(
      '  # ? "Website" is new. Does the record have it? Then put this in:\n  # url_details:\n',
    )
    expect(stdout).toMatch(/that are not mapped, each with an example:\n(# {3}.*\n)*# {3}Shoe size: "38"\n$/)
    const { body } = parse((await run('--answer', 'phones=take', '--answer', 'url_details=take')).stdout)
    expect(body.phones.map((each: { phone_number: { from: string } }) => each.phone_number.from)).toEqual([
      'Phone',
      'Fax',
      'Mobile',
    ])
    expect(body.url_details).toEqual({ domain: { from: 'Website', as: 'domain' } })
    const next = await like(content, stdout.replaceAll(/^ *# \?.*\n/gm, ''))
    expect(next.stdout).not.toContain('# ?') // what was left out once is no news
  })

  it('a table that lacks values asks what they are, by the words that it has', async () => {
    const { stdout, run } = await like(before.replace('P1', 'P9'))
    expect(stdout).toContain('# ? The table for "Status" lacks "P9". What is that?')
    const { body } = parse((await run('--answer', 'designation=Helper')).stdout)
    expect(body.designation.map).toEqual({ P1: 'Boss', P2: 'Helper', P9: 'Helper' })
    const block = old.replace(
      'designation: { from: Status, map: { P1: Boss, P2: Helper } }',
      'designation:\n    from: Status\n    map:\n      P1: Boss\n      P2: Helper',
    )
    const other = await like(before.replace('P1', 'P9'), block, '--answer', 'designation=Boss')
    expect(parse(other.stdout).body.designation.map).toEqual({ P1: 'Boss', P2: 'Helper', P9: 'Boss' })
  })

  it('the mapping is imported once its questions are answered', async () => {
    const { cwd, run } = await like(before.replace('Email', 'Mail').replace('P1', 'P2'))
    const { questions } = JSON.parse((await run('--json')).stdout)
    const answers = questions.flatMap(({ id }: { id: string }) => ['--answer', `${id}=take`])
    expect(await run('-o', 'm.yaml', ...answers)).toMatchObject({ exitCode: 0 })
    const dryRun = await rowlift(['import', 'new.csv', '-m', 'm.yaml', '--dry-run'], { cwd })
    expect([dryRun.exitCode, linesOf(dryRun.stdout)[0]]).toEqual([
      0,
      expect.objectContaining({ emails: [{ email: 'ada@example.com' }], designation: 'Helper' }),
    ])
    await writeFile(join(cwd, 'new.csv'), before)
    const back = await rowlift(
      [
        'init',
        'new.csv',
        '--like',
        'm.yaml',
        '--answer',
        'key=take',
        '--answer',
        'emails=take',
        '-o',
        'n.yaml',
      ],
      { cwd },
    )
    expect([back.exitCode, parse(await readFile(join(cwd, 'n.yaml'), 'utf8')).key]).toEqual([0, 'Email'])
  })

  it.each([
    ['preset:asana', 'a preset fits the export of each year as it is'],
    ['old.json', 'JSON has no comments for its questions'],
    ['other.yaml', 'all of the body reads is not in the file'],
    ['places.yaml', 'names the columns itself'],
    ['broken.yaml', 'unknown key "boddy"'],
    ['nowhere.yaml', 'nowhere.yaml'],
  ])('a mapping that cannot be taken over is refused: %s', async (mapping, words) => {
    const cwd = await folderWith({
      'new.csv': before,
      'old.json': '{ "record": "task", "body": { "name": { "from": "Email" } } }',
      'other.yaml': 'record: task\nbody:\n  billable: { from: Billed, as: boolean }\n',
      'places.yaml': 'record: contact\nsource: { header: { columns: [A, B] } }\nbody:\n  name: { from: A }\n',
      'broken.yaml': 'record: task\nboddy: {}\n',
    })
    const run = await rowlift(['init', 'new.csv', '--like', mapping], { cwd })
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([2, '', expect.stringContaining(words)])
  })
})

const samples = readdirSync('samples/presets').filter(
  (file, at) => !file.includes('.expected.') && (isLong || at % 8 === 0),
)
const cases = ['contacts', 'organizations', 'tasks']
  .flatMap(casesOf)
  .filter((_, at) => isLong || at % 24 === 0)

describe('a draft is taken over', () => {
  it.each(samples)('byte for byte for the export that it is of: %s', async sample => {
    const file = await factsFor(`samples/presets/${sample}`)
    if (file === undefined) return
    const { text } = draftOf(file)
    expect(draftOf(file, [], { like: text }).text).toBe(text)
  })

  it.each(cases.map(each => [each.name, each] as const))(
    'with valid answers for another header: %s',
    async (_, example) => {
      const file = await factsFor(
        await exportOf(example.file ?? 'export.csv', example.text, example.encoding),
      )
      if (file === undefined) return
      const { text } = draftOf(file)
      if (/^ +(header: \{ )?columns:|^source: \{ header: \{ columns:/m.test(text)) return // it is refused
      expect(draftOf(file, [], { like: text }).text).toBe(text)
      for (const at of isLong ? [0, 1, 2] : [0]) {
        const columns = file.columns.filter((_, index) => index % 3 !== at)
        if (columns.length > 0) check({ ...file, columns }, text)
      }
      const some = draftOf({ ...file, columns: file.columns.filter((_, index) => index % 2 === 0) }).text
      check(file, some)
    },
  )

  /** Whatever is gone and new; nothing in common is refused. */
  function check(file: FileFacts, text: string) {
    try {
      checkAnswers(file, text)
    } catch (error) {
      if (!(error as Error).message.includes('all of the body reads')) throw error
    }
  }
})
