import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Draft, draftOf } from '../../../../src/features/draft/draft.ts'
import { outlineOf } from '../../../../src/features/draft/draft-json.ts'
import { type FileFacts, factsOf } from '../../../../src/features/draft/drafts.ts'
import { isQuestion } from '../../../../src/features/draft/lines.ts'
import { runTests } from '../../../../src/features/mapping-tests/run-tests.ts'
import { compileMapping } from '../../../../src/mapping/mapping.ts'
import { jsonLine } from '../../../../src/output/text.ts'
import { casesOf, exportOf } from '../../../support/corpus.ts'
import { blocksIn } from '../../../support/pages.ts'
import { isLong } from '../../../support/random.ts'
import { folderWith, rowlift } from '../../../support/rowlift.ts'

const samples = readdirSync('samples', { recursive: true, encoding: 'utf8' })
  .filter(
    (path, at) =>
      (isLong || at % 6 === 0) &&
      /\.(csv|ndjson|json|xlsx|vcf|ics)$/.test(path) &&
      !path.includes('.expected.'),
  )
  .map(path => [`samples/${path}`, async () => `samples/${path}`] as const)
const cases = ['contacts', 'organizations', 'tasks']
  .flatMap(casesOf)
  .filter((_, at) => isLong || at % 8 === 0)
  .map(example => {
    const { file = 'export.csv', text, encoding } = example
    return [example.name, () => exportOf(file, text, encoding)] as const
  })

const isOfSchema = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync('config/draft.schema.json', 'utf8')),
)
const factsFor = (path: string) =>
  factsOf(path, {} as Parameters<typeof factsOf>[1], Readable.from([])).catch(() => undefined)
const idsIn = ({ lines }: Draft) => lines.filter(isQuestion).map(({ id }) => id)

interface Json {
  readonly mapping: string
  readonly questions: readonly {
    readonly id: string
    readonly choices: readonly { readonly id: string; readonly edit: readonly Edit[] | null }[]
  }[]
}
interface Edit {
  readonly lines: readonly [first: number, last: number]
  readonly text: string
}

/** Puts an edit into a text, the last lines first. */
function edited(text: string, edits: readonly Edit[]): string {
  const lines = text.split('\n')
  for (const {
    lines: [first, last],
    text: now,
  } of edits.toReversed())
    lines.splice(first - 1, last - first + 1, ...now.split('\n').slice(0, -1))
  return lines.join('\n')
}

/** Checks each choice of each question, as an answer and as an edit. */
function checkAnswers(file: FileFacts): number {
  const draft = draftOf(file)
  const ids = idsIn(draft)
  expect(new Set(ids).size).toBe(ids.length)
  expect(compileMapping('draft.yaml', draft.text, '').openQuestions).toHaveLength(ids.length)
  const json: Json = JSON.parse(jsonLine(outlineOf(file, draft)))
  expect(isOfSchema(json), JSON.stringify(isOfSchema.errors)).toBe(true)
  const { mapping, questions } = json
  expect([mapping, questions.map(({ id }) => id)]).toEqual([draft.text, ids])
  for (const { id, choices } of questions) {
    if (id !== 'name') expect(choices.length, id).toBeGreaterThan(1) // a file may have one column of texts
    for (const choice of choices) {
      if (choice.edit === null) continue // the file is read anew for it
      const answered = draftOf(file, [{ column: id, path: choice.id }])
      const rest = ids.filter(each => each !== id)
      if (id !== 'record') expect(idsIn(answered), `${id}=${choice.id}`).toEqual(rest)
      expect(idsIn(answered)).not.toContain(id)
      const left = compileMapping('draft.yaml', answered.text, '')
      expect(left.openQuestions).toHaveLength(idsIn(answered).length)
      if (file.preset === undefined)
        for (const { differences } of runTests(answered.mapping)) expect(differences).toEqual([])
      const byHand = edited(mapping, choice.edit)
      expect(compileMapping('draft.yaml', byHand, '').openQuestions).toHaveLength(idsIn(answered).length)
      expect(parse(byHand).body, `${id}=${choice.id}`).toEqual(parse(answered.text).body)
    }
  }
  return ids.length
}

const dates = 'Task,Due,Owner\nPaint the counter,03/04/2026,Ada\nSweep the floor,05/06/2026,Bob\n'
const askedIds = ['assigned_user', 'date_info.due_date']

/** A folder with the file, and `rowlift init tasks.csv` there. */
async function stage() {
  const cwd = await folderWith({ 'tasks.csv': dates })
  const init = (...flags: string[]) => rowlift(['init', 'tasks.csv', '--record', 'task', ...flags], { cwd })
  const text = () => readFile(join(cwd, 'm.yaml'), 'utf8')
  return { cwd, init, text }
}

