import { describe, expect, it } from 'vitest'
import { problem } from '../../../src/model/problem.ts'
import { bodyOf, errorsOf, made, mapped } from '../../support/mappings.ts'

const objectMessage = 'is an object where text is needed; name a field of it (column.field), or use as: json'

describe('from', () => {
  it('from is the cell, trimmed', () => {
    expect(made({}, '  0042 \n')).toBe('0042')
    expect(made({}, '\u00a0\u3000x\u3000')).toBe('x')
  })

  it('from is the first of several that is not empty', () => {
    const body = { x: { from: ['A', 'B', 'C'] } }
    expect(bodyOf(body, { A: ' ', B: 'b', C: 'c' })).toEqual({ x: 'b' })
    expect(bodyOf(body, { A: null, B: [], C: 'c' })).toEqual({ x: 'c' })
    expect(bodyOf({ x: { from: ['A', 'B'], as: 'json' } }, { A: false, B: 'b' })).toEqual({ x: false })
  })

  it('from is the own key of an NDJSON row, else a dotted path', () => {
    expect(bodyOf({ x: { from: 'a.b' } }, { 'a.b': 'own', a: { b: 'path' } })).toEqual({ x: 'own' })
    expect(bodyOf({ x: { from: 'a.b' } }, { a: { b: 'path' } })).toEqual({ x: 'path' })
  })

  it('from returns text unless `as` is set', () => {
    expect(made({}, 7)).toBe('7')
    expect(made({}, true)).toBe('true')
    expect(made({}, ['a', 1])).toEqual(['a', '1'])
    expect(made({}, { a: 1 })).toEqual({ refused: objectMessage })
  })

  it('from takes a column whose name is a number in YAML', () => {
    expect(bodyOf({ x: { from: 2024 } }, { 2024: 'y' })).toEqual({ x: 'y' })
  })

  it('from takes a column name without the blanks around it', () => {
    expect(bodyOf({ x: { from: ' A ' } }, { A: 'y' })).toEqual({ x: 'y' })
  })
})

describe('join', () => {
  it('join puts several cells in one, empty ones left out', () => {
    const body = { x: { join: ['Street', 'Zip', 'Town'], with: ', ' } }
    expect(bodyOf(body, { Street: ' Row 1 ', Zip: '', Town: 'London' })).toEqual({ x: 'Row 1, London' })
  })

  it('join puts a comma between them unless `with` says otherwise, which may be nothing', () => {
    expect(bodyOf({ x: { join: ['A', 'B'] } }, { A: 'a', B: 'b' })).toEqual({ x: 'a, b' })
    expect(bodyOf({ x: { join: ['A', 'B'], with: '' } }, { A: 'a', B: 'b' })).toEqual({ x: 'ab' })
  })

  it('join is empty when all of them are', () => {
    expect(bodyOf({ x: { join: ['A', 'B'] }, y: '{{C}}' }, { A: ' ', C: 'c' })).toEqual({ y: 'c' })
  })

  it('join takes the items of a list one by one', () => {
    expect(bodyOf({ x: { join: ['A', 'B'], with: '/' } }, { A: ['a', '', 'b'], B: 1 })).toEqual({
      x: 'a/b/1',
    })
  })

  it('join refuses an object', () => {
    expect(errorsOf({ x: { join: ['A', 'B'] } }, { A: 'a', B: { c: 1 } })).toMatchObject([
      { path: 'x', ...problem('not_text') },
    ])
  })

  it('join may be split again', () => {
    const body = { x: { join: ['A', 'B'], with: ';', split: ';' } }
    expect(bodyOf(body, { A: 'a;b', B: 'c' })).toEqual({ x: ['a', 'b', 'c'] })
  })
})

describe('value', () => {
  it('value is a constant of any type, braces and all', () => {
    const body = { a: { value: '{{not a column}}' }, b: { value: 5 }, c: { value: false }, here: '{{A}}' }
    expect(bodyOf(body, { A: 'x' })).toEqual({ a: '{{not a column}}', b: 5, c: false, here: 'x' })
  })

  it('value may be a list or an object', () => {
    const body = { l: { value: ['a', 1] }, o: { value: { from: 'x' } }, here: '{{A}}' }
    expect(bodyOf(body, { A: 'x' })).toEqual({ l: ['a', 1], o: { from: 'x' }, here: 'x' })
  })
})

