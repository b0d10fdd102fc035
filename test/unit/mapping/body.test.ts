import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { problem } from '../../../src/model/problem.ts'
import { bodyOf, errorsOf, mapped } from '../../support/mappings.ts'

const nothing = [{ path: '', ...problem('empty_body') }]

describe('constant', () => {
  it('a constant is sent unchanged, in its type', () => {
    const body = { a: 'text ', n: 1.5, t: true, f: false, zero: 0, none: null, l: [1, 'x'], here: '{{A}}' }
    expect(bodyOf(body, { A: 'x' })).toEqual({ ...body, here: 'x' })
  })

  it('a constant is left out when it is empty', () => {
    expect(bodyOf({ a: '', here: '{{A}}' }, { A: 'x' })).toEqual({ here: 'x' })
  })

  it('a constant may be a whole object or a list of objects', () => {
    const body = { o: { a: { b: 1 } }, l: [{ c: 2 }, { d: 3 }], here: '{{A}}' }
    expect(bodyOf(body, { A: 'x' })).toEqual({ ...body, here: 'x' })
  })
})

describe('template', () => {
  it('a template is its text with the cells filled in', () => {
    expect(bodyOf({ x: 'No. {{Id}}: {{Name}}!' }, { Id: '7', Name: 'Ada' })).toEqual({ x: 'No. 7: Ada!' })
  })

  it('a template has any white space collapsed, wherever it stands', () => {
    const blanks = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '\t', '\n', '\u00a0', '\u2003', '\ufeff'),
    })
    fc.assert(
      fc.property(blanks, blanks, (A, B) => {
        const text = `x${A.trim()}-${B.trim()}`
        if (A.trim() + B.trim() !== '')
          expect(bodyOf({ a: 'x{{A}}-{{B}}' }, { A, B })).toEqual({ a: text.replaceAll(/\s+/g, ' ').trim() })
      }),
    )
  })

  it('a template has its white space collapsed and trimmed', () => {
    const cells = { A: '  Ada ', B: '', C: 'King\r\n\tLovelace  ' }
    expect(bodyOf({ x: ' {{A}}  {{B}}\n{{C}} ' }, cells)).toEqual({ x: 'Ada King Lovelace' })
  })

  it('a template is empty when every column that it names is empty, whatever its text', () => {
    expect(mapped({ x: 'Dear {{A}} {{B}}' }, { A: '', B: '  ' })).toEqual({ errors: nothing })
    expect(bodyOf({ x: 'Dear {{A}} {{B}}', y: '{{C}}' }, { C: 'c' })).toEqual({ y: 'c' })
    expect(bodyOf({ x: 'Dear {{A}} {{B}}' }, { B: 'b' })).toEqual({ x: 'Dear b' })
  })

  it('a template may name a column with blanks in the braces, or the same column twice', () => {
    expect(bodyOf({ x: '{{ First Name }}{{First Name}}' }, { 'First Name': 'Ada' })).toEqual({ x: 'AdaAda' })
  })

  it('a template does not fill in what a cell itself says', () => {
    expect(bodyOf({ x: '{{A}}' }, { A: '{{B}} $& $1', B: 'b' })).toEqual({ x: '{{B}} $& $1' })
  })

  it('a template writes numbers and booleans as JSON does, and a list joined by a comma', () => {
    const cells = { n: 1.5, big: 1e21, f: false, zero: 0, l: ['a', '', null, 2, ['b', true]], none: null }
    expect(bodyOf({ x: '{{n}} {{big}} {{f}} {{zero}}', l: '{{l}}' }, cells)).toEqual({
      x: '1.5 1e+21 false 0',
      l: 'a, 2, b, true',
    })
    expect(bodyOf({ x: '{{zero}}' }, { zero: 0 })).toEqual({ x: '0' })
    expect(bodyOf({ x: '{{f}}' }, { f: false })).toEqual({ x: 'false' })
  })

  it('a template makes the row invalid if it meets an object', () => {
    expect(errorsOf({ a: { x: 'by {{author}}' } }, { author: { name: 'Ada' } })).toEqual([
      { path: 'a.x', column: 'author', ...problem('not_text') },
    ])
    expect(errorsOf({ x: '{{labels}}' }, { labels: ['a', { b: 1 }] })).toEqual([
      { path: 'x', column: 'labels', ...problem('not_text') },
    ])
  })

  it('a template takes dotted paths', () => {
    expect(bodyOf({ x: '{{author.name}} {{l.0}}' }, { author: { name: 'Ada' }, l: ['z'] })).toEqual({
      x: 'Ada z',
    })
  })
})