describe('rowlift init --answer', () => {
  it('answers are in the draft that it writes, whose tests and list of questions follow', async () => {
    const { init, text } = await stage()
    const answer = 'date_info.due_date=month-first'
    expect(await init('-o', 'm.yaml', '--answer', answer)).toMatchObject({ exitCode: 0, stdout: '' })
    const mapping = parse(await text())
    expect(mapping.body.date_info).toEqual({ due_date: { from: 'Due', as: 'date', format: 'M/d/yyyy' } })
    expect(mapping.tests[0].body.date_info).toEqual({ due_date: '2026-03-04T00:00:00' })
    expect(await text()).toContain('# One question is below, marked with "# ?": assigned_user.')
  })

  it('an answer that takes the rows from another list of a document drafts that list, unless the mapping was edited', async () => {
    const lists = [{ id: 'l1', name: 'To do' }]
    const cards = [
      { id: 'c1', name: 'Paint', desc: 'twice', due: '2026-01-02' },
      { id: 'c2', name: 'Sweep', desc: '', due: '2026-01-03' },
    ]
    const cwd = await folderWith({ 'b.json': JSON.stringify({ lists, cards }) })
    const init = (...flags: string[]) => rowlift(['init', 'b.json', '-o', 'm.yaml', ...flags], { cwd })
    const rows = async () => parse(await readFile(join(cwd, 'm.yaml'), 'utf8')).source.rows
    await init()
    expect(await rows()).toBe('cards')
    const answered = await init('--answer', 'source.rows=lists', '--json')
    expect([answered.exitCode, await rows()]).toEqual([0, 'lists'])
    await writeFile(join(cwd, 'm.yaml'), '# mine\nrecord: task\nsource: { rows: cards }\nbody: { name: x }\n')
    const refused = await init('--answer', 'source.rows=lists')
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('the mapping was edited')])
  })

  it('the answer that the header is a row drafts a file without a header, from a pipe, too', async () => {
    const text = 'Buy milk\nCall Bob\nWater plants\n'
    const cwd = await folderWith({ 'a.csv': text, 'b.csv': `My list\n\n${text.replaceAll('\n', ',x\n')}` })
    for (const file of ['a.csv', 'b.csv', '-']) {
      const init = (...flags: string[]) => rowlift(['init', file, ...flags], { cwd, stdin: text })
      const draft = await init()
      expect(draft.stdout).toMatch(/^ {2}# rowlift init \S+ --answer source.header=row$/m)
      const header = file === 'b.csv' ? { starts_with: 'Buy milk' } : true
      expect(parse((await init('--answer', 'source.header=header')).stdout).source).toEqual({ header })
      const { source, tests, body } = parse((await init('--answer', 'source.header=row')).stdout)
      expect(source.header).toEqual({ columns: ['Column 1', 'Column 2'].slice(0, file === 'b.csv' ? 2 : 1) })
      expect([body.name.from, tests[0].row]).toEqual(['Column 1', { 'Column 1': 'Buy milk' }])
    }
  })

  it('answers in a mapping that was edited change the lines of the questions, and no other', async () => {
    const { init, text, cwd } = await stage()
    await init('-o', 'm.yaml')
    const draft = await text()
    const edits = draft
      .replace('record: task', 'record: task # mine')
      .replace(/^tests:/m, '# of mine\ntests:')
    await writeFile(join(cwd, 'm.yaml'), edits)
    const run = await init(
      '-o',
      'm.yaml',
      '--answer',
      'assigned_user=take',
      '--answer',
      'date_info.due_date=none',
    )
    expect(run.exitCode).toBe(0)
    const taken = await text()
    expect(taken).toContain('record: task # mine\n')
    expect(taken).toContain('\n# of mine\ntests:')
    expect(parse(taken)).toMatchObject({
      lookups: { users: { file: 'users.csv', key: 'name', value: 'user_id' } },
      body: { assigned_user: { user_id: { from: 'Owner', lookup: 'users' } } },
    })
    expect(compileMapping('m.yaml', taken, '').openQuestions).toEqual([])
    const again = await init('-o', 'm.yaml', '--answer', 'assigned_user=none')
    expect([again.exitCode, await text()]).toEqual([2, taken])
    expect(again.stderr).toContain('--answer assigned_user: no such question is open; there are none')
  })

  it('answers one after the other make the same file as both at once', async () => {
    const [both, each] = [await stage(), await stage()]
    const answers = ['assigned_user=none', 'date_info.due_date=day-first'].map(answer => ['--answer', answer])
    await both.init('-o', 'm.yaml', ...answers.flat())
    await each.init('-o', 'm.yaml')
    for (const answer of answers) await each.init('-o', 'm.yaml', ...answer)
    expect(await each.text()).toBe(await both.text())
  })

  it('two answers for one field are refused, and nothing is written', async () => {
    const rows = ['Ada Stone,Rowing,Alpha', 'Bob Fox,Sailing,Beta', 'Cy Marsh,Diving,Gamma']
    const cwd = await folderWith({ 'c.csv': ['Name,Foo,Quux', ...rows, ''].join('\n') })
    const answers = ['columns.Foo=description', 'columns.Quux=description'].flatMap(each => [
      '--answer',
      each,
    ])
    const run = await rowlift(['init', 'c.csv', '-o', 'm.yaml', ...answers], { cwd })
    expect([run.exitCode, existsSync(join(cwd, 'm.yaml'))]).toEqual([2, false])
    expect(run.stderr).toContain('columns.Quux=description: another answer has taken description')
  })

  it.each([
    ['nothing=take', `--answer nothing: no such question is open; there are ${askedIds.join(', ')}`],
    ['assigned_user=all', '--answer assigned_user=all: there is no such choice; there are take, none'],
    ['assigned_user', 'must be ID=CHOICE'],
  ])('an answer that there is not is refused, and nothing is written: %s', async (answer, words) => {
    const { init, cwd } = await stage()
    const run = await init('-o', 'm.yaml', '--answer', answer)
    expect([run.exitCode, existsSync(join(cwd, 'm.yaml'))]).toEqual([2, false])
    expect(run.stderr).toContain(words)
  })

  it('the answer for the record drafts the file again, if it was not edited', async () => {
    const cwd = await folderWith({ 'a.csv': 'Name,Amount\nWidget,5\nGear,6\n' })
    const init = (...flags: string[]) => rowlift(['init', 'a.csv', '-o', 'm.yaml', ...flags], { cwd })
    await init()
    const draft = await readFile(join(cwd, 'm.yaml'), 'utf8')
    expect(draft).toMatch(/^# \? Is each row a contact, a task/m)
    await writeFile(join(cwd, 'm.yaml'), `${draft}# mine\n`)
    const refused = await init('--answer', 'record=task')
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('with another -o')])
    await writeFile(join(cwd, 'm.yaml'), draft)
    expect(await init('--answer', 'record=task')).toMatchObject({ exitCode: 0 })
    expect(parse(await readFile(join(cwd, 'm.yaml'), 'utf8')).record).toBe('task')
  })

  it('with --json the questions of a mapping that is there have its lines, and it stays as it is', async () => {
    const { init, text, cwd } = await stage()
    await init('-o', 'm.yaml')
    await writeFile(join(cwd, 'm.yaml'), `# mine\n${await text()}`)
    const before = await text()
    const run = await init('-o', 'm.yaml', '--json')
    const { mapping, questions } = JSON.parse(run.stdout)
    expect([mapping, await text()]).toEqual([before, before])
    for (const { text: asked, lines } of questions)
      expect(
        before
          .split('\n')
          .slice(lines[0] - 1, lines[1])
          .join(' '),
      ).toContain(`# ? ${asked.slice(0, 30)}`)
    expect(questions.map(({ id }: { id: string }) => id)).toEqual(askedIds)
  })

  it('--json prints what the page of drafts shows', async () => {
    const page = 'docs/usage/presets.md'
    const [file = '', json = ''] = [...blocksIn(page, 'csv'), ...blocksIn(page, 'json')]
    const cwd = await folderWith({ 'tasks.csv': file })
    const { mapping, ...rest } = JSON.parse((await rowlift(['init', 'tasks.csv', '--json'], { cwd })).stdout)
    expect(rest).toEqual(JSON.parse(json))
    expect(mapping.split('\n')[14]).toContain('# ? Is "03/04/2026"')
  })

  it('several sources have no answers', async () => {
    const cwd = await folderWith({ 'a.csv': dates, 'b.csv': dates })
    const run = await rowlift(['init', 'a.csv', 'b.csv', '-o', 'x/', '--json'], { cwd })
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('for one source')])
  })
})

describe('the answers of drafts', () => {
  it.each([...samples, ...cases])(
    'each answer makes a valid mapping of %s, and the others stay open',
    async (_, at) => {
      const file = await factsFor(await at())
      if (file !== undefined) checkAnswers(file)
    },
  )
})