describe('split', () => {
  it('split makes one cell a list, its items trimmed and the empty ones left out', () => {
    expect(made({ split: ';' }, ' a ;b;; ;c;')).toEqual(['a', 'b', 'c'])
    expect(made({ split: ' ::: ' }, '* a ::: b')).toEqual(['* a', 'b'])
    expect(made({ split: ';' }, 'a')).toEqual(['a'])
    expect(made({ split: '.' }, 'a.b')).toEqual(['a', 'b'])
  })

  it('split is empty when there is nothing between the separators', () => {
    expect(made({ split: ';' }, ' ; ;')).toBeUndefined()
  })

  it('split splits each cell of a column that is repeated, into one list', () => {
    expect(made({ split: ',' }, ['a,b', '', 'c'])).toEqual(['a', 'b', 'c'])
  })

  it('split applies the parts behind it to each item', () => {
    expect(made({ split: ',', case: 'upper', map: { A: '1', B: '2' }, as: 'integer' }, 'a,b')).toEqual([1, 2])
  })

  it('split tells a bad item by its position', () => {
    expect(errorsOf({ x: { from: 'A', split: ',', as: 'integer' } }, { A: '1,x,3,y' })).toEqual([
      { path: 'x.1', column: 'A', value: 'x', ...problem('not_integer') },
      { path: 'x.3', column: 'A', value: 'y', ...problem('not_integer') },
    ])
  })
})

describe('cell without measure', () => {
  const many = { refused: 'is a list of more than 10000 items' }
  const large = [{ path: 'x', code: 'result_too_large' }]

  it('a cell without measure is refused as a list, however it is written', () => {
    expect(made({ split: '/' }, 'ab/'.repeat(10_000))).toHaveLength(10_000)
    expect(made({ split: '/' }, 'ab/'.repeat(10_001))).toEqual(many)
    expect(made({ split: ';' }, '"a b";'.repeat(30_000))).toEqual(many)
    expect(made({ split: ';' }, `[${'7, '.repeat(40_000)}7]`)).toEqual(many)
    expect(made({}, Array(200_000).fill('x'))).toEqual(many)
  })

  it('a cell without measure is refused if a template or join repeats it beyond a row', () => {
    const cells = { A: 'n'.repeat(2_600_000) }
    expect(errorsOf({ x: '{{A}}'.repeat(900) }, cells)).toMatchObject(large)
    expect(errorsOf({ x: { join: Array(900).fill('A') } }, cells)).toMatchObject(large)
  })

  it('a cell without measure is refused as Markdown', () => {
    expect(made({ as: 'markdown' }, `${'!['.repeat(50_000)}.`)).toEqual({
      refused: 'has more than 100000 characters',
    })
  })
})

describe('list', () => {
  it('a list reads a column whose name is repeated in the header, and is one without split', () => {
    expect(made({}, ['a', '', 'b'])).toEqual(['a', 'b'])
    expect(made({ as: 'email' }, ['A@b.example', ''])).toEqual(['a@b.example'])
  })

  it('a list of lists is flattened', () => {
    expect(made({}, ['a', ['b', ['c', []]], ''])).toEqual(['a', 'b', 'c'])
    expect(bodyOf({ x: [{ from: 'A', split: ',' }, 'd', { from: 'B' }] }, { A: 'a,b', B: [['c']] })).toEqual({
      x: ['a', 'b', 'd', 'c'],
    })
  })
})

describe('replace', () => {
  it('replace applies regular expressions in order, everywhere in the text', () => {
    const replace = [
      { pattern: '\\s+', with: ' ' },
      { pattern: '(\\w+) (\\w+)', with: '$2 $1' },
      { pattern: 'a', with: '' },
    ]
    expect(made({ replace }, 'Ada \n Lovelace')).toBe('Lovelce Ad')
  })

  it('replace knows the classes of Unicode', () => {
    expect(made({ replace: [{ pattern: '[^\\p{L}]', with: '' }] }, 'Zoë 🎨 3')).toBe('Zoë')
    expect(made({ replace: [{ pattern: '^.', with: '' }] }, '🎨x')).toBe('x')
  })

  it('replace trims what is left, and may leave nothing', () => {
    expect(made({ replace: [{ pattern: '^\\*', with: '' }] }, '* a ')).toBe('a')
    expect(made({ replace: [{ pattern: '.*', with: '' }] }, 'N/A')).toBeUndefined()
    expect(made({ replace: [{ pattern: '^-$', with: '' }], as: 'date' }, '-')).toBeUndefined()
  })

  it('replace is the same for every row', () => {
    const body = { x: { from: 'A', replace: [{ pattern: 'a', with: 'b' }] } }
    for (const _ of [1, 2, 3]) expect(bodyOf(body, { A: 'aa' })).toEqual({ x: 'bb' })
  })

  it('replace works on the text of numbers', () => {
    expect(made({ replace: [{ pattern: '5', with: '6' }] }, 15)).toBe('16')
  })
})

