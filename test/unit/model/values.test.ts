import { describe, expect, it } from 'vitest'
import { isProblem } from '../../../src/model/problem.ts'
import { atPath, present, textOf } from '../../../src/model/values.ts'

describe('present value', () => {
  it('what is present is text that holds something, trimmed', () => {
    expect(present('  a b ')).toBe('a b')
    expect(present(' \t\r\n\u00a0\u3000\ufeff')).toBeUndefined()
    expect(present('')).toBeUndefined()
  })

  it('what is present is every number and boolean, 0 and false as well', () => {
    for (const value of [0, -1, 1.5, false, true]) expect(present(value)).toBe(value)
  })

  it('nothing is present if there is null or nothing', () => {
    expect([null, undefined, [], ['', null, [' ']]].map(present)).toEqual(Array(4).fill(undefined))
  })

  it('what is present is a list without what is empty in it, its lists flattened', () => {
    expect(present([' a', '', ['b', ['c ', null]], 0, { d: ' e ' }])).toEqual([
      'a',
      'b',
      'c',
      0,
      { d: ' e ' },
    ])
  })

  it('an object is present as it is', () => {
    const object = { a: ' ', b: null }
    expect(present(object)).toBe(object)
    expect(present({})).toEqual({})
  })
})

describe('text of a value', () => {
  it('the text of a value is text as it is, and numbers and booleans as JSON writes them', () => {
    expect([' a ', 1.5, 1e21, -0, true, false, undefined].map(textOf)).toEqual([
      ' a ',
      '1.5',
      '1e+21',
      '0',
      'true',
      'false',
      '',
    ])
  })

  it('the text of a value is a list joined by a comma', () => {
    expect(textOf(['a', 1, ['b', false]])).toBe('a, 1, b, false')
  })

  it('the text of a value is a problem if there is an object, in a list or alone', () => {
    for (const value of [{}, { a: 1 }, ['a', { b: 1 }], [[{}]], null])
      expect(isProblem(textOf(value))).toBe(true)
  })
})

describe('value at a path', () => {
  it('the value at a path is found step by step, by own keys and positions', () => {
    const value = { a: [{ b: 1 }, { b: null }], c: { '': 2 } }
    expect(atPath(value, 'a.0.b')).toBe(1)
    expect(atPath(value, 'a.1.b')).toBeNull()
    expect(atPath(value, 'c.')).toBe(2)
    expect(atPath(value, 'a')).toBe(value.a)
  })

  it('the value at a path is nothing if a step is missing, or is inherited', () => {
    for (const path of ['x', 'a.x', 'a.0.x', 'a.b', 't.0', 'toString', '__proto__', 'a.constructor', ''])
      expect(atPath({ a: { b: undefined }, t: 'text' }, path)).toBeUndefined()
  })
})
