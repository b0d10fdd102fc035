import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { withReceived } from '../../../../src/features/mapping-tests/update-tests.ts'
import { folderWith, rowlift } from '../../../support/rowlift.ts'

const mapping = (tests: string, more = '') => `record: contact
where: { Kind: person }
lookups: { organizations: { results: nowhere.ndjson }, others: { self: true, by: Name } }
${more}body:
  name: "{{Name}}"
  designation: { from: Job, as: integer, default: { from: Age, as: integer }, otherwise: invalid }
  emails: [{ email: { from: Email, as: email } }]
  company: { from: Company, lookup: organizations }
allow_unknown_fields: true
tests:
${tests}`

/** Runs the tests of mapping files in a folder that holds nothing else. */
async function tested(files: Record<string, string>, ...names: string[]) {
  const cwd = await folderWith(files)
  return rowlift(['test', ...(names.length > 0 ? names : Object.keys(files))], { cwd })
}

const good = `
  - name: a person
    row: { Name: Ada, Email: ADA@x.example }
    body: { name: Ada, emails: [{ email: ada@x.example }] }
  - row: { Name: Ada, Email: nope }
    errors: [emails.0.email]
  - row: { Name: Ada }
    errors: []
  - { row: { Kind: person }, left_out: false }
  - { row: { Kind: firm }, left_out: true }
  - name: the record of an organization
    row: { Name: Ada, Company: ACME }
    lookups: { organizations: { Acme: id-1, 17: id-2 } }
    body: { name: Ada, company: id-1 }
  - row: { Name: Ada, Company: 17 }
    lookups: { organizations: { 17: id-2, Bell: null } }
    body: { name: Ada, company: id-2 }
  - row: { Name: Ada, Company: Bell }
    lookups: { organizations: { Bell: null } }
    errors: [company]
  - row: { Name: Ada, Company: Acme }
    errors: [company]
`
const bad = `
  - name: a person
    row: { Name: Ada, Email: ADA@x.example }
    body: { name: Bob, emails: [{ email: ada@x.example }, { email: b@x.example }], more: 1 }
  - row: { Name: Ada, Email: nope }
    body: { name: Ada }
  - row: { Name: Ada }
    errors: [name]
  - { row: { Kind: firm }, left_out: false }
  - name: a person that holds
    row: { Name: Ada }
    body: { name: Ada }
`

describe('rowlift test', () => {
  it('rowlift test passes with 0 and shows each test, without colours if nobody looks', async () => {
    const { exitCode, stdout, stderr } = await tested({ 'good.yaml': mapping(good) })
    expect(stdout).toBe(
      [
        'good.yaml',
        ...['a person', 'test 2: Ada, nope', 'test 3: Ada', 'test 4: person', 'test 5: firm']
          .concat('the record of an organization', 'test 7: Ada', 'test 8: Ada, Bell', 'test 9: Ada, Acme')
          .map(name => `  ✓ ${name}`),
        ...['', '9 passed, 1 file', ''],
      ].join('\n'),
    )
    expect([exitCode, stderr]).toEqual([0, ''])
  })

  it('rowlift test fails with 1, and every field that differs is shown', async () => {
    const { exitCode, stdout } = await tested({ 'bad.yaml': mapping(bad), 'good.yaml': mapping(good) })
    expect(exitCode).toBe(1)
    expect(stdout).not.toContain('\u001b')
    const [text = ''] = stdout.split('good.yaml')
    expect(text.trimEnd().split('\n')).toEqual([
      'bad.yaml',
      expect.stringMatching(/^ {2}✗ a person bad\.yaml:\d+$/),
      ...['      name', '        - expected  "Bob"', '        + received  "Ada"'],
      ...['      emails.1', '        - expected  {"email":"b@x.example"}', '        + received  nothing'],
      ...['      more', '        - expected  1', '        + received  nothing'],
      expect.stringMatching(/^ {2}✗ test 2: Ada, nope bad\.yaml:\d+$/),
      '      emails.0.email is not an e-mail address',
      ...['        - expected  nothing', '        + received  an error about "nope"'],
      expect.stringMatching(/^ {2}✗ test 3: Ada bad\.yaml:\d+$/),
      ...['      name', '        - expected  "an error"', '        + received  nothing'],
      expect.stringMatching(/^ {2}✗ test 4: firm bad\.yaml:\d+$/),
      ...['      left_out', '        - expected  false', '        + received  true'],
      '  ✓ a person that holds',
    ])
    expect(stdout).toMatch(/4 failed, 10 passed, 2 files\n$/)
  })

  it('rowlift test ends with 2 when a file cannot be used, and still runs the others', async () => {
    const files = { 'broken.yaml': 'record: contat\nbody: {}\n', 'good.yaml': mapping(good) }
    const { exitCode, stdout, stderr } = await tested(files, 'broken.yaml', 'gone.yaml', 'good.yaml')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('broken.yaml:1:9: ')
    expect(stderr).toContain('gone.yaml: there is no such mapping file')
    expect(stdout).toContain('9 passed, 1 file')
  })

  it('rowlift test ends with 2 when there is nothing to test', async () => {
    const none = { 'none.yaml': 'record: contact\nbody: { name: "{{A}}" }\n' }
    const [untested, unnamed, unknown] = await Promise.all([
      tested(none),
      rowlift(['test'], { cwd: await folderWith({}) }),
      tested({}, 'preset:jria'),
    ])
    expect(untested.stderr).toContain('none.yaml: nothing to test')
    expect(unnamed.stderr).toContain('name the mapping files to test')
    expect(unknown.stderr).toContain('preset:jria: there is no such preset; did you mean "jira"?')
    expect([untested.exitCode, unnamed.exitCode, unknown.exitCode]).toEqual([2, 2, 2])
  })

  it('rowlift test knows the presets, beside files without tests', async () => {
    const files = { 'none.yaml': 'record: contact\nbody: { name: "{{A}}" }\n' }
    const { exitCode, stdout } = await tested(files, 'preset:jira', 'none.yaml')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^preset:jira\n {2}✓ [\s\S]*none\.yaml\n {2}no tests\n[\s\S]*passed, 2 files\n$/)
  })

  it('rowlift test takes a path that is refused for two reasons for one that is expected', async () => {
    const twice = '  - { row: { Name: Ada, Job: x, Age: y }, errors: [designation] }\n'
    expect((await tested({ 'twice.yaml': mapping(twice) })).exitCode).toBe(0)
  })
})

