import { describe, expect, it } from 'vitest'
import { readWords } from './words.ts'

const known = ['a', 'b', 'c'] as const

describe('the words of `npm run bench`', () => {
  it('name parts, which run in their own order; without any all of them run', () => {
    expect(readWords(['c', 'a'], known)).toEqual({ letters: ['a', 'c'], quick: false })
    expect(readWords(['--quick'], known)).toEqual({ letters: ['a', 'b', 'c'], quick: true })
  })

  it('must be known', () => {
    expect(() => readWords(['a', 'x'], known)).toThrow('unknown word "x"; say which parts to run, of a, b, c')
    expect(() => readWords(['--fast'], known)).toThrow('--quick')
  })
})