describe('empty values', () => {
  it('empty is absent: a field without a value is left out', () => {
    expect(bodyOf({ a: { from: 'A' }, b: { from: 'B' }, c: '{{C}}' }, { A: ' ', B: 'b' })).toEqual({ b: 'b' })
  })

  it('empty is absent: text, blanks, null, empty lists, missing columns; not 0 and false', () => {
    const body = Object.fromEntries([...'abcdefg'].map(name => [name, { from: name, as: 'json' }]))
    expect(bodyOf(body, { a: '', b: ' \t\n', c: null, d: [], e: ['', null, []], f: 0, g: false })).toEqual({
      f: 0,
      g: false,
    })
  })

  it('empty is absent: an object is left out when all its rules and templates are empty', () => {
    const body = {
      url_details: { domain: { from: 'Site' }, twitter_url: '{{Twitter}}', kind: 'web' },
      here: '{{A}}',
    }
    expect(bodyOf(body, { A: 'x' })).toEqual({ here: 'x' })
    expect(bodyOf(body, { A: 'x', Twitter: 't' })).toEqual({
      url_details: { twitter_url: 't', kind: 'web' },
      here: 'x',
    })
  })

  it('empty is absent: a list item is left out, and the list when no item is left', () => {
    const body = { emails: [{ email: { from: 'A' }, type: 'work' }, { email: '{{B}}' }], here: '{{C}}' }
    expect(bodyOf(body, { A: '', B: 'b', C: 'c' })).toEqual({ emails: [{ email: 'b' }], here: 'c' })
    expect(bodyOf(body, { A: '', B: '', C: 'c' })).toEqual({ here: 'c' })
  })

  it('empty is absent: this holds at every depth', () => {
    const body = {
      a: { b: { c: { from: 'A' }, k: 1 }, k: 2 },
      d: { e: [{ f: [{ from: 'A' }] }], k: 3 },
      h: '{{B}}',
    }
    expect(bodyOf(body, { A: '', B: 'b' })).toEqual({ h: 'b' })
    expect(bodyOf(body, { A: 'x', B: 'b' })).toEqual({
      a: { b: { c: 'x', k: 1 }, k: 2 },
      d: { e: [{ f: ['x'] }], k: 3 },
      h: 'b',
    })
  })

  it('empty is absent: constants without rules next to them stay', () => {
    const body = {
      tags: [{ name: 'imported' }, { name: { from: 'Tag' } }],
      meta: { by: 'us' },
      here: '{{A}}',
    }
    expect(bodyOf(body, { A: 'x', Tag: '' })).toEqual({
      tags: [{ name: 'imported' }],
      meta: { by: 'us' },
      here: 'x',
    })
  })

  it('empty is absent: `value` is a constant that keeps nothing alive', () => {
    const body = { a: { k: { value: 'x' }, b: { from: 'A' } }, here: '{{B}}' }
    expect(bodyOf(body, { A: '', B: 'b' })).toEqual({ here: 'b' })
  })

  it('empty is absent: a row of which nothing reaches the body is invalid', () => {
    const body = { name: '{{A}}', record_sub_type: 'person', emails: [{ email: { from: 'B' } }] }
    expect(mapped(body, { A: '', B: ' ', C: 'not named' })).toEqual({ errors: nothing })
  })

  it('empty is absent: `empty: null` sends null instead', () => {
    const body = { a: { from: 'A', empty: null }, l: { from: 'B', split: ';', empty: null }, here: '{{C}}' }
    expect(bodyOf(body, { C: 'c' })).toEqual({ a: null, l: null, here: 'c' })
    expect(bodyOf(body, { A: 'a', B: 'b;c', C: 'c' })).toEqual({ a: 'a', l: ['b', 'c'], here: 'c' })
  })
})