describe('rowlift test --update', () => {
  it('writes what failed tests received, and leaves the rest of the file as it is', async () => {
    const block = `  - row: { Name: Cy } # whoever
    body: # all of it
      name: Bob
      emails: []
`
    const cwd = await folderWith({ 'm.yaml': mapping(bad + block) })
    const { exitCode, stdout } = await rowlift(['test', 'm.yaml', '--update'], { cwd })
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^m\.yaml: 5 tests updated\n.*6 passed/s)])
    const text = await readFile(join(cwd, 'm.yaml'), 'utf8')
    const expected = mapping(bad + block)
      .replace(
        'body: { name: Bob, emails: [{ email: ada@x.example }, { email: b@x.example }], more: 1 }',
        'body: { name: Ada, emails: [ { email: ada@x.example } ] }',
      )
      .replace('nope }\n    body: { name: Ada }', 'nope }\n    errors: [ emails.0.email ]')
      .replace('errors: [name]', 'body: { name: Ada }')
      .replace('left_out: false', 'left_out: true')
      .replace('body: # all of it\n      name: Bob\n      emails: []', 'body:\n      name: Cy')
    expect(text).toBe(expected)
    expect((await rowlift(['test', 'm.yaml', '--update'], { cwd })).stdout).not.toContain('updated')
  })

  it('writes long texts and lists in the style of the test, so that they are read again as they are', () => {
    const body = { name: 'A: b # c', description: 'one\n\ntwo\n', emails: [{ email: '007' }, { email: 'x' }] }
    for (const style of ['body: {}', 'body:\n      name: x', 'errors: []'])
      for (const row of ['  - row: { a: 1 }\n    ', '  -\n    row: {}\n    ']) {
        const { text } = withReceived(`tests:\n${row}${style}\n  - row: {}\n`, [
          { number: 1, received: { body } },
        ])
        expect(parse(text).tests, text).toEqual([{ row: expect.anything(), body }, { row: {} }])
      }
  })

  it('leaves a test alone that expects several things, and a mapping that ships', async () => {
    const text = 'tests:\n  - { row: {}, body: {}, errors: [] }\n'
    expect(withReceived(text, [{ number: 1, received: { left_out: true } }])).toEqual({ text, changed: 0 })
    const { exitCode, stderr } = await rowlift(['test', 'preset:asana', '--update'], {
      cwd: await folderWith({}),
    })
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('preset:asana: this mapping ships with rowlift'),
    ])
  })
})
