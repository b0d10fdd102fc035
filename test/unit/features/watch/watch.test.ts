import { execFileSync } from 'node:child_process'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/model/clock.ts'
import { folderWith, rowlift } from '../../../support/rowlift.ts'

type Save = (folder: string) => Promise<unknown>

/** As editors save: under another name first. */
const saving =
  (name: string, text: string): Save =>
  async folder => {
    await writeFile(join(folder, 'saved.tmp'), text)
    await rename(join(folder, 'saved.tmp'), join(folder, name))
  }

/** Runs a command that watches files: every third time that it has looked at them, the next save is made; then it is interrupted. */
async function watched(args: readonly string[], files: Record<string, string>, ...saves: readonly Save[]) {
  const cwd = await folderWith(files)
  const left = [...saves]
  let looks = 0
  let interrupt = () => {}
  const interrupted = new Promise<'SIGINT'>(resolve => {
    interrupt = () => resolve('SIGINT')
  })
  const next = async () => {
    looks += 1
    if (looks % 3 === 0) await (left.shift() ?? interrupt)(cwd)
  }
  const after = (_: number, action: () => void) => {
    void next().then(action)
    return () => {}
  }
  return rowlift(args, { cwd, interrupted, clock: { ...systemClock, after } })
}

const csv =
  'Id,Name,Mail,Phone\n1,Ada,ada@example.com,020 7946 0001\n2,Bo,nope,\n3,Cy,cy@example.com,+44 20 7946 0003\n'
const mapping = ({ name = 'Name', mail = 'as: email', phone = '', more = '' } = {}) => `record: contact
key: Id
${more}
body:
  name: { from: ${name}, required: true }
  emails: [{ email: { from: Mail, ${mail} } }]
  phones: [{ phone_number: { from: Phone${phone} } }]
`
const command = ['import', 'c.csv', '-m', 'm.yaml', '--dry-run', '--watch']
const files = { 'c.csv': csv, 'm.yaml': mapping() }