describe('each', () => {
  it('each makes a list item of every item, `.` being the item itself', () => {
    const body = {
      emails: { from: 'E', split: ';', each: { email: { from: '.', as: 'email' }, type: 'work' } },
    }
    expect(bodyOf(body, { E: 'A@x.example; b@x.example;;' })).toEqual({
      emails: [
        { email: 'a@x.example', type: 'work' },
        { email: 'b@x.example', type: 'work' },
      ],
    })
  })

  it('each reads the fields of an item by `.name`, and the columns of the row by plain names', () => {
    const body = {
      l: { from: 'labels', each: { a: { from: '.name' }, b: '{{.colour.hex}}/{{Id}}', c: { from: 'name' } } },
    }
    const cells = { labels: [{ name: 'bug', colour: { hex: 'f00' } }, { name: 'ui' }], Id: 7, name: 'row' }
    expect(bodyOf(body, cells)).toEqual({
      l: [
        { a: 'bug', b: 'f00/7', c: 'row' },
        { a: 'ui', b: '/7', c: 'row' },
      ],
    })
  })

  it('each may be a template', () => {
    expect(bodyOf({ l: { from: 'L', split: ',', each: '#{{.}}' } }, { L: 'a, b' })).toEqual({
      l: ['#a', '#b'],
    })
  })

  it('each leaves out an item of which nothing is left', () => {
    const body = { l: { from: 'labels', each: { text: { from: '.name' }, kind: 'label' } } }
    expect(bodyOf(body, { labels: [{ name: 'a' }, { name: '' }, { colour: 1 }, { name: 'b' }] })).toEqual({
      l: [
        { text: 'a', kind: 'label' },
        { text: 'b', kind: 'label' },
      ],
    })
    expect(mapped(body, { labels: [{ name: '' }] })).toEqual({ errors: nothing })
  })

  it('each takes a value that is no list for one item', () => {
    const body = { l: { from: 'who', each: { n: { from: '.name' } } } }
    expect(bodyOf(body, { who: { name: 'Ada' } })).toEqual({ l: [{ n: 'Ada' }] })
  })

  it('each may stand in a list, whose other items stay', () => {
    const body = { l: [{ t: '{{A}}' }, { from: 'B', split: ',', each: { t: { from: '.' } } }, { t: 'last' }] }
    expect(bodyOf(body, { A: 'a', B: 'b,c' })).toEqual({
      l: [{ t: 'a' }, { t: 'b' }, { t: 'c' }, { t: 'last' }],
    })
  })

  it('each may stand in another', () => {
    const body = {
      l: {
        from: 'groups',
        each: { name: '{{.name}}', of: { from: '.who', each: { n: '{{.id}} of {{Id}}' } } },
      },
    }
    expect(
      bodyOf(body, { Id: 9, groups: [{ name: 'a', who: [{ id: 1 }, { id: 2 }] }, { name: 'b' }] }),
    ).toEqual({
      l: [{ name: 'a', of: [{ n: '1 of 9' }, { n: '2 of 9' }] }, { name: 'b' }],
    })
  })

  it('each tells a bad item by its path, its column and its value', () => {
    const number = { from: '.', as: 'phone', country: 'GB' }
    const body = { phones: { from: 'Phones', split: ';', each: { phone_number: number } } }
    expect(errorsOf(body, { Phones: '020 7946 0101;nope' })).toEqual([
      { path: 'phones.1.phone_number', column: 'Phones', value: 'nope', ...problem('not_phone') },
    ])
    const named = { l: { from: 'labels', each: { n: { from: '.count', as: 'integer' } } } }
    expect(errorsOf(named, { labels: [{ count: 1 }, { count: 'x' }] })).toEqual([
      { path: 'l.1.n', column: 'labels.count', value: 'x', ...problem('not_integer') },
    ])
  })

  it('each tells a bad item of an inner list by its whole path', () => {
    const body = { l: { from: 'a', each: { m: { from: '.b', each: { n: { from: '.', as: 'integer' } } } } } }
    expect(errorsOf(body, { a: [{ b: [1] }, { b: [2, 'x'] }] })).toEqual([
      { path: 'l.1.m.1.n', column: 'a.b', value: 'x', ...problem('not_integer') },
    ])
  })
})

describe('each in each', () => {
  it('each in each makes one list if one has no name, and its paths show both positions', () => {
    const tags = { from: '.tags', each: { n: { from: '.', as: 'integer' } } }
    const body = { l: { from: 'a', each: tags } }
    expect(bodyOf(body, { a: [{ tags: [1, 2] }, { tags: 3 }] })).toEqual({
      l: [{ n: 1 }, { n: 2 }, { n: 3 }],
    })
    expect(errorsOf(body, { a: [{ tags: [1, 'x'] }] })).toMatchObject([
      { path: 'l.0.1.n', column: 'a.tags', value: 'x' },
    ])
    const bare = { l: { from: 'a', each: { from: '.tags', as: 'integer' } } }
    expect(errorsOf(bare, { a: [{ tags: [1, 'x'] }, { tags: 'y' }] })).toMatchObject([
      { path: 'l.0.1', column: 'a.tags', value: 'x' },
      { path: 'l.1', column: 'a.tags', value: 'y' },
    ])
  })
})

describe('faults of a row', () => {
  it('faults of a row are reported all at once', () => {
    const body = {
      name: { from: 'Name', required: true },
      emails: [{ email: { from: 'E1', as: 'email' } }, { email: { from: 'E2', as: 'email' } }],
      url_details: { domain: { from: 'Site', as: 'domain' } },
    }
    expect(errorsOf(body, { E1: 'nope', E2: 'a@b.example', Site: 'x y' })).toEqual([
      { path: 'name', column: 'Name', ...problem('required') },
      { path: 'emails.0.email', column: 'E1', value: 'nope', ...problem('not_email') },
      { path: 'url_details.domain', column: 'Site', value: 'x y', ...problem('not_domain') },
    ])
  })

  it('a fault of a row quotes the start of a long value only', () => {
    const [error] = errorsOf({ e: { from: 'E', as: 'email' } }, { E: 'x'.repeat(200_000) })
    expect(String(error?.value)).toHaveLength(301)
    expect(String(error?.value)).toMatch(/^x{300}…$/)
  })

  it('a fault of a row names the first column that holds something, of several', () => {
    const body = { e: { from: ['A', 'B', 'C'], as: 'email' } }
    expect(errorsOf(body, { A: ' ', B: 'nope', C: 'x' })).toMatchObject([{ column: 'B', value: 'nope' }])
    const each = { l: { from: ['A', 'B'], split: ';', each: { e: { from: '.', as: 'email' } } } }
    expect(errorsOf(each, { A: ' ', B: 'nope' })).toMatchObject([
      { path: 'l.0.e', column: 'B', value: 'nope' },
    ])
    const joined = { e: { join: ['A', 'B'], as: 'email' } }
    expect(errorsOf(joined, { B: 'nope' })).toMatchObject([{ path: 'e', column: 'B', value: 'nope' }])
  })
})
