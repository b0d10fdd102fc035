import { chmod, lstat, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changedLines } from '../../../../src/features/guide/mappings.ts'
import { guideOf } from '../../../support/guide-folder.ts'

const people = 'Name,E-Mail\nAda Lovelace,ada@example.com\nAlan Turing,alan@example.com\n'
const file = 'people.csv'

/** A guide whose mapping is there. */
async function openedGuide() {
  const guide = await guideOf({ [file]: people })
  const { mapping } = (await guide.calls.columns({ file })) && ((await guide.fileOf(file)) ?? {})
  return { ...guide, version: mapping?.version ?? '' }
}

describe('the mapping of a source', () => {
  it('is drafted beside it when the file is opened, and names the file by its name alone', async () => {
    const { read, fileOf } = await openedGuide()
    expect(await read('people.yaml')).toContain('# A draft for "people.csv"')
    expect(await fileOf(file)).toMatchObject({
      mapping: { name: 'people.yaml' },
      record: 'contact',
      fault: null,
    })
  })

  it('that exists is not drafted again', async () => {
    const own = 'record: contact\nbody: { name: { from: Name } }\n'
    const { read, fileOf } = await guideOf({ [file]: people, 'people.yaml': own })
    expect((await fileOf(file))?.open.columns).toBe(1)
    expect(await read('people.yaml')).toBe(own)
  })

  it('shows a save of another program at the next look', async () => {
    const { fileOf, write, read, version } = await openedGuide()
    await write('people.yaml', `${await read('people.yaml')}# mine\n`)
    expect((await fileOf(file))?.mapping?.version).not.toBe(version)
  })

  it('is never overwritten by an edit of what it was before', async () => {
    const { calls, write, read, version } = await openedGuide()
    const theirs = `${await read('people.yaml')}# mine\n`
    await write('people.yaml', theirs)
    const edit = calls.column({ file, version, column: 'E-Mail', choice: { type: 'not_imported' } })
    await expect(edit).rejects.toMatchObject({ code: 'conflict' })
    expect(await read('people.yaml')).toBe(theirs)
  })

  it('is not overwritten if somebody saves it while the edit is made', async () => {
    const { guide, write, read, version } = await openedGuide()
    const edit = guide.mappings.edit(file, version, async text => {
      await write('people.yaml', '# theirs\n')
      return `${text}# mine\n`
    })
    await expect(edit).rejects.toMatchObject({ code: 'conflict' })
    expect(await read('people.yaml')).toBe('# theirs\n')
  })

  it('keeps its byte-order mark, the ends of its lines and its mode', async () => {
    const own = '\ufeffrecord: contact\r\n# mine\r\nbody: { name: { from: Name } }\r\n'
    const { calls, choose, read, folder } = await guideOf({ [file]: people, 'people.yaml': own })
    await chmod(join(folder, 'people.yaml'), 0o640)
    expect((await calls.mapping({ file })).text).toBe(own.slice(1).replaceAll('\r\n', '\n'))
    await choose(file, 'E-Mail', { type: 'field', path: 'emails.email' })
    const body = 'body: { name: { from: Name }, emails: [{ email: { from: E-Mail, as: email } }] }'
    expect(await read('people.yaml')).toBe(`\ufeffrecord: contact\r\n# mine\r\n${body}\r\n`)
    expect((await stat(join(folder, 'people.yaml'))).mode & 0o777).toBe(0o640)
  })

  it('is written through a link', async () => {
    const { choose, folder, read, write } = await guideOf({ [file]: people })
    await write('real.txt', 'record: contact\nbody:\n  name: { from: Name }\n')
    await symlink('real.txt', join(folder, 'people.yaml'))
    await choose(file, 'E-Mail', { type: 'field', path: 'description' })
    expect(await read('real.txt')).toContain('description: { from: E-Mail }')
    expect((await lstat(join(folder, 'people.yaml'))).isSymbolicLink()).toBe(true)
  })

  it('has its edits undone one by one, but not over an edit of another program', async () => {
    const { calls, choose, read, fileOf, write, versionOf } = await openedGuide()
    const before = await read('people.yaml')
    await choose(file, 'E-Mail', { type: 'not_imported' })
    await choose(file, 'E-Mail', { type: 'undecided' })
    expect((await fileOf(file))?.canUndo).toBe(true)
    await calls.undo({ file, version: await versionOf(file) })
    await calls.undo({ file, version: await versionOf(file) })
    expect(await read('people.yaml')).toBe(before)
    expect((await fileOf(file))?.canUndo).toBe(false)
    await choose(file, 'E-Mail', { type: 'not_imported' })
    await write('people.yaml', '# theirs\n')
    expect((await fileOf(file))?.canUndo).toBe(false)
    await expect(calls.undo({ file, version: await versionOf(file) })).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  it('that has a fault says where, and a save mends it', async () => {
    const { calls, read, fileOf, write } = await openedGuide()
    const text = await read('people.yaml')
    await write('people.yaml', text.replace('record: contact', 'record: [contact'))
    expect((await fileOf(file))?.fault).toMatch(/^people\.yaml:\d+:\d+: /)
    expect(await calls.source({ file })).toMatchObject({ header: 1 })
    await write('people.yaml', text.replace('from: Name', 'from: Nam'))
    expect((await fileOf(file))?.fault).toContain('unknown column "Nam"; did you mean "Name"?')
  })

  it.each(['../people.csv', '/etc/passwd', 'people.yaml', '__proto__'])(
    '%s is refused, as no source',
    async other => {
      const { calls } = await guideOf({ [file]: people })
      await expect(calls.mapping({ file: other })).rejects.toMatchObject({ code: 'outside' })
      await expect(calls.source({ file: other })).rejects.toMatchObject({ code: 'outside' })
    },
  )
})

describe('the sources of a folder', () => {
  it('are the files that can be imported, without what an import wrote', async () => {
    const none = {
      'people.rejects.csv': '',
      'people.results.ndjson': '',
      'people.csv.corrected.csv': '',
      'mapping.schema.json': '{}',
    }
    const { sources } = await guideOf({
      'people.csv': people,
      'cards.vcf': '',
      'notes.txt': '',
      'b.csv.gz': '',
      ...none,
    })
    expect(sources).toEqual(['b.csv.gz', 'cards.vcf', 'people.csv'])
  })

  it('become a plan with their links', async () => {
    const companies = 'Company,Website\nAcme,acme.example\nBeta,beta.example\n'
    const staff = 'Name,E-Mail,Company\nAda,ada@example.com,Acme\nAlan,alan@example.com,Beta\n'
    const { read, calls, columnOf } = await guideOf({ 'companies.csv': companies, 'staff.csv': staff })
    await calls.source({ file: 'staff.csv' })
    expect(await read('plan.yaml')).toMatch(/companies:.*staff:.*mapping: staff\.yaml/s)
    expect(await read('staff.yaml')).toContain('companies: { step: companies }')
    expect(await columnOf('staff.csv', 'Company')).toMatchObject({
      fields: ['parent.record_id'],
      by: 'values',
    })
  })

  it('with the same stem have mappings of their own', async () => {
    const { guide } = await guideOf({ 'plan.csv': people, 'people.csv': people, 'people.tsv': people })
    const names = guide.mappings.sources.map(source => guide.mappings.nameOf(source))
    expect(names).toEqual(['people.yaml', 'people-2.yaml', 'plan-2.yaml'])
  })
})

describe('lines that changed', () => {
  it.each([
    ['none', 'a\nb\n', 'a\nb\n', []],
    ['a line that is another', 'a\nb\nc\n', 'a\nx\nc\n', [2]],
    ['lines that are new in two places', 'a\nb\nc\n', 'a\nx\nb\nc\ny\n', [2, 5]],
    ['nothing for a line that is gone', 'a\nb\nc\n', 'a\nc\n', []],
  ])('are %s', (_, before, now, lines) => {
    expect(changedLines(before, now)).toEqual(lines)
  })
})