describe('import --dry-run --watch', () => {
  it('--watch shows the fields that another mapping changes, and ends well on an interrupt', async () => {
    const saved = saving('m.yaml', mapping({ phone: ', as: phone, country: GB' }))
    expect(await watched(command, files, saved)).toEqual({
      exitCode: 0,
      stderr: '2 of the first 3 rows would be sent. Watching m.yaml; Ctrl-C ends.\n',
      stdout: `c.csv:2 (1): phones.0.phone_number  "020 7946 0001" -> "+442079460001"
c.csv:4 (3): phones.0.phone_number  "+44 20 7946 0003" -> "+442079460003"
2 of 3 bodies changed
`,
    })
  })

  it('--watch shows errors that are gone or new, rows left out, and that nothing changed', async () => {
    const { stdout } = await watched(
      command,
      files,
      saving('m.yaml', mapping({ mail: 'as: email, otherwise: omit' })),
      saving('m.yaml', mapping({ mail: 'as: integer' })),
      saving('m.yaml', mapping({ mail: 'as: integer', more: '# a comment' })),
      saving('m.yaml', mapping({ mail: 'as: integer', more: 'where: { Id: { not: "3" } }' })),
    )
    expect(stdout).toBe(`c.csv:3 (2): emails.0.email is not an e-mail address -> would be sent
1 of 3 bodies changed
c.csv:2 (1): would be sent -> emails.0.email is not a whole number
c.csv:3 (2): would be sent -> emails.0.email is not a whole number
c.csv:4 (3): would be sent -> emails.0.email is not a whole number
3 of 3 bodies changed
0 of 3 bodies changed
c.csv:4 (3): emails.0.email is not a whole number -> left out by where
1 of 3 bodies changed
`)
  })

  it('--watch runs the tests of the mapping, and shows those that fail', async () => {
    const tests =
      '  - { row: { Name: Ada }, body: { name: Ada } }\n  - { row: { Name: Bo }, body: { name: Bo } }\n'
    const text = `${mapping()}tests:\n${tests}`
    const { stdout } = await watched(
      command,
      { ...files, 'm.yaml': text },
      saving('m.yaml', text.replace('name: Bo', 'name: Cy')),
    )
    expect(stdout).toBe(`
2 passed, 1 file
0 of 3 bodies changed
m.yaml
  ✗ test 2: Bo m.yaml:10
      name
        - expected  "Cy"
        + received  "Bo"

1 failed, 1 passed, 1 file
`)
  })

  it('--watch shows what is wrong with a mapping, and compares with the last right one', async () => {
    const { stdout, stderr, exitCode } = await watched(
      command,
      files,
      saving('m.yaml', mapping({ name: 'Nane' })),
      saving('m.yaml', 'record: [\n'),
      folder => rm(join(folder, 'm.yaml')),
      saving('m.yaml', mapping({ name: 'Mail' })),
    )
    expect(exitCode).toBe(0)
    expect(stderr.split('\n').slice(1)).toEqual([
      expect.stringContaining('rowlift: m.yaml:5:17: unknown column "Nane"; did you mean "Name"?'),
      expect.stringMatching(/^rowlift: m.yaml:\d+:\d+: /),
      expect.stringContaining('rowlift: m.yaml: there is no such mapping file'),
      '',
    ])
    expect(stdout).toMatch(/^c\.csv:2 \(1\): name {2}"Ada" -> "ada@example.com"\n/)
  })

  it('--watch reads the sources again when one was saved, or the mapping reads it otherwise', async () => {
    const { stdout, stderr } = await watched(
      command,
      files,
      saving('c.csv', csv.replace('Ada', 'Eve')),
      saving('c.csv', csv.replaceAll(',', ';')),
      saving('m.yaml', mapping({ more: 'source: { delimiter: ";" }' })),
      saving('m.yaml', mapping({ more: 'source: { delimiter: ";" }', name: 'Id' })),
    )
    expect(stdout).toContain('c.csv:2 (1): name  "Ada" -> "1"\n')
    expect(stderr.match(/of the first 3 rows/g)).toHaveLength(3)
  })

  it('--watch takes the first thousand rows, and shows ten of those that changed', async () => {
    const rows = Array.from({ length: 1_500 }, (_, at) => `${at + 1},N${at},,\n`)
    const many = {
      ...files,
      'c.csv': `Id,Name,Mail,Phone\n${rows.join('')}`,
      'm.results.ndjson': 'not a log\n',
    }
    const { stdout } = await watched(command, many, saving('m.yaml', mapping({ name: 'Id' })))
    expect(stdout.split('\n')).toHaveLength(12)
    expect(stdout).toContain('\n1,000 of 1,000 bodies changed\n')
  })

  it('--watch names the source of each row, and shows what terminals would obey', async () => {
    const { stdout } = await watched(
      ['import', 'c.csv', 'd.csv', ...command.slice(2)],
      { ...files, 'd.csv': `Id,Name,Mail,Phone\n9,"\x1b[2J${'x'.repeat(500)}",,\n` },
      saving('m.yaml', mapping({ name: 'Id' })),
    )
    expect(stdout).toContain('c.csv:2 (1): name  "Ada" -> "1"\n')
    expect(stdout).toMatch(/d\.csv:2 \(9\): name {2}"\\u001b\[2Jx{70,120}… -> "9"\n/)
  })

  it.each<readonly [string, readonly string[]]>([
    ['a run', ['import', 'c.csv', '-m', 'm.yaml', '--watch']],
    ['standard input', ['import', '-', '-m', 'm.yaml', '--dry-run', '--watch']],
    ['a plan', ['import', '--plan', 'p.yaml', '--dry-run', '--watch']],
    ...['preview', 'report', 'summary', 'rejects', 'worksheets', 'metrics', 'approval'].map(
      option => [`--${option}`, [...command, `--${option}`, 'x']] as const,
    ),
  ])('--watch refuses %s', async (_, args) => {
    const { exitCode, stderr } = await rowlift(args, { cwd: await folderWith(files) })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--watch needs --dry-run and files')
  })

  it('--watch asks for a source, which no save can give', async () => {
    const run = rowlift(['import', '-m', 'm.yaml', '--dry-run', '--watch'], { cwd: await folderWith(files) })
    expect(await run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no source') })
  })
})

describe('environment that asks for --watch', () => {
  it('an environment that asks for --watch counts as the flag does', async () => {
    const options = { cwd: await folderWith(files), env: { ROWLIFT_WATCH: 'true' } }
    const { stderr } = await rowlift(['import', 'c.csv', '-m', 'm.yaml'], options)
    expect(stderr).toContain('--watch needs --dry-run')
  })
})

describe('files that are watched', () => {
  it('files that are watched are no pipes', async () => {
    const cwd = await folderWith(files)
    execFileSync('mkfifo', [join(cwd, 'pipe.csv')])
    const args = ['import', 'pipe.csv', ...command.slice(2)]
    expect(await rowlift(args, { cwd })).toMatchObject({ exitCode: 2 })
  })
})

describe('test --watch', () => {
  it('test --watch runs the tests again when a mapping is saved, and tells if one is wrong', async () => {
    const text = `${mapping()}tests: [{ row: { Name: Ada }, body: { name: Ada } }]\n`
    const { exitCode, stdout, stderr } = await watched(
      ['test', 'm.yaml', '--watch'],
      { 'm.yaml': text },
      saving('m.yaml', text.replace('{ name: Ada }', '{ name: Bo }')),
      saving('m.yaml', mapping()),
      saving('m.yaml', `${text}bodies: {}\n`),
    )
    expect(exitCode).toBe(0)
    expect(stdout.match(/\d passed|\d failed/g)).toEqual(['1 passed', '1 failed', '0 passed', '0 passed'])
    expect(stderr).toMatch(/m.yaml: nothing to test.*\n.*m.yaml:\d+:1: unknown key "bodies"/)
  })
})