describe('case', () => {
  it('case makes letters small or large', () => {
    expect(made({ case: 'lower' }, 'ÄB')).toBe('äb')
    expect(made({ case: 'upper' }, 'äß')).toBe('ÄSS')
  })
})

describe('map', () => {
  const map = { P1: 'high', 2: 'medium', none: '' }

  it('map is a table of values, which are text until `as` says otherwise', () => {
    expect(made({ map }, ' P1 ')).toBe('high')
    expect(made({ map }, 2)).toBe('medium')
    expect(made({ map: { yes: 1, no: 0 } }, 'yes')).toBe('1')
    expect(made({ map: { yes: 1, no: 0 }, as: 'integer' }, 'no')).toBe(0)
    expect(made({ map: { open: true }, as: 'boolean' }, 'open')).toBe(true)
  })

  it('map makes a value empty that it maps to nothing', () => {
    expect(made({ map }, 'none')).toBeUndefined()
    expect(made({ map: { none: null } }, 'none')).toBeUndefined()
    expect(made({ map: { none: null }, default: 'low' }, 'none')).toBe('low')
  })

  it('map refuses a value that is not in it, and says what is', () => {
    expect(made({ map }, 'p1')).toEqual({
      refused: 'is not in the map (2, P1, none); add it there, or set otherwise: keep or omit',
    })
    expect(made({ map, otherwise: 'invalid' }, 'P9')).toMatchObject({ refused: expect.any(String) })
    expect(errorsOf({ x: { from: 'A', map } }, { A: 'toString' })).toMatchObject([
      { path: 'x', column: 'A', value: 'toString' },
    ])
  })

  it('map keeps or omits an unknown value if the mapping says so', () => {
    expect(made({ map, otherwise: 'keep' }, 'P9')).toBe('P9')
    expect(made({ map, otherwise: 'omit' }, 'P9')).toBeUndefined()
    expect(made({ map, otherwise: 'omit', split: ',' }, 'P9,P1')).toEqual(['high'])
  })

  it('map leaves an empty cell empty', () => {
    expect(made({ map: { '': 'x' } }, '')).toBeUndefined()
  })
})

describe('default', () => {
  it('default replaces an empty value, in its own type', () => {
    expect(made({ default: 'none' }, ' ')).toBe('none')
    expect(made({ default: 0, as: 'integer' }, '')).toBe(0)
    expect(made({ default: false, as: 'boolean' }, undefined)).toBe(false)
    expect(made({ default: ['a'], split: ';' }, ';')).toEqual(['a'])
  })

  it('default does not stand in for a value that is there', () => {
    expect(made({ default: 'none' }, 'x')).toBe('x')
    expect(made({ default: 5, as: 'integer' }, 0)).toBe(0)
    expect(made({ default: true, as: 'boolean' }, 'no')).toBe(false)
  })

  it('default does not stand in for a bad value', () => {
    expect(made({ default: 5, as: 'integer' }, 'x')).toEqual({ refused: 'is not a whole number' })
  })

  it('default is for the whole list, not for its items', () => {
    expect(made({ default: 'x', split: ';' }, 'a;;b')).toEqual(['a', 'b'])
  })

  it('default goes through `each` like the value it replaces', () => {
    const body = { l: { from: 'A', split: ';', default: ['z'], each: { n: { from: '.' } } } }
    expect(bodyOf(body, { A: '' })).toEqual({ l: [{ n: 'z' }] })
  })
})

describe('required', () => {
  it('required makes a row invalid whose value is empty', () => {
    expect(mapped({ x: { from: 'A', required: true }, y: '{{B}}' }, { A: ' ', B: 'b' })).toEqual({
      errors: [{ path: 'x', column: 'A', ...problem('required') }],
    })
    expect(made({ required: true, split: ';' }, ' ; ')).toEqual({
      refused: 'is required and empty; fill it in, or give the field a default',
    })
    expect(made({ required: true, map: { a: 'b' }, otherwise: 'omit' }, 'x')).toEqual({
      refused: 'is required and empty; fill it in, or give the field a default',
    })
  })

  it('required accepts 0, false and a default', () => {
    expect(made({ required: true, as: 'integer' }, '0')).toBe(0)
    expect(made({ required: true, as: 'boolean' }, 'no')).toBe(false)
    expect(made({ required: true, default: 'd' }, '')).toBe('d')
  })

  it('required is not reported in addition to the cause', () => {
    expect(made({ required: true, as: 'email' }, 'nope')).toEqual({ refused: 'is not an e-mail address' })
  })

  it('required names the first column of several', () => {
    expect(errorsOf({ x: { from: ['A', 'B'], required: true } }, {})).toEqual([
      { path: 'x', column: 'A', ...problem('required') },
    ])
  })
})
